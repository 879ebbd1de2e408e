import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiAnswer } from '../support/api-client.ts'
import { rawRequest, requestHead } from '../support/raw-connection.ts'
import { chain } from '../support/run-graphs.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { graph, node } from '../workflow/graphs.ts'

let server: TestServer

before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const json = { headers: { 'content-type': 'application/json' } }
const post = (path: string, text: string | Uint8Array): Promise<ApiAnswer> =>
  server.api.post(path, text, json)

function assertFailure(answer: ApiAnswer, code: number, paths?: string[]): void {
  assert.equal(answer.json?.code, code, answer.text)
  assert.equal(answer.status, Math.floor(code / 100))
  assert.ok(answer.headers.get('x-traceid'))
  if (paths)
    assert.deepEqual(
      answer.json.data.errors.map((error: { path: string }) => error.path),
      paths,
    )
}

/** A graph of exactly this depth: graph, node list, node, data, then nested arrays. */
const deepGraph = (depth: number): string =>
  `{"nodes":[{"id":"n","type":"base","data":{"deep":${'['.repeat(depth - 4)}${']'.repeat(depth - 4)}}}],"edges":[]}`

test('rejects invalid JSON as malformed_json', async () => {
  const texts = ['{', '{"id":', "{'id':'a'}", '{"id":"a",}', '{id:1}', 'NaN', '{"a":1}{"a":2}', '"\n"', '}']
  for (const text of texts) assertFailure(await post('workflow/list', text), 40002)
})

test('treats an empty body as {} where every field is optional', async () => {
  for (const text of ['', ' \r\n\t'])
    for (const path of ['workflow/list', 'files', 'token/list'])
      assert.equal((await post(path, text)).status, 200, `${path} ${JSON.stringify(text)}`)
  assert.equal((await server.api.post('workflow/list')).status, 200)
})

test('reports the required fields when the body is empty', async () => {
  assertFailure(await post('workflow/update', ''), 40001, ['/id', '/workflow'])
  assertFailure(await server.api.post('workflow/delete'), 40001, ['/id'])
})

test('rejects a body that is not an object', async () => {
  for (const text of ['[]', '[{"id":"a"}]', 'null', '1', '"id"', 'true'])
    assertFailure(await post('workflow/delete', text), 40001, [''])
})

test('accepts graphs up to 64 levels deep on every endpoint and rejects deeper ones', async () => {
  const wrappings: [string, string, (graphText: string, id: string) => string][] = [
    ['workflow/update', '/workflow', (text, id) => `{"id":"${id}","workflow":${text}}`],
    ['workflow/create', '/workflow', text => `{"workflow":${text}}`],
    ['workflow/create', '/nodes', text => text],
    ['workflow/check', '/workflow', text => `{"workflow":${text}}`],
    ['workflow/import', '/workflow', text => `{"workflow":${text}}`],
    ['workflow/import', '/document', text => `{"document":{"workflow":${text}}}`],
  ]
  for (const [path, pointer, wrap] of wrappings) {
    const legal = await post(path, wrap(deepGraph(64), 'deep'))
    assert.equal(legal.status, 200, `${path}: ${legal.text}`)
    for (const depth of [65, 66, 67])
      assertFailure(await post(path, wrap(deepGraph(depth), 'too-deep')), 40003)
    assertFailure(await post(path, wrap(deepGraph(1000), 'too-deep')), 40003, [pointer])
  }
  assert.equal((await server.api.get('workflow?id=too-deep')).json.data.exist, false)
})

test('imports the export of a graph at the depth limit', async () => {
  await post('workflow/update', `{"id":"deepest","workflow":${deepGraph(64)}}`)
  const exported = await server.api.post('workflow/export', { id: 'deepest' })
  const imported = await server.api.post('workflow/import', exported.json.data)
  assert.equal(imported.status, 200, imported.text)
})

test('exports and imports a name of 255 characters outside the basic multilingual plane', async () => {
  const name = '𝒳'.repeat(255)
  const made = await server.api.post('workflow/create', { name, workflow: { nodes: [], edges: [] } })
  const exported = await server.api.post('workflow/export', { id: made.json.data.id })
  const imported = await server.api.post('workflow/import', exported.json.data)
  assert.equal(imported.status, 200, imported.text)
})

test('limits nesting depth on every operation, even in ignored fields', async () => {
  for (const path of ['workflow/list', 'token/create', 'files', 'files/upload'])
    assertFailure(await post(path, `{"ignored":${'['.repeat(70)}${']'.repeat(70)}}`), 40003)
})

