import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

describe('files over HTTP', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer({ MAX_FILE_BYTES: String(4 << 20) })
    api = server.api
  })
  after(() => server.stop())

  /** Paths of every stored blob below the files folder. */
  const onDisk = (part: string): string[] => {
    const folder = join(server.config.dataDir, 'files', part)
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
  }
  /** A copy that another upload made needless may be removed between the listing and the reading. */
  const sha256OnDisk = (path: string): string | undefined => {
    try {
      return sha256(readFileSync(path))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
  const holding = (content: Uint8Array | string): string[] =>
    onDisk('blobs').filter(path => sha256OnDisk(path) === sha256(content))

  test('returns the same record for multipart, raw and JSON uploads', async () => {
    const content = Buffer.from('你好，榕树。\n')
    const ways = [
      await api.upload('说明 书.txt', content),
      await api.post(`files/upload?name=${encodeURIComponent('说明 书.txt')}`, content, {
        headers: { 'content-type': 'application/octet-stream' },
      }),
      await api.post('files/upload', content, {
        headers: {
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent('说明 书.txt')}`,
          'content-type': 'text/plain',
        },
      }),
      await api.post('files/upload', { name: '说明 书.txt', content_base64: content.toString('base64') }),
    ]
    for (const { json } of ways) {
      const { file_id, created_at, ...rest } = json.data
      assert.match(file_id, /^file_[A-Za-z0-9_-]{22}$/)
      assert.ok(!Number.isNaN(Date.parse(created_at)))
      assert.deepEqual(rest, {
        name: '说明 书.txt',
        size: content.length,
        mime_type: 'text/plain',
        sha256: sha256(content),
      })
      assert.deepEqual((await api.bytes(`files/${file_id}`)).bytes, content)
    }
    assert.equal(new Set(ways.map(way => way.json.data.file_id)).size, 4)
    await until('identical content is stored once', async () => holding(content).length === 1)
  })

  test('stores a raw JSON file that is sent with its name, as browsers send a File', async () => {
    const content = '{"name": "tea", "price": 3}'
    const type = { 'content-type': 'application/json' }
    const disposition = { 'content-disposition': 'attachment; filename="tea.json"' }
    for (const [path, headers] of [
      ['files/upload?name=tea.json', type],
      ['files/upload', { ...type, ...disposition }],
    ] as const) {
      const { json, text } = await api.post(path, Buffer.from(content), { headers })
      assert.deepEqual([json.data?.name, json.data?.mime_type], ['tea.json', 'application/json'], text)
      assert.equal((await api.bytes(`files/${json.data.file_id}`)).bytes.toString(), content)
    }
  })

  test('accepts a multipart upload whose parameters have no quotes, as .NET sends them', async () => {
    for (const [parameters, name] of [
      ["name=file; filename=a.txt; filename*=utf-8''%E5%AD%97.txt", '字.txt'],
      ['name=file; filename=b.txt', 'b.txt'],
      ['filename="c; name=other.txt"; name=file', 'c; name=other.txt'],
    ]) {
      const body = `--B\r\nContent-Disposition: form-data; ${parameters}\r\n\r\nhello\r\n--B--\r\n`
      const headers = { 'content-type': 'multipart/form-data; boundary="B"' }
      const { json, text } = await api.post('files/upload', body, { headers })
      assert.deepEqual([json.data.name, json.data.size], [name, 5], text)
    }
  })

  test('stores concurrent identical uploads as one blob and removes it with the last file', async () => {
    const content = randomBytes(10_000)
    const records = await Promise.all(
      Array.from({ length: 100 }, (_, at) => api.upload(`${at}.bin`, content)),
    )
    await until('one blob', async () => holding(content).length === 1)
    const ids = records.map(record => record.json.data.file_id)
    const [last, ...others] = ids
    assert.equal((await api.post('files/delete', { file_ids: others })).json.data.deleted.length, 99)
    assert.deepEqual((await api.bytes(`files/${last}`)).bytes, content)
    assert.deepEqual((await api.post('files/delete', { file_ids: [last, last] })).json.data, {
      deleted: [last],
      missing: [],
      in_use: [],
    })
    assert.equal(holding(content).length, 0)
    assert.deepEqual(onDisk('tmp'), [])
  })

  test('supports range and conditional requests', async () => {
    const content = randomBytes(1000)
    const { file_id } = (await api.upload('r.bin', content)).json.data
    const get = (headers: Record<string, string>, method = 'GET') =>
      api.bytes(`files/${file_id}`, { headers, method })
    const whole = await get({})
    const etag = whole.headers.get('etag')!
    assert.equal(etag, `"${sha256(content)}"`)
    assert.equal(whole.headers.get('vary'), 'authorization')
    const cases: [string, number, number, number][] = [
      ['bytes=0-0', 206, 0, 1],
      ['bytes=3-9', 206, 3, 10],
      ['bytes=990-2000', 206, 990, 1000],
      ['bytes=-5', 206, 995, 1000],
      ['bytes=500-', 206, 500, 1000],
      ['bytes=0-1,5-6', 200, 0, 1000],
      ['bytes=9-3', 200, 0, 1000],
      ['lines=1-2', 200, 0, 1000],
    ]
    for (const [range, status, from, to] of cases) {
      const part = await get({ range })
      assert.equal(part.status, status, range)
      assert.deepEqual(part.bytes, content.subarray(from, to), range)
      if (status === 206) assert.equal(part.headers.get('content-range'), `bytes ${from}-${to - 1}/1000`)
    }
    const beyond = await get({ range: 'bytes=1000-' })
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */1000'])
    assert.equal((await get({ 'if-none-match': etag })).status, 304)
    assert.equal((await get({ range: 'bytes=0-9', 'if-range': etag })).status, 206)
    assert.equal((await get({ range: 'bytes=0-9', 'if-range': '"other"' })).status, 200)
    const head = await get({}, 'HEAD')
    assert.deepEqual([head.status, head.headers.get('content-length'), head.bytes.length], [200, '1000', 0])
  })

  test('never serves scriptable content inline', async () => {
    const kinds: [string, string, string][] = [
      ['a.html', '<script>1</script>', 'text/html'],
      ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>', 'image/svg+xml'],
      ['a.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'application/xhtml+xml'],
      ['a.xml', '<?xml version="1.0"?><a/>', 'application/xml'],
      ['a.js', 'alert(1)', 'text/javascript'],
      ['a.pdf', '%PDF-1.7\n', 'application/pdf'],
      ['a.png', '<html><script>1</script>', 'image/png'],
      ['noname', '<!doctype html><script>1</script>', 'image/png'],
    ]
    for (const [name, body, claimed] of kinds) {
      const { file_id } = (await api.upload(name, body, claimed)).json.data
      const { headers } = await api.bytes(`files/${file_id}`)
      const inline = headers.get('content-disposition')!.startsWith('inline')
      assert.ok(
        !inline || headers.get('content-type') === 'text/plain; charset=utf-8',
        `${name}: ${headers.get('content-type')}`,
      )
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.match(headers.get('content-security-policy')!, /^sandbox/)
    }
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    const { file_id, mime_type } = (await api.upload('x.html', png, 'text/html')).json.data
    assert.equal(mime_type, 'image/png', 'the content determines the type')
    assert.match((await api.bytes(`files/${file_id}`)).headers.get('content-disposition')!, /^inline/)
  })

  test('never uses a file name as a path', async () => {
    for (const name of [
      '../../etc/passwd',
      '..\\x',
      '/etc/x',
      'C:\\x',
      '....//x',
      '%2e%2e%2fx',
      'a\u202Egpj.exe',
      'é.txt',
      'e\u0301.txt',
      '“quoted”.txt',
      'عربي.txt',
      'x'.repeat(255),
    ]) {
      const record = (await api.post('files/upload', { name, content_base64: 'eA==' })).json.data
      assert.equal(record.name, name)
      const got = await api.bytes(`files/${record.file_id}`)
      assert.deepEqual([got.status, got.bytes.toString()], [200, 'x'])
      assert.doesNotMatch(got.headers.get('content-disposition')!, /[/\\]/)
    }
    for (const name of ['', 'a\u0000b', 'a\nb', 'x'.repeat(256), 'lone \ud800'])
      assert.equal(
        (await api.post('files/upload', { name, content_base64: 'eA==' })).json.data.errors[0].path,
        '/name',
        JSON.stringify(name),
      )
    assert.ok(onDisk('blobs').every(path => /\/blobs\/[^/]{2}\/[A-Za-z0-9_-]+$/.test(path)))
  })

  test('accepts a file at the size limit and leaves nothing of one that exceeds it', async () => {
    const limit = server.config.maxFileBytes
    assert.equal((await api.upload('exact.bin', Buffer.alloc(limit, 7))).json.data.size, limit)
    const blobs = onDisk('blobs').length
    const chunked = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent <= limit; sent += 65_536) controller.enqueue(new Uint8Array(65_536))
        controller.close()
      },
    })
    const over = [
      await api.upload('over.bin', Buffer.alloc(limit + 1)),
      await api.post('files/upload?name=over.bin', Buffer.alloc(limit + 1), {
        headers: { 'content-type': 'application/octet-stream' },
      }),
      await fetch(`${server.base}/api/v1/files/upload?name=over.bin`, {
        method: 'POST',
        body: chunked,
        duplex: 'half',
        headers: {
          authorization: `Bearer operator-token-of-the-tests`,
          'content-type': 'application/octet-stream',
        },
      }),
    ]
    for (const answer of over) assert.equal(answer.status, 413)
    assert.equal(onDisk('blobs').length, blobs)
    assert.deepEqual(onDisk('tmp'), [])
  })

  test('stores nothing when the token is revoked during the upload', async () => {
    const made = (await api.post('token/create', { name: 'revoked', role: 'editor' })).json.data
    const before = (await api.post('files', {})).json.data.total
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(1000))
        await new Promise(resolve => setTimeout(resolve, 100))
        await api.post('token/delete', { id: made.id })
        controller.enqueue(new Uint8Array(1000))
        controller.close()
      },
    })
    const headers = { authorization: `Bearer ${made.token}`, 'content-type': 'application/octet-stream' }
    const answer = await fetch(`${server.base}/api/v1/files/upload?name=late.bin`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers,
    })
    assert.equal(answer.status, 401)
    assert.equal((await api.post('files', {})).json.data.total, before)
    assert.deepEqual(onDisk('tmp'), [])
  })

  test('accepts an empty file', async () => {
    const { file_id, size } = (await api.upload('empty.txt', '')).json.data
    assert.equal(size, 0)
    const got = await api.bytes(`files/${file_id}`)
    assert.deepEqual([got.status, got.bytes.length], [200, 0])
  })

  test('never serves damaged content as complete', async () => {
    const content = randomBytes(300_000)
    const { file_id } = (await api.upload('rot.bin', content)).json.data
    const [path] = holding(content)
    const rotten = Buffer.from(content)
    rotten[1000]! ^= 1
    writeFileSync(path!, rotten)
    await assert.rejects(async () => {
      const { status, bytes } = await api.bytes(`files/${file_id}`)
      if (status >= 500) throw new Error('refused')
      assert.equal(bytes.length, content.length)
    }, /refused|terminated|other side closed/)
  })

  test('looks up, lists and deletes files', async () => {
    const one = (await api.upload('报告 one.txt', '1')).json.data
    const looked = (await api.post('files', { file_ids: [one.file_id, 'file_nope', one.file_id] })).json.data
    assert.deepEqual(looked, { items: [one], missing: ['file_nope'] })
    const listed = (await api.post('files', { keyword: '报告' })).json.data
    assert.deepEqual([listed.total, listed.items], [1, [one]])
    const two = (await api.upload('报告 Two.txt', '22')).json.data
    for (const [body, expected] of [
      [{}, [two, one]],
      [{ order: 'asc' }, [one, two]],
      [{ sort: 'name' }, [one, two]],
      [{ sort: 'size', order: 'desc' }, [two, one]],
    ] as const)
      assert.deepEqual((await api.post('files', { keyword: '报告', ...body })).json.data.items, expected)
    assert.equal((await api.post('files', { sort: 'sha256' })).json.data.errors[0].path, '/sort')
    for (const body of [
      { file_ids: [] },
      { file_ids: ['../x'] },
      { file_ids: 'x' },
      { file_ids: Array(1001).fill('file_x') },
      {},
    ])
      assert.match((await api.post('files/delete', body)).json.data.errors[0].path, /^\/file_ids/)
    assert.equal((await api.get('files/..%2f..%2fetc%2fpasswd')).status, 404)
    assert.equal((await api.get('files/%00')).status, 404)
  })

  test('stores one file for repeated uploads with the same Idempotency-Key', async () => {
    const send = (content: string) => {
      const form = new FormData()
      form.append('file', new Blob([content]), 'once.txt')
      return api.call('POST', 'files/upload', form, { headers: { 'idempotency-key': 'upload-1' } })
    }
    const before = (await api.post('files', {})).json.data.total
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('the content')))
    assert.equal(new Set(answers.map(answer => answer.text)).size, 1)
    assert.equal((await api.post('files', {})).json.data.total, before + 1)
    assert.equal((await send('other content')).json.code, 40901)
    assert.equal(holding('other content').length, 0)
    assert.deepEqual(onDisk('tmp'), [])
  })
})
