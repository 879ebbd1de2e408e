import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import type { FileService } from '../../src/files/file-service.ts'
import { type ReceivedFile, receiveFile } from '../../src/http/upload.ts'
import { fieldPart, filePart } from '../support/fuzz/multipart.ts'
import { type RawAnswer, rawRequest, requestHead } from '../support/raw-connection.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let filesBefore: number

const countFiles = async (): Promise<number> => (await server.api.post('files', {})).json.data.total

before(async () => {
  server = await startTestServer()
  await server.api.upload('kept.txt', 'kept')
  filesBefore = await countFiles()
})
after(() => server.stop())

const end = Buffer.from('--B--\r\n')
const disposition = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
const bytes = (...pieces: (string | Buffer)[]): Buffer =>
  Buffer.concat(pieces.map(piece => (typeof piece === 'string' ? Buffer.from(piece) : piece)))

function upload(
  body: Buffer,
  contentType = 'multipart/form-data; boundary=B',
  framing: 'length' | 'chunks' = 'length',
): Promise<RawAnswer | undefined> {
  const length: [string, string] =
    framing === 'length' ? ['Content-Length', String(body.length)] : ['Transfer-Encoding', 'chunked']
  const head = requestHead('POST /api/v1/files/upload', [
    ['Host', 'x'],
    ['Authorization', `Bearer ${operatorToken}`],
    ['Content-Type', contentType],
    length,
  ])
  const sent = framing === 'length' ? body : bytes(`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n')
  return rawRequest(server.base, bytes(head, sent))
}

/** A rejected upload must leave no record, no content and no temporary file. */
async function assertNothingStored(): Promise<void> {
  assert.equal(await countFiles(), filesBefore)
  const folder = join(server.config.dataDir, 'files')
  assert.deepEqual(await readdir(join(folder, 'tmp')), [])
  const entries = await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true })
  assert.equal(entries.filter(entry => entry.isFile()).length, 1)
}

async function assertRefused(answer: RawAnswer | undefined, code = 40004, path = '/file'): Promise<void> {
  assert.ok(answer, 'the connection was closed without a response')
  assert.equal(answer.json?.code, code, answer.body.toString())
  assert.equal(answer.status, Math.floor(code / 100))
  assert.ok(answer.headers['x-traceid'])
  assert.equal(answer.json.data.errors[0]?.path, path)
  await assertNothingStored()
}

const good = bytes(filePart('file', 'a.txt', 'hello'), end)

const broken: Record<string, Buffer> = {
  'an empty body': bytes(),
  'no boundary line at all': bytes('just some text'),
  'only the closing line': end,
  'a missing closing boundary after the part': filePart('file', 'a.txt', 'hello'),
  'a body cut off within the part': filePart('file', 'a.txt', 'hello').subarray(0, -4),
  'a body cut off within a large part': filePart('file', 'a.txt', 'x'.repeat(1 << 20)).subarray(0, -4),
  'a body cut off within the part headers': bytes(`--B\r\n${disposition}`),
  'a body cut off after the boundary': bytes('--B'),
  'a header without a colon': bytes('--B\r\nno colon\r\n', `${disposition}\r\n\r\nhello\r\n`, end),
  'a part without headers': bytes('--B\r\n\r\nhello\r\n', end),
  'a part without a disposition': bytes('--B\r\nContent-Type: text/plain\r\n\r\nhello\r\n', end),
  'a large part without a disposition': bytes('--B\r\nX: y\r\n\r\n', 'x'.repeat(1 << 20), '\r\n', end),
  'a large part without a disposition before the file': bytes(
    '--B\r\nX: y\r\n\r\n',
    'x'.repeat(1 << 20),
    '\r\n',
  ),
  'a disposition of another kind': bytes(
    '--B\r\nContent-Disposition: attachment; filename="a"\r\n\r\nx\r\n',
    end,
  ),
  'an empty field name': bytes(filePart('', 'a.txt', 'hello'), end),
  'the file under another field name': bytes(filePart('upload', 'a.txt', 'hello'), end),
  'a large file under another field name': bytes(filePart('upload', 'a.txt', 'x'.repeat(1 << 20)), end),
  'two files': bytes(filePart('file', 'a', 'one'), filePart('file', 'b', 'two'), end),
  'two large files': bytes(
    filePart('file', 'a', 'x'.repeat(1 << 20)),
    filePart('file', 'b', 'y'.repeat(1 << 20)),
    end,
  ),
  'a file followed by one under another field name': bytes(
    filePart('file', 'a', 'one'),
    filePart('other', 'b', 'two'),
    end,
  ),
  'no file': bytes(fieldPart('a', 'b'), end),
  'a field named file': bytes(fieldPart('file', 'hello'), end),
  'a nested form': bytes(
    '--B\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=C\r\n\r\n',
    '--C\r\nContent-Disposition: file; filename="a"\r\n\r\nhello\r\n--C--\r\n',
    end,
  ),
  'a nested form with the same boundary': bytes(
    '--B\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n',
    filePart('file', 'a', 'hello'),
    '\r\n',
    end,
  ),
  '10,000 fields': bytes(...Array.from({ length: 10_000 }, () => fieldPart('x', 'y')), good),
  '10,000 parts without headers': bytes('--B\r\n\r\nx\r\n'.repeat(10_000), good),
  '10,000 files': bytes(...Array.from({ length: 10_000 }, () => filePart('file', 'a', 'x')), end),
  'part headers that are too large': bytes(
    `--B\r\nX: ${'y'.repeat(100_000)}\r\n${disposition}\r\n\r\nhello\r\n`,
    end,
  ),
  'part headers without an end': bytes(`--B\r\n${'X: y\r\n'.repeat(100_000)}`),
  'too many part headers': bytes(`--B\r\n${'X: y\r\n'.repeat(1000)}${disposition}\r\n\r\nhello\r\n`, end),
  'line endings of LF alone': bytes(good.toString().replaceAll('\r\n', '\n')),
}

for (const [label, body] of Object.entries(broken))
  test(`rejects a multipart body: ${label}`, async () => {
    await assertRefused(await upload(body))
    await assertRefused(await upload(body, undefined, 'chunks'))
  })

const badNames: Record<string, Buffer> = {
  'that is empty': Buffer.from(''),
  'in bad UTF-8': Buffer.from([0x61, 0xff, 0xfe]),
  'with a NUL': Buffer.from('a\0b'),
  'with a control character': Buffer.from('a\tb\u0007'),
  'of 300 characters': Buffer.from('a'.repeat(300)),
  'of blanks': Buffer.from('   '),
}

for (const [label, name] of Object.entries(badNames))
  test(`rejects a file name ${label}`, async () => {
    const part = bytes(
      '--B\r\nContent-Disposition: form-data; name="file"; filename="',
      name,
      '"\r\n\r\nhello\r\n',
    )
    await assertRefused(await upload(bytes(part, end)), 40001)
  })

const badTypes: Record<string, string> = {
  'no boundary': 'multipart/form-data',
  'an empty boundary': 'multipart/form-data; boundary=',
  'another boundary': 'multipart/form-data; boundary=C',
  'a boundary of 300 characters': `multipart/form-data; boundary=${'B'.repeat(300)}`,
  'a boundary of 10,000 characters': `multipart/form-data; boundary=${'B'.repeat(10_000)}`,
  'another kind of multipart': 'multipart/mixed; boundary=B',
}

for (const [label, type] of Object.entries(badTypes))
  test(`rejects a multipart content type with ${label}`, async () => {
    await assertRefused(await upload(good, type))
  })

test('rejects a 1 MB boundary as oversized headers', async () => {
  const answer = await upload(good, `multipart/form-data; boundary=${'B'.repeat(1 << 20)}`)
  assert.equal(answer?.json?.code, 43101)
  await assertNothingStored()
})

test('rejects a malformed body the same in many small chunks as in one', async () => {
  for (const body of [filePart('file', 'a.txt', 'hello'), good.subarray(0, -10), broken['two files']!]) {
    const pieces = Array.from(body, byte => bytes('1\r\n', Buffer.from([byte]), '\r\n'))
    const head = requestHead('POST /api/v1/files/upload', [
      ['Host', 'x'],
      ['Authorization', `Bearer ${operatorToken}`],
      ['Content-Type', 'multipart/form-data; boundary=B'],
      ['Transfer-Encoding', 'chunked'],
    ])
    await assertRefused(await rawRequest(server.base, bytes(head, ...pieces, '0\r\n\r\n')))
  }
})

test('rejects a JSON upload whose content is not base64', async () => {
  const headers = { 'content-type': 'application/json' }
  for (const content of ['a', '*', 'YQ', 'YQ==\n', 'YQ===', '=', 'Y Q=', '\u00e9\u00e9\u00e9\u00e9']) {
    const body = JSON.stringify({ name: 'a', content_base64: content })
    const answer = await server.api.post('files/upload', body, { headers })
    assert.equal(answer.json.code, 40001, `${content}: ${answer.text}`)
    assert.equal(answer.json.data.errors[0].path, '/content_base64')
  }
  await assertNothingStored()
})

test('requires a valid file name for a raw upload', async () => {
  const headers = { 'content-type': 'application/octet-stream' }
  const attempts: [string, Record<string, string>][] = [
    ['files/upload', {}],
    ['files/upload?name=', {}],
    ['files/upload?name=a&name=b', {}],
    ['files/upload?name=%00', {}],
    [`files/upload?name=${'a'.repeat(256)}`, {}],
    ['files/upload', { 'content-disposition': 'attachment' }],
    ['files/upload', { 'content-disposition': 'attachment; filename="' }],
    ['files/upload', { 'content-disposition': "attachment; filename*=UTF-8''%ff" }],
  ]
  for (const [path, more] of attempts) {
    const answer = await server.api.post(path, 'hello', { headers: { ...headers, ...more } })
    assert.equal(answer.json.code, 40001, `${path}: ${answer.text}`)
    assert.equal(answer.json.data.errors[0].path, '/name')
  }
  await assertNothingStored()
})

test('returns 413 for a file over the limit in every upload format', async t => {
  const small = await startTestServer({ MAX_FILE_BYTES: '200' })
  t.after(() => small.stop())
  const headers = { authorization: `Bearer ${operatorToken}` }
  const content = 'x'.repeat(2 << 20)
  const stream = (): ReadableStream => new Blob([content]).stream()
  const form = new FormData()
  form.append('file', new Blob([content]), 'a')
  const slightlyLarge = new FormData()
  slightlyLarge.append('file', new Blob(['x'.repeat(201)]), 'a')
  const json = JSON.stringify({ name: 'a', content_base64: Buffer.alloc(201).toString('base64') })
  const bodies: [string, unknown, Record<string, string>][] = [
    ['a length', content, { 'content-type': 'text/plain' }],
    ['chunks', stream(), { 'content-type': 'text/plain' }],
    ['a form', form, {}],
    ['a form that is slightly too large', slightlyLarge, {}],
    ['JSON', json, { 'content-type': 'application/json' }],
  ]
  for (const [label, body, more] of bodies) {
    const answer = await fetch(`${small.base}/api/v1/files/upload?name=a`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body,
      duplex: 'half',
    } as RequestInit)
    assert.equal(answer.status, 413, `${label}: ${await answer.text()}`)
  }
  assert.equal((await small.api.post('files', {})).json.data.total, 0)
  assert.deepEqual(await readdir(join(small.config.dataDir, 'files', 'tmp')), [])
})

/** A file service that records the bytes it receives. */
function recordingFiles(): { files: FileService; received: Buffer[] } {
  const received: Buffer[] = []
  const receive = async (source: AsyncIterable<Uint8Array>) => {
    for await (const piece of source) received.push(Buffer.from(piece))
    return { key: '', size: 0, sha256: '', head: new Uint8Array() }
  }
  return {
    files: { maxBytes: 1 << 30, receive, discard: async () => {} } as unknown as FileService,
    received,
  }
}

const receivePieces = (pieces: Buffer[], files: FileService): Promise<ReceivedFile> => {
  const request = Readable.from(pieces.filter(piece => piece.length > 0))
  const headers = { 'content-type': 'multipart/form-data; boundary=B' }
  return receiveFile(Object.assign(request, { headers }) as unknown as IncomingMessage, files, {
    queryName: undefined,
    checkJson: () => true,
  })
}

test('receives the whole file for any chunking, even when the content looks like a boundary', async () => {
  for (const content of ['', 'hello', '\r\n', '\r\n--', '\r\n--A\r\n--', '\r', '--B--', 'x\r\n-']) {
    const body = bytes(
      'preamble\r\n',
      fieldPart('beside', 'y'.repeat(50)),
      filePart('file', 'a.txt', content),
      end,
      'epilogue',
    )
    for (let cut = 0; cut < body.length; cut++) {
      const { files, received } = recordingFiles()
      const pieces = [body.subarray(0, cut), body.subarray(cut, cut + 1), body.subarray(cut + 1)]
      assert.equal((await receivePieces(pieces, files)).name, 'a.txt')
      assert.equal(Buffer.concat(received).toString(), content, `cut at ${cut}`)
    }
  }
})

test('ignores other form fields up to a size limit', async () => {
  const withField = (size: number) => [bytes(fieldPart('beside', 'y'.repeat(size)), good)]
  assert.equal((await receivePieces(withField(60_000), recordingFiles().files)).name, 'a.txt')
  await assert.rejects(receivePieces(withField(70_000), recordingFiles().files), /larger than 65536 bytes/)
})

test('accepts a valid upload after the rejected ones', async () => {
  const answer = await upload(good)
  assert.equal(answer?.status, 200)
  assert.equal(await countFiles(), filesBefore + 1)
})