test('does not count brackets inside strings as nesting', async () => {
  const title = '[{'.repeat(500)
  const answer = await server.api.post(
    'workflow/create',
    graph([node('n', 'llm', { title: `${title}\\"${title}` })]),
  )
  assert.equal(answer.status, 200, answer.text)
})

test('rejects millions of nested brackets', async () => {
  assertFailure(await post('workflow/update', '['.repeat(5_000_000)), 40003)
  assertFailure(await post('workflow/update', '{"a":'.repeat(1_000_000)), 40003)
})

test('returns 413 for a body over the limit, with Content-Length or chunked', async () => {
  const large = `{"keyword":"${'x'.repeat(3 << 20)}"}`
  const chunked = new ReadableStream({
    start(controller) {
      for (let at = 0; at < large.length; at += 1 << 16)
        controller.enqueue(Buffer.from(large.slice(at, at + (1 << 16))))
      controller.close()
    },
  })
  assertFailure(await post('workflow/list', large), 41301)
  const options = { method: 'POST', headers: { ...json.headers, authorization: `Bearer ${operatorToken}` } }
  const streamed = await fetch(`${server.base}/api/v1/workflow/list`, {
    ...options,
    body: chunked,
    duplex: 'half',
  } as RequestInit)
  assert.equal(streamed.status, 413)
  assert.equal(((await streamed.json()) as { code: number }).code, 41301)
})

test('applies a body limit per operation', async () => {
  const filler = (bytes: number): string => `{"ignored":"${'x'.repeat(bytes)}","name":"a"}`
  assertFailure(await post('token/create', filler(1 << 20)), 41301)
  assertFailure(await post('workflow/update', filler(1 << 20)), 40001)
  assertFailure(await post('workflow/update', filler(8 << 20)), 41301)
  assertFailure(await post('files/upload', filler(8 << 20)), 40001)
  assertFailure(await post('files/upload', filler(32 << 20)), 41301)
})

test('rejects invalid UTF-8 instead of replacing it', async () => {
  for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe4, 0xb8]]) {
    const text = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bad), Buffer.from('"}')])
    assertFailure(await post('workspace/create', text), 40002)
  }
})

test('rejects NUL and unpaired surrogates in text fields and reports the field', async () => {
  for (const bad of ['\\u0000', '\\ud800', 'a\\udfffb', '\\udc00\\ud800']) {
    assertFailure(await post('workspace/create', `{"name":"${bad}"}`), 40001, ['/name'])
    assertFailure(await post('token/create', `{"name":"${bad}","role":"viewer"}`), 40001, ['/name'])
    assertFailure(await post('workflow/update', `{"id":"bad-name","name":"${bad}","workflow":{}}`), 40001, [
      '/name',
    ])
    assertFailure(await post('workflow/list', `{"keyword":"${bad}"}`), 40001, ['/keyword'])
    assertFailure(await post('files', `{"keyword":"${bad}"}`), 40001, ['/keyword'])
    assertFailure(await post('files/upload', `{"name":"${bad}","content_base64":""}`), 40001, ['/name'])
    const document = `{"document":{"name":"${bad}","workflow":{"nodes":[],"edges":[]}}}`
    assertFailure(await post('workflow/import', document), 40001, ['/document/name'])
  }
  assertFailure(await post('workflow/delete', '{"id":"\\u0000"}'), 40001, ['/id'])
  assertFailure(await server.api.get('workflow?id=%00'), 40001, ['/id'])
  assert.equal((await server.api.get('workflow?id=bad-name')).json.data.exist, false)
})

test('stores NUL, unpaired surrogates and large numbers in a graph verbatim', async () => {
  const text =
    '{"nodes":[{"id":"\\ud800","type":"base","data":{"title":"\\u0000","pair":"\\ud83d\\ude00",' +
    '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"n":[9007199254740993,1e400,-0,1.0]}}],"edges":[]}'
  assert.equal((await post('workflow/update', `{"id":"verbatim","workflow":${text}}`)).status, 200)
  const read = await server.api.get('workflow?id=verbatim')
  assert.ok(read.text.includes(`"config":${text},`), read.text)
  assert.equal(({} as { polluted?: number }).polluted, undefined)
})

