import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawAnswer, RawConnection, rawRequest, requestHead } from '../support/raw-connection.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer

before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

type Header = readonly [string, string]
const host: Header = ['Host', 'x']
const authorization: Header = ['Authorization', `Bearer ${operatorToken}`]
const json: Header = ['Content-Type', 'application/json']

const post = (path: string, headers: readonly Header[], body: string): string =>
  requestHead(`POST /api/v1/${path}`, [host, authorization, ...headers]) + body

const get = (path: string, headers: readonly Header[] = []): string =>
  requestHead(`GET ${path}`, [host, authorization, ...headers])

const send = (bytes: string | Uint8Array): Promise<RawAnswer | undefined> => rawRequest(server.base, bytes)

function assertFailure(answer: RawAnswer | undefined, code: number): asserts answer is RawAnswer {
  assert.ok(answer, 'the connection was closed without a response')
  assert.equal(answer.json?.code, code, answer.body.toString())
  assert.equal(answer.status, Math.floor(code / 100))
  assert.ok(answer.headers['x-traceid'], 'no trace id')
  assert.ok(Array.isArray(answer.json.data.errors))
}

const temporaryFiles = (): Promise<string[]> => readdir(join(server.config.dataDir, 'files', 'tmp'))

async function eventually(holds: () => Promise<boolean>, label: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await holds()) return
    await sleep(20)
  }
  assert.fail(label)
}

test('responds to invalid HTTP with the error envelope and closes the connection', async () => {
  const garbage = [
    'GARBAGE\r\n\r\n',
    '\0\0\0\0',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET / HTTP/1.1\r\nHost x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ]
  for (const bytes of garbage) {
    const connection = await RawConnection.open(server.base)
    await connection.send(Buffer.from(bytes, 'latin1'))
    assertFailure(await connection.answer(), 40005)
    assert.ok(await connection.ends(), JSON.stringify(bytes))
    connection.close()
  }
})

test('requires exactly one Host header', async () => {
  assertFailure(await send(requestHead('GET /healthz', [])), 40005)
  assertFailure(await send(requestHead('GET /healthz', [host, ['Host', 'y']])), 40005)
  assert.equal((await send('GET /healthz HTTP/1.0\r\n\r\n'))?.status, 200)
})

test('rejects conflicting, repeated and invalid body framing headers', async () => {
  const smuggled = `0\r\n\r\n${get('/api/v1/workflow?id=smuggled')}`
  const wrong: readonly Header[][] = [
    [
      ['Content-Length', '6'],
      ['Transfer-Encoding', 'chunked'],
    ],
    [
      ['Transfer-Encoding', 'chunked'],
      ['Content-Length', '6'],
    ],
    [
      ['Content-Length', '2'],
      ['Content-Length', '5'],
    ],
    [['Content-Length', '-2']],
    [['Content-Length', '+2']],
    [['Content-Length', '0x2']],
    [['Content-Length', '2, 2']],
    [['Content-Length', '99999999999999999999999']],
    [['Transfer-Encoding', 'chunked, identity']],
    [['Transfer-Encoding', 'xchunked']],
    [['Transfer-Encoding ', 'chunked']],
  ]
  for (const headers of wrong) {
    const connection = await RawConnection.open(server.base)
    await connection.send(post('workflow/list', [json, ...headers], smuggled))
    assertFailure(await connection.answer(), 40005)
    assert.equal(await connection.answer(), undefined, `a second response for ${JSON.stringify(headers)}`)
    connection.close()
  }
})

test('rejects lines that end in LF alone', async () => {
  assertFailure(await send(`GET /healthz HTTP/1.1\nHost: x\n\n`), 40005)
})

test('rejects malformed chunks and stores nothing', async () => {
  const body = '{"id":"chunked","workflow":{"nodes":[],"edges":[]}}'
  const size = body.length.toString(16)
  for (const chunks of [
    `zz\r\n${body}\r\n0\r\n\r\n`,
    `${size}\r\n${body}XX0\r\n\r\n`,
    `-1\r\n${body}\r\n`,
    `${size};a\0\r\n${body}\r\n0\r\n\r\n`,
  ])
    assertFailure(
      await send(post('workflow/update', [json, ['Transfer-Encoding', 'chunked']], chunks)),
      40005,
    )
  assert.equal((await server.api.get('workflow?id=chunked')).json.data.exist, false)
})

