import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import test from 'node:test'
import { httpRequest } from '../../src/nodes/http-request.ts'
import { idempotencyHeader } from '../../src/nodes/request-headers.ts'
import type { HttpAnswer, HttpRequest, StreamedBody } from '../../src/tools/http-client.ts'
import { ToolFailure } from '../../src/tools/tool-failure.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

const values = {
  'a.text': 'x & "y"',
  'a.list': [1, 'b'],
  'a.object': { deep: true },
  'a.line': 'a\r\nEvil: 1',
}

/** What was sent, and what came out of it. */
async function send(data: Record<string, unknown>, answer: Partial<HttpAnswer> = {}) {
  let sent: HttpRequest | undefined
  const request = async (given: HttpRequest): Promise<HttpAnswer> => {
    sent = given
    return { status: 200, headers: {}, text: '', ...answer }
  }
  const outputs = await outputsOf(
    httpRequest,
    fakeStep({ values }),
    { url: 'https://api.example/x', ...data },
    { http: { request } },
  )
  assert.ok(sent)
  return { sent, outputs }
}

test('a request with only a URL is a plain GET', async () => {
  const { sent } = await send({})
  const { method, url, headers, body, timeoutMilliseconds } = sent
  assert.deepEqual(
    { method, url, headers, body, timeoutMilliseconds },
    {
      method: 'GET',
      url: 'https://api.example/x',
      headers: {},
      body: undefined,
      timeoutMilliseconds: 30_000,
    },
  )
})

test('query parameters are appended, encoded, and the author’s own part stays as it is', async () => {
  const query = { q: '{{#a.text#}}', list: '{{#a.list#}}', none: '{{#skipped.x#}}', empty: '', n: 5 }
  const { sent } = await send({ url: 'https://api.example/x?own=a%20b#top', query })
  assert.equal(sent.url, 'https://api.example/x?own=a%20b&q=x+%26+%22y%22&list=1&list=b&empty=&n=5#top')
})

test('a URL of another protocol is rejected without showing its secrets', async () => {
  for (const url of ['', 'api.example', 'file:///etc/passwd', 'javascript:1', '{{#skipped.url#}}'])
    await assert.rejects(send({ url }), { reason: 'step_failed', message: /"url".*https:/ })
  for (const url of ['api.example?key=secret', 'https://me:secret@api example/', 'ftp://me:secret@host'])
    await assert.rejects(send({ url }), ({ message }) => !message.includes('secret'), url)
})

test('an unsafe method carries the idempotency key of the step, unless the author set one', async () => {
  for (const method of ['POST', 'put', 'PATCH', 'DELETE'])
    assert.equal((await send({ method })).sent.headers['Idempotency-Key'], 'run_1.node', method)
  for (const method of ['GET', 'head'])
    assert.equal((await send({ method })).sent.headers['Idempotency-Key'], undefined, method)
  const { sent } = await send({ method: 'POST', headers: { 'idempotency-key': 'mine' } })
  assert.deepEqual(sent.headers, { 'idempotency-key': 'mine' })
})

test('objects are sent as JSON with their types', async () => {
  const body = { text: '{{#a.text#}}', list: '{{#a.list#}}', n: 1 }
  const { sent } = await send({ method: 'POST', body })
  assert.deepEqual(JSON.parse(sent.body as string), { text: 'x & "y"', list: [1, 'b'], n: 1 })
  assert.equal(sent.headers['Content-Type'], 'application/json')
  assert.equal((await send({ method: 'POST', body: '{{#a.object#}}' })).sent.body, '{"deep":true}')
})

test('text is sent as it is, and as JSON if it is JSON', async () => {
  const plain = await send({ method: 'POST', body: 'say {{#a.text#}}' })
  assert.equal(plain.sent.body, 'say x & "y"')
  assert.equal(plain.sent.headers['Content-Type'], 'text/plain; charset=utf-8')
  const json = await send({ method: 'POST', body: ' {"q": "{{#a.text#}}", "list": {{#a.list#}}}' })
  assert.deepEqual(JSON.parse(json.sent.body as string), { q: 'x & "y"', list: [1, 'b'] })
  assert.equal(json.sent.headers['Content-Type'], 'application/json')
  const form = await send({
    method: 'POST',
    body: '{{#a.text#}}',
    headers: { 'content-type': 'text/markdown' },
  })
  assert.equal(form.sent.body, 'x & "y"')
  assert.equal(form.sent.headers['content-type'], 'text/markdown')
  assert.equal(form.sent.headers['Content-Type'], undefined)
})

test('an empty value sends no body', async () => {
  for (const body of [null, '', '{{#skipped.text#}}']) {
    const { sent } = await send({ method: 'POST', body })
    assert.equal(sent.body, undefined)
    assert.equal(sent.headers['Content-Type'], undefined)
  }
})

test('invalid headers are rejected without showing their values', async () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ 'X-A': '{{#a.line#}}' }, /"X-A" has a line break/],
    [{ 'X-A': 'a\u0000secret' }, /"X-A" has a character/],
    [{ 'X-A': '密secret' }, /"X-A" has a character/],
    [{ 'X-A\r\nEvil': '1' }, /not a valid header name/],
    [{ 'X A': '1' }, /not a valid header name/],
    [{ '': '1' }, /not a valid header name/],
  ]
  for (const [headers, message] of refused)
    await assert.rejects(send({ headers }), error => {
      assert.ok(error instanceof Error)
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /secret/)
      return true
    })
})