test('shows an assistant the large integers of a graph with their digits', async () => {
  const text =
    '{"nodes":[{"id":"input","type":"base","data":{"type":"input","id":687865202956247041}}],"edges":[]}'
  assert.equal((await post('workflow/update', `{"id":"shown","workflow":${text}}`)).status, 200)
  const params = { name: 'get_workflow', arguments: { id: 'shown' } }
  const headers = { accept: 'application/json, text/event-stream' }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const read = await server.api.post('/mcp', message, { headers })
  const shown = read.text.replaceAll('\\"', '"').match(/"id":687865202956247041/g)
  assert.equal(shown?.length, 2, read.text)
})

test('sends a large integer of a graph with its digits, as a text', async () => {
  const { nodes, edges } = chain(node('act', 'action', { content: { id: 'BIG' } }))
  const text = JSON.stringify({ nodes, edges }).replace('"BIG"', '123456789012345678')
  assert.equal((await post('workflow/update', `{"id":"digits","workflow":${text}}`)).status, 200)
  const { data } = (await post('workflow/run', '{"id":"digits","version":"draft"}')).json
  assert.equal(data.outputs.content, '{"id":"123456789012345678"}', JSON.stringify(data))
})

test('refuses numbers that would be stored, searched or sent with other digits', async () => {
  const { id } = (await post('knowledge/create', '{"name":"digits"}')).json.data
  const number = '{"a":{"id":123456789012345678}}'
  for (const [path, body, name] of [
    ['knowledge/create', '"name":"x","metadata":{"id":123456789012345678}', '/metadata/id'],
    [`knowledge/${id}`, '"texts":[{"name":"a","content":"b"}],"metadata":{"id":[1e400]}', '/metadata/id/0'],
    [`knowledge/${id}/search`, '"query":"b","filter":{"id":{"gt":-123456789012345678}}', '/filter/id/gt'],
    [
      `knowledge/${id}/pages/create`,
      `"urls":["http://e.com"],"metadata":{"id":123456789012345678}`,
      '/metadata/id',
    ],
    [
      'model/create',
      `"name":"m","model":"m","base_url":"http://e.com","extra_body":${number}`,
      '/extra_body/a/id',
    ],
    ['workflow/run', `"id":"x","inputs":${number}`, '/inputs/a/id'],
    ['tool/try', `"id":"x","arguments":${number}`, '/arguments/a/id'],
    [
      'tool/create',
      '"name":"t","type":"http","url":"https://e.com","parameters":{"properties":{"a":{"maximum":9223372036854775807,"default":9223372036854775807}}}',
      '/parameters/properties/a/default',
    ],
  ] as const)
    assertFailure(await post(path, `{${body}}`), 40001, [name])
  const call = await post('/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${number}}`)
  assert.equal(call.json.error.data.errors[0].path, '/params/a/id', call.text)
})

test('ignores a byte order mark, which editors on Windows write', async () => {
  assert.equal((await post('workflow/list', '\ufeff{}')).status, 200)
  assertFailure(await post('workflow/list', '\ufeff\ufeff{}'), 40002)
})

test('uses the last value of a duplicate key for both validation and storage', async () => {
  const good = '{"nodes":[],"edges":[]}'
  const refused = await post(
    'workflow/update',
    `{"id":"twice","workflow":${good},"workflow":{"nodes":1,"edges":[]}}`,
  )
  assertFailure(refused, 42201)
  const accepted = await post(
    'workflow/update',
    `{"id":"a b","workflow":1,"id":"twice","work\\u0066low":${good}}`,
  )
  assert.equal(accepted.status, 200, accepted.text)
  const read = await server.api.get('workflow?id=twice')
  assert.ok(read.text.includes(`"config":${good},`), read.text)
  const inside = '{"nodes":[{"id":1,"id":"n","type":"base","data":1,"data":{}}],"edges":1,"edges":[]}'
  assert.equal((await post('workflow/update', `{"id":"twice","workflow":${inside}}`)).status, 200)
  assert.ok((await server.api.get('workflow?id=twice')).text.includes(`"config":${inside},`))
})

test('ignores unknown fields and fields set through __proto__', async () => {
  const hostile =
    ',"workspace_id":"other","created_at":"x","version":99,"__proto__":{"role":"admin"},"operator":true'
  const made = await post(
    'token/create',
    `{"name":"plain","role":"viewer"${hostile.replace('"workspace_id":"other",', '')}}`,
  )
  assert.equal(made.status, 200, made.text)
  assert.equal(made.json.data.role, 'viewer')
  const workflow = await post(
    'workflow/update',
    `{"id":"extra","workflow":{"nodes":[],"edges":[]}${hostile}}`,
  )
  assert.equal(workflow.json.data.version, 1)
  const inherited = await post('token/create', '{"__proto__":{"name":"a","role":"admin"}}')
  assertFailure(inherited, 40001, ['/name', '/role'])
})

test('returns 415 for a content type other than JSON', async () => {
  const types = [
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; odata=verbose; charset=utf-16',
    'application/jsonp',
    'application/json5',
    'text/json, application/json',
    'json',
    '*/*',
  ]
  for (const type of types)
    assertFailure(await server.api.post('workflow/list', '{}', { headers: { 'content-type': type } }), 41501)
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; odata=verbose; charset=utf-8',
    'application/json;',
    'application/ld+json',
  ])
    assert.equal(
      (await server.api.post('workflow/list', '{}', { headers: { 'content-type': type } })).status,
      200,
      type,
    )
})

