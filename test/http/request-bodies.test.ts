import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain } from '../support/run-graphs.ts'
import { makeWorkflow, runOf, runWorkflow } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

interface Received {
  headers: IncomingHttpHeaders
  body: Buffer
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const large = randomBytes(5 << 20)

let server: TestServer
let api: ApiClient
let receiver: Server
let origin: string
let received: Received[] = []
let largeId: string
let noteId: string

before(async () => {
  receiver = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await buffer(request) })
    if (request.url === '/table')
      response
        .writeHead(200, { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename=t.csv' })
        .end('a,b\n1,2')
    else response.end('taken')
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  server = await startTestServer({
    DEMO: 'off',
    EGRESS_ALLOW: '127.0.0.1',
    SECRET_KEY: 'sealing-key-of-the-tests',
  })
  api = server.api
  largeId = (await api.upload('large 大.bin', large, 'application/octet-stream')).json.data.file_id
  noteId = (await api.upload('note.txt', 'a note')).json.data.file_id
  await dataOf(api.post('secret/set', { name: 'crm', value: 'key-0123456789' }))
})
after(async () => {
  await server.stop()
  receiver.closeAllConnections()
  receiver.close()
})
beforeEach(() => {
  received = []
})

async function send(data: object, client = api, more: object = {}) {
  const call = node('call', 'http_request', { method: 'POST', url: `${origin}/`, ...data })
  return runWorkflow(client, await makeWorkflow(client, chain(call)), 'tea & milk', more)
}

const formOf = ({ headers, body }: Received): Promise<FormData> =>
  new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type']! } }).formData()

test('sends a form with texts, secrets and stored files as multipart/form-data', async () => {
  const run = await send(
    {
      // Without a boundary it would be useless, so it is replaced.
      headers: { 'content-type': 'multipart/form-data' },
      form: [
        { name: 'say "it"', value: '{{#sys.query#}}' },
        { name: 'list', value: [1, 'two', { three: 3 }] },
        { name: 'api_key', value: '{{#secret.crm#}}' },
        { name: 'file', file: largeId },
        { name: 'files', file: '{{#sys.inputs.files#}}' },
        { name: 'none', file: '{{#sys.inputs.nothing#}}' },
      ],
    },
    api,
    { inputs: { query: 'tea & milk', files: [noteId, largeId] } },
  )
  assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
  const [request] = received
  assert.equal(Number(request!.headers['content-length']), request!.body.length)
  const form = await formOf(request!)
  assert.equal(form.get('say "it"'), 'tea & milk')
  assert.deepEqual(form.getAll('list'), ['1', 'two', '{"three":3}'])
  assert.equal(form.get('api_key'), 'key-0123456789')
  const sent = form.get('file') as File
  assert.deepEqual([sent.name, sent.type], ['large 大.bin', 'application/octet-stream'])
  assert.equal(hashOf(new Uint8Array(await sent.arrayBuffer())), hashOf(large))
  assert.deepEqual(
    form.getAll('files').map(file => (file as File).name),
    ['note.txt', 'large 大.bin'],
  )
  assert.equal(form.has('none'), false)
})

test('the trace of a form shows neither secrets nor literal credentials', async () => {
  const form = [
    { name: 'password', value: 'literal-0123456789' },
    { name: 'key', value: '{{#secret.crm#}}' },
    { name: 'colour', value: 'red {{#sys.query#}}' },
  ]
  const { run_id } = await send({ form })
  const shown = JSON.stringify(await runOf(api, run_id))
  assert.match(shown, /red tea & milk/)
  assert.doesNotMatch(shown, /literal-0123456789|key-0123456789/)
})

test('sends a form as application/x-www-form-urlencoded', async () => {
  const form = [
    { name: 'q', value: '{{#sys.query#}}' },
    { name: 'n', value: 5 },
  ]
  await send({ form, form_encoding: 'urlencoded' })
  const [{ headers, body }] = received as [Received]
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  assert.equal(String(body), 'q=tea+%26+milk&n=5')
})

test('sends a stored file as the whole body, with its type', async () => {
  await send({ method: 'PUT', body_file: { id: largeId, name: 'x' } })
  await send({ body_file: noteId, headers: { 'Content-Type': 'text/markdown' } })
  assert.deepEqual(
    received.map(({ headers, body }) => [headers['content-type'], headers['content-length'], hashOf(body)]),
    [
      ['application/octet-stream', String(large.length), hashOf(large)],
      ['text/markdown', '6', hashOf(Buffer.from('a note'))],
    ],
  )
})

test('a file of another workspace, or none, fails the step before anything is sent', async () => {
  const team = api.as((await dataOf(api.post('workspace/create', { name: 'Forms' }))).token)
  for (const data of [{ form: [{ name: 'f', file: noteId }] }, { body_file: noteId }]) {
    const { status, error } = await send(data, team)
    assert.equal(status, 'failed')
    assert.match(error.message, /refers to a file that does not exist: "file_/)
  }
  const { error } = await send({ body_file: '{{#sys.inputs.nothing#}}' })
  assert.match(error.message, /"body_file" names no file/)
  const ids = Array.from({ length: 21 }, (_, at) => `file_${at}`)
  const { error: many } = await send({ form: [{ name: 'f', file: ids }] })
  assert.match(many.message, /"form" has 21 files; at most 20/)
  assert.deepEqual(received, [])
})

test('a text that a server sends as an attachment is text and a file', async () => {
  const { outputs } = await send({ method: 'GET', url: `${origin}/table` })
  assert.equal(outputs.text, 'a,b\n1,2')
  assert.deepEqual(
    outputs.files.map(({ name, size }: { name: string; size: number }) => [name, size]),
    [['t.csv', 7]],
  )
})

test('what cannot be sent is reported when the graph is checked', async () => {
  const call = (data: object) => node('call', 'http_request', { method: 'POST', url: origin, ...data })
  const problems = async (data: object): Promise<string[]> => {
    const { warnings } = await dataOf(api.post('workflow/check', { workflow: chain(call(data)) }))
    return warnings.map(({ path }: { path: string }) => path.replace('/workflow/nodes/1/data/', ''))
  }
  const file = [{ name: 'f', file: noteId }]
  assert.deepEqual(await problems({ form: file }), [])
  assert.deepEqual(await problems({ form: file, body: 'x' }), ['form'])
  assert.deepEqual(await problems({ form: file, method: 'GET' }), ['form'])
  assert.deepEqual(await problems({ body_file: noteId, method: 'HEAD' }), ['body_file'])
  assert.deepEqual(await problems({ form: file, form_encoding: 'urlencoded' }), ['form/0/file'])
  assert.deepEqual(await problems({ form: file, form_encoding: 'json' }), ['form_encoding'])
  assert.deepEqual(await problems({ form: [{ name: ' ' }] }), ['form/0/name'])
  assert.deepEqual(await problems({ form: [{ ...file[0], value: 'x' }] }), ['form/0/file'])
  assert.deepEqual(await problems({ form: [{ name: 'api_key', value: 'literal-1' }] }), ['form/0/value'])
  assert.deepEqual(await problems({ form: Array(101).fill({ name: 'a', value: '1' }) }), ['form'])
})
