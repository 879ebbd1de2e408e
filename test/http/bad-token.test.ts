import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FuzzOperation, readInterface } from '../support/fuzz/interface.ts'
import { type RawAnswer, rawRequest, requestHead } from '../support/raw-connection.ts'
import { pairs } from '../support/rounds.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let operations: FuzzOperation[]
let secretFile: string

before(async () => {
  server = await startTestServer()
  operations = (await readInterface(server.base)).operations
  await server.api.post('workflow/update', { id: 'secret', workflow: { nodes: [], edges: [] } })
  secretFile = (await server.api.upload('secret.txt', 'secret')).json.data.file_id
})
after(() => server.stop())

/** Every route that needs no token must be listed here. */
const anonymous = [
  'GET /',
  'GET /chat/{agent_id}',
  'GET /embed.js',
  'GET /assets/{name}',
  'GET /docs',
  'GET /openapi.json',
  'GET /healthz',
  'GET /readyz',
  'POST /hooks/{id}',
]

type Header = readonly [string, string]

/** A request that would succeed if authentication let it through. */
function requestTo(operation: FuzzOperation, path: string, headers: readonly Header[]): string {
  const body = operation.method === 'POST' ? JSON.stringify(operation.example ?? {}) : ''
  const framing: Header[] =
    operation.method === 'POST'
      ? [
          ['Content-Type', 'application/json'],
          ['Content-Length', String(Buffer.byteLength(body))],
        ]
      : []
  return requestHead(`${operation.method} ${path}`, [['Host', 'x'], ...headers, ...framing]) + body
}

const pathOf = (operation: FuzzOperation): string => {
  const path = operation.path.replace('{file_id}', secretFile).replace(/\{\w+\}/g, 'x')
  const query = operation.fields.filter(field => field.in === 'query' && field.required)
  return query.length > 0
    ? `${path}?${query.map(({ name }) => `${name}=${name === 'id' ? 'secret' : '1'}`).join('&')}`
    : path
}

const closed = (): FuzzOperation[] =>
  operations.filter(({ method, path }) => !anonymous.includes(`${method} ${path}`))

function assertUnauthorized(answer: RawAnswer | undefined, code: number, label: string): void {
  const shown = `${label}: ${answer?.status} ${answer?.body.toString().slice(0, 300)}`
  const { error, jsonrpc } = answer?.json ?? {}
  // The OpenAI-compatible API has the errors of OpenAI, MCP those of JSON-RPC.
  if (jsonrpc) assert.equal(error.data.code, code, shown)
  else if (error) assert.equal(error.code, 'invalid_api_key', shown)
  else assert.equal(answer?.json?.code, code, shown)
  assert.equal(answer?.status, 401)
  assert.equal(answer.headers['www-authenticate'], 'Bearer')
}

/** Without a token, an agent that is not public does not exist for these. */
const forVisitors = ['agent.profile', 'agent.visitor']

function assertClosed({ name }: FuzzOperation, answer: RawAnswer | undefined, label: string): void {
  if (forVisitors.includes(name)) assert.deepEqual([answer?.status, answer?.json?.code], [404, 40401], label)
  else assertUnauthorized(answer, 40101, label)
}

const read = (headers: readonly Header[]): Promise<RawAnswer | undefined> =>
  rawRequest(server.base, requestHead('GET /api/v1/workflow?id=secret', [['Host', 'x'], ...headers]))

test('returns 401 for a missing, empty, malformed or unknown token', async () => {
  assertUnauthorized(await read([]), 40101, 'none')
  const wrong = [
    '',
    'Bearer',
    'Bearer ',
    'Bearer  ',
    `Bearer  ${operatorToken}`,
    `Bearer ${operatorToken}x`,
    `Bearer ${operatorToken} x`,
    `Bearer ${operatorToken.slice(0, -1)}`,
    `Bearer ${operatorToken.toUpperCase()}`,
    `Bearer "${operatorToken}"`,
    `Bearer\t${operatorToken}`,
    `Basic ${Buffer.from(`x:${operatorToken}`).toString('base64')}`,
    `Token ${operatorToken}`,
    `Bearer ${'x'.repeat(600)}`,
    'Bearer \u00e9',
    "Bearer ' OR 1=1 --",
    operatorToken,
  ]
  for (const value of wrong) assertUnauthorized(await read([['Authorization', value]]), 40102, value)
})

test('rejects two Authorization headers, whichever of them is valid', async () => {
  const good: Header = ['Authorization', `Bearer ${operatorToken}`]
  const bad: Header = ['Authorization', 'Bearer wrong']
  for (const pair of [
    [good, bad],
    [bad, good],
    [good, good],
  ])
    assertUnauthorized(await read(pair), 40102, JSON.stringify(pair))
})

