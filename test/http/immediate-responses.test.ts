import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { AccessService } from '../../src/access/access-service.ts'
import { AccessStore } from '../../src/access/access-store.ts'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { workflowOperations } from '../../src/contract/workflow-operations.ts'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/database/sql.ts'
import { immediateResponses } from '../../src/http/immediate-responses.ts'
import type { RequestLimiter } from '../../src/http/request-limiter.ts'
import { WorkflowStore } from '../../src/workflow/workflow-store.ts'
import type { ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { chain } from '../support/run-graphs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

const graph = (title: string) => ({
  nodes: [
    { id: 'input', type: 'base', data: { type: 'input', title } },
    { id: 'end', type: 'base', data: { type: 'end', title: 'end' } },
  ],
  edges: [{ source: { cell: 'input', port: 'out.input' }, target: { cell: 'end', port: 'in.end' } }],
})

/** On SQLite a workflow is read at once, and answered from memory if it is read again; on PostgreSQL all of this holds, too. */
describe('a workflow that is read again and again', () => {
  let server: TestServer
  let data: FreshDatabase
  let other: Database
  before(async () => {
    data = await migratedDatabase()
    server = await startTestServer({}, data)
    other = await openDatabase(data)
    await server.api.post('workflow/update', { id: 'often', workflow: graph('première 第一 🌳') })
  })
  after(async () => {
    await other.close()
    await server.stop()
    await data.drop()
  })

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

  test('is never answered from before a write of another process', async () => {
    const store = new WorkflowStore(other)
    for (let at = 0; at < 5; at++) {
      const text = JSON.stringify(graph(`elsewhere ${at}`))
      await store.save('default', {
        ...{ id: 'shared', graph: text, nodeCount: 2, hasCredentials: false, expected: 'anything' },
        at: Date.now(),
      })
      for (let again = 0; again < 3; again++)
        assert.match((await read({}, 'id=shared')).text, new RegExp(`"elsewhere ${at}"`))
    }
    await store.remove('default', 'shared', Date.now())
    assert.match((await read({}, 'id=shared')).text, /"exist":false/)
  })

  test('shows credentials to writers alone, whatever is committed in between', async context => {
    const headers = { Authorization: 'Bearer K2.header' }
    const workflow = chain(node('call', 'http_request', { url: 'https://a.example/', headers }))
    await server.api.post('workflow/update', { id: 'calling', workflow })
    const { data: token } = (await server.api.post('token/create', { name: 'reads', role: 'viewer' })).json
    const viewer = server.api.as(token.token)
    for (let at = 0; at < 5; at++) {
      await server.api.post('workflow/update', { id: 'often', workflow: graph(`commit ${at}`) })
      for (let again = 0; again < 3; again++) {
        assert.doesNotMatch((await read({}, 'id=calling', viewer)).text, /K2/)
        assert.match((await read({}, 'id=calling')).text, /K2/)
      }
    }
    if (other.dialect !== 'sqlite')
      return context.skip('the rest needs SQLite: on PostgreSQL, a change of access notifies other processes')
    const setRole = (role: string) =>
      other.statement(sql`UPDATE tokens SET role = ${role} WHERE id = ${token.id as string}`)
    await setRole('editor')
    assert.match((await read({}, 'id=calling', viewer)).text, /K2/)
    await setRole('viewer')
    assert.doesNotMatch((await read({}, 'id=calling', viewer)).text, /K2/)
    await new AccessStore(other).removeToken('default', token.id)
    assert.equal((await read({}, 'id=calling', viewer)).status, 401)
  })

  test('is complete if it is too large to be answered at once', async () => {
    for (const length of [60_000, 64_000, 65_000, 70_000]) {
      await server.api.post('workflow/update', { id: 'large', workflow: graph('x'.repeat(length)) })
      for (let again = 0; again < 3; again++)
        assert.ok((await read({}, 'id=large')).text.includes(`"${'x'.repeat(length)}"`))
    }
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
  const answer = immediateResponses([{ operation, answerNow: () => undefined }], {
    access,
    limiter,
    record: () => {},
  })
  const request = { method: 'GET', url: '/often?id=x', headers: { host: 'here' } } as IncomingMessage
  assert.equal(answer(request, {} as ServerResponse), false)
})