test('the result is parsed if the content type is JSON and the text is valid', async () => {
  const types: [string, unknown][] = [
    ['application/json', { a: 1 }],
    ['application/problem+json; charset=utf-8', { a: 1 }],
    ['Application/JSON', { a: 1 }],
    ['text/html', '{"a":1}'],
    ['application/json-seq', '{"a":1}'],
  ]
  for (const [type, result] of types) {
    const { outputs } = await send({}, { text: '{"a":1}', headers: { 'content-type': type } })
    assert.deepEqual(outputs['result'], result, type)
    assert.equal(outputs['text'], '{"a":1}')
  }
  const large = { text: '{"id":123456789012345678,"n":1.5}', headers: { 'content-type': 'application/json' } }
  assert.deepEqual((await send({}, large)).outputs['result'], { id: '123456789012345678', n: 1.5 })
  const broken = await send({}, { text: '{', headers: { 'content-type': 'application/json' } })
  assert.equal(broken.outputs['result'], '{')
})

test('any status is a result; 429 and 5xx fail only if retries are set', async () => {
  for (const status of [200, 301, 404, 429, 503])
    assert.equal((await send({}, { status })).outputs['status'], status)
  assert.equal((await send({ retry: { times: 0 } }, { status: 503 })).outputs['status'], 503)
  const retry = { times: 2 }
  assert.equal((await send({ retry }, { status: 404 })).outputs['status'], 404)
  await assert.rejects(send({ retry }, { status: 429, headers: { 'retry-after': '3' } }), {
    reason: 'step_failed',
    retryable: true,
    retryAfterMilliseconds: 3000,
  })
  await assert.rejects(send({ retry }, { status: 500 }), {
    retryable: true,
    retryAfterMilliseconds: undefined,
  })
})

test('a request that could not be sent fails the step', async () => {
  const request = async (): Promise<HttpAnswer> => {
    throw new ToolFailure('The address is private.', { retryable: false })
  }
  const run = outputsOf(httpRequest, fakeStep(), { url: 'http://10.0.0.1' }, { http: { request } })
  await assert.rejects(run, {
    name: 'StepFailure',
    reason: 'step_failed',
    message: 'The address is private.',
  })
})

test('an unknown method and a body that cannot be sent are gaps', () => {
  const places = (data: Record<string, unknown>) => httpRequest.gaps!(data).map(({ place }) => place)
  assert.deepEqual(places({ method: 'BREW' }), [['method']])
  assert.deepEqual(places({ method: 'get', body: { a: 1 } }), [['body']])
  assert.deepEqual(places({ body: '' }), [])
  assert.deepEqual(places({ method: 'POST', body: { a: 1 } }), [])
})

test('a form is a streamed body whose size is known, and files are read when it is sent', async () => {
  const read: string[] = []
  const file = { file_id: 'file_1', name: 'a "b".txt', mime_type: 'text/plain', size: 7 }
  let sent: HttpRequest | undefined
  await outputsOf(
    httpRequest,
    fakeStep({ values }),
    {
      url: 'https://api.example/x',
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data' },
      form: [
        { name: 'note', value: '{{#a.text#}}' },
        { name: 'up', file },
      ],
    },
    {
      http: {
        request: async given => {
          sent = given
          return { status: 200, headers: {}, text: '' }
        },
      },
      findFiles: async (_, ids) => (ids[0] === 'file_1' ? [file] : []),
      async *fileContent(workspaceId, id) {
        read.push(`${workspaceId} ${id}`)
        yield Buffer.from('content')
      },
    },
  )
  assert.deepEqual(read, [])
  const body = sent!.body as StreamedBody
  const text = String(await buffer(body.read()))
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(sent!.headers['Content-Type']!)![1]!
  assert.equal(sent!.headers['content-type'], undefined)
  assert.equal(body.size, Buffer.byteLength(text))
  assert.deepEqual(text.split(`--${boundary}`), [
    '',
    '\r\nContent-Disposition: form-data; name="note"\r\n\r\nx & "y"\r\n',
    '\r\nContent-Disposition: form-data; name="up"; filename="a %22b%22.txt"\r\nContent-Type: text/plain\r\n\r\ncontent\r\n',
    '--\r\n',
  ])
  assert.deepEqual(read, ['ws_1 file_1'])
})

test('an idempotency key that is no valid header value is sent as its hash', () => {
  assert.equal(idempotencyHeader('run_1:node'), 'run_1:node')
  for (const key of ['run_1:节点', 'run_1:a b', 'run_1:a\r\nEvil: 1', 'x'.repeat(256)]) {
    assert.match(idempotencyHeader(key), /^[0-9a-f]{64}$/)
    assert.equal(idempotencyHeader(key), idempotencyHeader(key))
  }
  assert.notEqual(idempotencyHeader('run_1:节点'), idempotencyHeader('run_1:节'))
})