test('stores nothing and leaves no temporary file for a truncated body', async () => {
  const before = (await server.api.post('files', {})).json.data.total
  const part = '--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  const requests = [
    post(
      'workflow/update',
      [json, ['Content-Length', '900']],
      '{"id":"short","workflow":{"nodes":[],"edges":[]}}',
    ),
    post(
      'files/upload?name=a',
      [
        ['Content-Type', 'text/plain'],
        ['Content-Length', '900000'],
      ],
      'x'.repeat(300_000),
    ),
    post(
      'files/upload',
      [
        ['Content-Type', 'multipart/form-data; boundary=B'],
        ['Content-Length', '900000'],
      ],
      part + 'x'.repeat(300_000),
    ),
    post(
      'files/upload',
      [json, ['Content-Length', '900000']],
      `{"name":"a","content_base64":"${'A'.repeat(300_000)}`,
    ),
    post(
      'files/upload?name=a',
      [
        ['Content-Type', 'text/plain'],
        ['Transfer-Encoding', 'chunked'],
      ],
      'ffff\r\nxxx',
    ),
  ]
  for (const abort of ['end', 'close'] as const)
    for (const bytes of requests) {
      const connection = await RawConnection.open(server.base)
      await connection.send(bytes)
      await sleep(50)
      if (abort === 'end') connection.end()
      else connection.socket.resetAndDestroy()
      await connection.ends()
      connection.close()
    }
  await eventually(async () => (await temporaryFiles()).length === 0, 'temporary files were left')
  assert.equal((await server.api.get('workflow?id=short')).json.data.exist, false)
  assert.equal((await server.api.post('files', {})).json.data.total, before)
})

test('handles a request with excess body bytes, then rejects the excess', async () => {
  const connection = await RawConnection.open(server.base)
  const body = '{"id":"longer","workflow":{"nodes":[],"edges":[]}}'
  await connection.send(
    post('workflow/update', [json, ['Content-Length', String(body.length)]], `${body}rest of it\r\n\r\n`),
  )
  const first = await connection.answer()
  assert.equal(first?.json?.data?.message, 'created')
  assertFailure(await connection.answer(), 40005)
  assert.ok(await connection.ends())
  connection.close()
})

test('rejects too many or too large headers with the error envelope', async () => {
  const many = Array.from({ length: 2000 }, (_, at): Header => [`X-Header-${at}`, 'value'])
  assertFailure(await send(get('/healthz', many)), 43101)
  assertFailure(await send(get('/healthz', [['Cookie', 'x'.repeat(100_000)]])), 43101)
  assertFailure(await send(get(`/healthz?${'x'.repeat(100_000)}`)), 43101)
})

test('sends no body with the rejection of a HEAD request', async () => {
  const connection = await RawConnection.open(server.base)
  await connection.send(requestHead(`HEAD /healthz?${'x'.repeat(40_000)}`, [host]))
  assert.equal((await connection.answer({ toHead: true }))?.status, 431)
  await connection.ends()
  assert.equal(connection.rest, '')
  connection.close()
})

test('reads every header among many', async () => {
  const fill = Array.from({ length: 900 }, (): Header => ['a', 'b'])
  const answer = await send(requestHead('GET /api/v1/workflow?id=a', [host, ...fill, authorization]))
  assert.equal(answer?.status, 200)
})

