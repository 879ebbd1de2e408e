import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { AccessService } from '../../src/access/access-service.ts'
import { workflowOperations } from '../../src/contract/workflow-operations.ts'
import { cachedResponses } from '../../src/http/cached-responses.ts'
import type { RequestLimiter } from '../../src/http/request-limiter.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const graph = (title: string) => ({
  nodes: [
    { id: 'input', type: 'base', data: { type: 'input', title } },
    { id: 'end', type: 'base', data: { type: 'end', title: 'end' } },
  ],
  edges: [{ source: { cell: 'input', port: 'out.input' }, target: { cell: 'end', port: 'in.end' } }],
})

/** On SQLite a workflow that is read again is answered from memory; on PostgreSQL all of this holds, too. */
describe('a workflow that is read again and again', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer()
    await server.api.post('workflow/update', { id: 'often', workflow: graph('première 第一 🌳') })
  })
  after(() => server.stop())

  const read = (headers: Record<string, string> = {}, query = 'id=often', api: ApiClient = server.api) =>
    api.get(`workflow?${query}`, { headers })

  test('is answered with the same headers and body every time', async () => {
    const varying = ['date', 'x-traceid']
    const shown = async () => {
      const { status, text, headers } = await read()
      const shownHeaders = [...headers].map(([name, value]) => [name, varying.includes(name) ? '' : value])
      return { status, text, headers: Object.fromEntries(shownHeaders) }
    }
    const first = await shown()
    assert.equal(first.status, 200)
    assert.match(first.text, /"première 第一 🌳"/)
    for (let at = 0; at < 4; at++) assert.deepEqual(await shown(), first)
    assert.equal((await read({ 'x-traceid': 'mine' })).headers.get('x-traceid'), 'mine')
    assert.notEqual((await read()).headers.get('x-traceid'), (await read()).headers.get('x-traceid'))
  })

  test('is answered with 304 if the client has it, and checked like every request', async () => {
    const { headers } = await read()
    assert.equal((await read({ 'if-none-match': headers.get('etag')! })).status, 304)
    assert.equal((await read({ authorization: 'Bearer wrong' })).status, 401)
    assert.equal(
      (await read({}, 'id=often&unknown=1')).status,
      (await read({}, 'id=absent&unknown=1')).status,
    )
    assert.equal((await read({}, 'id=%6Fften')).text, (await read()).text)
  })

  test('is never answered from before an update, a delete or the revocation of a token', async () => {
    for (let at = 0; at < 5; at++) {
      await server.api.post('workflow/update', { id: 'often', workflow: graph(`title ${at}`) })
      for (let again = 0; again < 3; again++) assert.match((await read()).text, new RegExp(`"title ${at}"`))
    }
    const { data } = (await server.api.post('token/create', { name: 'short-lived', role: 'viewer' })).json
    const viewer = server.api.as(data.token)
    for (let again = 0; again < 3; again++) assert.equal((await read({}, 'id=often', viewer)).status, 200)
    await server.api.post('token/delete', { id: data.id })
    assert.equal((await read({}, 'id=often', viewer)).status, 401)
    for (let again = 0; again < 3; again++) await read()
    await server.api.post('workflow/delete', { id: 'often' })
    assert.match((await read()).text, /"exist":false/)
  })

  test('is counted in the metrics', async () => {
    await server.api.post('workflow/update', { id: 'counted', workflow: graph('counted') })
    const count = async (): Promise<number> => {
      const { text } = await server.api.get('/metrics')
      return Number(/requests_total\{route="workflow.get",status="200"\} (\d+)/.exec(text)?.[1] ?? 0)
    }
    const before = await count()
    for (let at = 0; at < 10; at++) await read({}, 'id=counted')
    assert.equal((await count()) - before, 10)
  })
})

test('a request is left to the framework where the database cannot be read', () => {
  const access = {
    recognize: () => {
      throw new Error('disk I/O error')
    },
  } as unknown as AccessService
  const limiter = { limits: () => undefined } as unknown as RequestLimiter
  const operation = { ...workflowOperations.get, path: '/often' }
  const answer = cachedResponses([{ operation, fromCache: () => undefined }], {
    access,
    limiter,
    record: () => {},
  })
  const request = { method: 'GET', url: '/often?id=x', headers: { host: 'here' } } as IncomingMessage
  assert.equal(answer(request, {} as ServerResponse), false)
})