test('returns 415 for a missing, empty or repeated Content-Type', async () => {
  const headers = [
    ['Host', 'x'],
    ['Authorization', `Bearer ${operatorToken}`],
    ['Content-Length', '2'],
  ] as const
  for (const types of [[], [''], ['application/json', 'text/plain'], ['text/plain', 'application/json']]) {
    const typed = types.map(type => ['Content-Type', type] as const)
    const head = requestHead('POST /api/v1/workflow/list', [...headers, ...typed])
    const answer = await rawRequest(server.base, `${head}{}`)
    assert.equal(answer?.json?.code, 41501, JSON.stringify(types))
  }
})

test('takes an empty body as {} without a Content-Type, also in chunks', async () => {
  const headers = [
    ['Host', 'x'],
    ['Authorization', `Bearer ${operatorToken}`],
  ] as const
  const send = (framing: [string, string][], body: string) =>
    rawRequest(server.base, `${requestHead('POST /api/v1/workflow/list', [...headers, ...framing])}${body}`)
  assert.equal((await send([], ''))?.status, 200)
  assert.equal((await send([['Content-Length', '0']], ''))?.status, 200)
  assert.equal((await send([['Transfer-Encoding', 'chunked']], '0\r\n\r\n'))?.status, 200)
  const typed: [string, string][] = [['Content-Type', 'text/plain']]
  assert.equal((await send([...typed, ['Transfer-Encoding', 'chunked']], '0\r\n\r\n'))?.status, 200)
  const filled = await send([['Transfer-Encoding', 'chunked']], '2\r\n{}\r\n0\r\n\r\n')
  assert.equal(filled?.json?.code, 41501)
  assert.equal(filled.json.message, 'Send the body as application/json, not without a Content-Type')
})

test('rejects compressed bodies, including uploads', async () => {
  for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip']) {
    const headers = { ...json.headers, 'content-encoding': encoding }
    for (const path of ['workflow/list', 'files/upload?name=a'])
      assertFailure(await server.api.post(path, '{}', { headers }), 41501)
  }
})

test('limits the number of errors in a response', async () => {
  const answer = await post('files/delete', `{"file_ids":[${'1,'.repeat(40_000)}1]}`)
  assertFailure(answer, 40001)
  // Collecting the errors of tens of thousands of values would block the event loop.
  assert.equal(answer.json.data.errors.length, 1)
  const shorter = await post('files/delete', `{"file_ids":[${'1,'.repeat(900)}1]}`)
  assertFailure(shorter, 40001)
  assert.equal(shorter.json.data.errors.length, 500)
})

test('rejects out-of-range numbers with the field instead of clamping them', async () => {
  for (const page of ['0', '-1', '1.5', '1000001', '1e400', '"1"', 'true', '[1]', '9007199254740993'])
    assertFailure(await post('workflow/list', `{"page":${page}}`), 40001, ['/page'])
  for (const size of ['0', '101', '1e3', '-0.5'])
    assertFailure(await post('files', `{"page_size":${size}}`), 40001, ['/page_size'])
  assert.equal((await post('workflow/list', '{"page":1000000,"page_size":100}')).status, 200)
  const version = Number.MAX_SAFE_INTEGER
  assertFailure(await server.api.get(`workflow/version?id=a&version=${version}`), 40401)
  for (const bad of ['0', '-1', '1.5', '', 'x', String(version + 2), '1&version=2'])
    assertFailure(await server.api.get(`workflow/version?id=a&version=${bad}`), 40001)
})