test('rejects a 1 MB token as oversized headers', async () => {
  const answer = await read([['Authorization', `Bearer ${'x'.repeat(1 << 20)}`]])
  assert.equal(answer?.json?.code, 43101)
})

test('accepts the scheme in any letter case', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    assert.equal((await read([['Authorization', `${scheme} ${operatorToken}`]]))?.status, 200)
})

test('ignores a token outside the Authorization header', async () => {
  for (const name of ['token', 'access_token', 'authorization', 'Authorization', 'key']) {
    const path = `/api/v1/workflow?id=secret&${name}=${operatorToken}`
    assertUnauthorized(
      await rawRequest(server.base, requestHead(`GET ${path}`, [['Host', 'x']])),
      40101,
      name,
    )
  }
  const others: Header[] = [
    ['X-Token', operatorToken],
    ['X-Api-Key', operatorToken],
    ['Cookie', `token=${operatorToken}`],
    ['Proxy-Authorization', `Bearer ${operatorToken}`],
  ]
  for (const header of others) assertUnauthorized(await read([header]), 40101, header[0])
})

test('serves exactly the listed routes without a token', async () => {
  const open: string[] = []
  for (const operation of operations) {
    const answer = await rawRequest(server.base, requestTo(operation, pathOf(operation), []))
    const name = `${operation.method} ${operation.path}`
    // A missing file of the console, a page of an unknown agent, and an unknown webhook return 404 without a token.
    if (answer?.status === 200 || operation.access === 'anyone') open.push(name)
    else assertClosed(operation, answer, name)
  }
  assert.deepEqual(open.sort(), [...anonymous].sort())
})

test('publishes the same anonymous routes in the OpenAPI document', () => {
  const published = operations.filter(({ access }) => access === 'anyone')
  assert.deepEqual(published.map(({ method, path }) => `${method} ${path}`).sort(), [...anonymous].sort())
})

test('requires a token for every alternative spelling of a path', async () => {
  const spellings: ((path: string) => string)[] = [
    path => path.toUpperCase(),
    path => `/${path}`,
    path => path.replace(/\/(?=[^/]*$)/, '//'),
    path => path.replace(/\/(?=[^/]*$)/, '/./'),
    path => path.replace(/\/(?=[^/]*$)/, '/x/../'),
    path => path.replace(/\/(?=[^/]*$)/, '%2f'),
    path => path.replace(/\/(?=[^/]*$)/, '/%2e/'),
    path => `${path}/`,
    path => `${path};x`,
    path => `${path}%00`,
    path => `${path}.json`,
    path => path.replace(/[a-z]/, letter => `%${letter.charCodeAt(0).toString(16)}`),
    path => `http://x${path}`,
    path => `/healthz/..${path}`,
  ]
  for (const [operation, spell] of pairs(closed(), spellings)) {
    const [path = '', query] = pathOf(operation).split('?')
    const spelt = query === undefined ? spell(path) : `${spell(path)}?${query}`
    const answer = await rawRequest(server.base, requestTo(operation, spelt, []))
    assert.ok(answer && answer.status >= 400 && answer.status < 500, `${spelt}: ${answer?.status}`)
  }
})

test('ignores headers that claim an internal origin or another identity', async () => {
  const headers: Header[] = [
    ['X-Request-From', 'internal'],
    ['X-Internal', 'true'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Real-IP', '127.0.0.1'],
    ['Forwarded', 'for=127.0.0.1'],
    ['X-Original-URL', '/healthz'],
    ['X-Rewrite-URL', '/healthz'],
    ['X-HTTP-Method-Override', 'GET'],
    ['X-User-Id', 'operator'],
    ['X-Tenant-Id', 'default'],
    ['X-Workspace-Id', 'default'],
  ]
  for (const [operation, sent] of pairs(closed(), [headers, ...headers.map(header => [header])])) {
    const answer = await rawRequest(server.base, requestTo(operation, pathOf(operation), sent))
    assertClosed(operation, answer, `${operation.name} with ${JSON.stringify(sent)}`)
  }
})

test('returns 401, not 404, for unknown API paths without a token', async () => {
  for (const path of ['/api/v1/nothing', '/api/v1/workflow/x', '/api/v1/', '/v1/nothing', '/v1/'])
    assertUnauthorized(
      await rawRequest(server.base, requestHead(`GET ${path}`, [['Host', 'x']])),
      40101,
      path,
    )
})

test('leaves stored data unchanged after the rejected requests', async () => {
  assert.equal((await server.api.get('workflow?id=secret')).json.data.workflow.version, 1)
  assert.equal((await server.api.post('workflow/list', {})).json.data.total, 1)
  assert.equal((await server.api.post('files', {})).json.data.total, 1)
  assert.equal((await server.api.post('token/list', {})).json.data.total, 1)
  assert.equal((await server.api.post('workspace/list', {})).json.data.total, 1)
})