test('returns 405 with the allowed methods for any body', async () => {
  const wrong: [string, string, string][] = [
    ['DELETE', '/api/v1/workflow', 'GET, HEAD'],
    ['POST', '/api/v1/workflow', 'GET, HEAD'],
    ['GET', '/api/v1/workflow/update', 'POST'],
    // `upload` also matches the route of a file id.
    ['PUT', '/api/v1/files/upload', 'POST, GET, HEAD'],
    ['PATCH', '/api/v1/files/file_x', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/files', 'POST'],
    ['PROPFIND', '/api/v1/token/list', 'POST'],
    ['QUERY', '/api/v1/workflow/list', 'POST'],
    ['TRACE', '/healthz', 'GET, HEAD'],
  ]
  const bodies: readonly [readonly Header[], string][] = [
    [[], ''],
    [
      [
        ['Content-Type', 'text/plain'],
        ['Content-Length', '3'],
      ],
      'abc',
    ],
    [
      [
        ['Content-Type', ';'],
        ['Content-Length', '3'],
      ],
      'abc',
    ],
    [[json, ['Content-Length', '3']], '{{{'],
  ]
  for (const [method, path, allowed] of wrong)
    for (const [headers, body] of bodies) {
      const answer = await send(requestHead(`${method} ${path}`, [host, authorization, ...headers]) + body)
      assertFailure(answer, 40501)
      assert.equal(answer.headers['allow'], allowed)
    }
})

test('matches paths exactly', async () => {
  const paths = [
    '/api/v1/Workflow?id=a',
    '/API/V1/workflow?id=a',
    '/api/v1//workflow?id=a',
    '//api/v1/workflow?id=a',
    '/api/v1/./workflow?id=a',
    '/api/v1/x/../workflow?id=a',
    '/api/v1/workflow/?id=a',
    '/api/v1/workflow;x?id=a',
    '/api/v1%2fworkflow?id=a',
    '/api/v1/files/',
    '/api/v1/files/a/b',
    '/api/v1',
    '/api/v2/workflow?id=a',
    '/%',
    '/api/v1/files/%ff',
    '/api/v1/files/%zz',
    `/api/v1/files/${'a'.repeat(5000)}`,
    '/api/v1/files/..%2f..%2fetc%2fpasswd',
    '/api/v1/files/__proto__',
  ]
  for (const path of paths) assertFailure(await send(get(path)), 40401)
})

test('responds to HEAD as to GET, without a body', async () => {
  const bytes = requestHead('HEAD /api/v1/workflow?id=a', [host, authorization])
  const answer = await rawRequest(server.base, bytes, { toHead: true })
  assert.equal(answer?.status, 200)
})

test('sends 100 Continue before the body and ignores other expectations', async () => {
  const connection = await RawConnection.open(server.base)
  await connection.send(
    post('workflow/list', [json, ['Content-Length', '2'], ['Expect', '100-continue']], ''),
  )
  assert.equal((await connection.answer())?.status, 100)
  await connection.send('{}')
  assert.equal((await connection.answer())?.status, 200)
  await connection.send(post('workflow/list', [json, ['Content-Length', '2'], ['Expect', 'wonders']], '{}'))
  assert.equal((await connection.answer())?.status, 200)
  connection.close()
})

test('responds to 100 pipelined requests in order', async () => {
  const connection = await RawConnection.open(server.base)
  const body = '{"page":1}'
  const requests = Array.from({ length: 100 }, (_, at) => {
    const trace: Header = ['X-TraceId', `t${at}`]
    return at % 2 === 0
      ? post('workflow/list', [trace, json, ['Content-Length', String(body.length)]], body)
      : get(`/api/v1/workflow?id=${at}`, [trace])
  })
  await connection.send(requests.join(''))
  for (let at = 0; at < 100; at++) {
    const answer = await connection.answer()
    assert.equal(answer?.headers['x-traceid'], `t${at}`)
    assert.equal(answer.status, 200)
  }
  connection.close()
})

test('responds to earlier pipelined requests before rejecting a malformed one', async () => {
  const connection = await RawConnection.open(server.base)
  const asked = Array.from({ length: 5 }, (_, at) => get('/api/v1/workflow?id=a', [['X-TraceId', `t${at}`]]))
  await connection.send(`${asked.join('')}NONSENSE\r\n\r\n`)
  for (let at = 0; at < 5; at++) assert.equal((await connection.answer())?.headers['x-traceid'], `t${at}`)
  assertFailure(await connection.answer(), 40005)
  assert.ok(await connection.ends())
  connection.close()
})

test('echoes a valid trace id and generates one otherwise', async () => {
  const echoed = async (value: string): Promise<string | undefined> =>
    (await send(get('/healthz', [['X-TraceId', value]])))?.headers['x-traceid']
  for (const good of ['a', 'x'.repeat(128), '!~"<>']) assert.equal(await echoed(good), good)
  for (const bad of ['', 'x'.repeat(129), 'a b', '\u00e9']) {
    const given = await echoed(bad)
    assert.ok(given && given !== bad && /^[\x21-\x7e]{1,128}$/.test(given), `${bad}: ${given}`)
  }
  const twice = await send(
    get('/healthz', [
      ['X-TraceId', 'a'],
      ['X-TraceId', 'b'],
    ]),
  )
  assert.match(twice?.headers['x-traceid'] ?? '', /^[0-9a-f]{32}$/)
})

test('ignores the case of the auth scheme and compares raw bodies for an Idempotency-Key', async () => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'spelling' }
  const body = (number: string): string => `{"workflow":{"nodes":[],"edges":[],"n":${number}}}`
  const first = await server.api.post('workflow/create', body('9007199254740993'), { headers })
  assert.equal(first.status, 200, first.text)
  const again = await server.api.post('workflow/create', body('9007199254740993'), {
    headers: { ...headers, authorization: `BEARER ${operatorToken}` },
  })
  assert.equal(again.text, first.text)
  const other = await server.api.post('workflow/create', body('9007199254740992'), { headers })
  assert.equal(other.json.code, 40901)
})
