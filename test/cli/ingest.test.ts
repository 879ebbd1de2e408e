import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { progressLine } from '../../src/cli/ingest-command.ts'
import { ServerClient } from '../../src/cli/server-client.ts'
import { uploadFiles, walkFolder } from '../../src/cli/upload-files.ts'
import { makeScan } from '../support/documents/make-scan.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { startScriptedProvider } from '../support/scripted-provider.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { callBanyan, type Finished, runBanyan, spawnBanyan } from './run-banyan.ts'

const contents: Record<string, string | Uint8Array> = {
  'holidays.md': '# Holidays\n\nEverybody has 30 days of holiday.',
  'notes/rent.html':
    '<html><body><h1>Rent</h1><p>The rent is due on the third of each month.</p></body></html>',
  'notes/deep/er/plain.txt': 'Just a plain text.',
  'notes/deep/plain.txt': 'Just a plain text.',
  'broken.pdf': '%PDF-1.7\nnothing of what follows',
  'picture.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  'empty.txt': '',
  '.hidden.md': 'hidden',
  '.git/config': 'hidden as well',
  'long.txt': 'x'.repeat(5000),
}

async function writeFolder(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-ingest-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

describe('ingest', () => {
  let database: FreshDatabase
  let server: ServerProcess
  const folders: string[] = []

  const folderOf = async (files: Record<string, string | Uint8Array>): Promise<string> => {
    const folder = await writeFolder(files)
    folders.push(folder)
    return folder
  }

  before(async () => {
    database = await migratedDatabase()
    server = await spawnServer(database, { LOG_LEVEL: 'warn' })
  })
  after(async () => {
    await server.kill('SIGTERM')
    await database.drop()
    for (const folder of folders) await rm(folder, { recursive: true })
  })

  const ingest = (folder: string, name: string, ...words: string[]): Promise<Finished> =>
    runBanyan(database, ['ingest', folder, '--knowledge', name, '--server', server.base, ...words])

  const documentsOf = async (knowledgeId: string) =>
    (await server.api.get(`knowledge/${knowledgeId}/files?page_size=100`)).json.data.items as {
      file_id: string
      name: string
      status: string
    }[]

  test('adds the documents of a folder, reports failures, and adds nothing when it runs again', async () => {
    const folder = await folderOf(contents)
    await symlink('/etc/passwd', join(folder, 'link.txt'))
    const { code, stdout, stderr } = await ingest(folder, 'Handbook', '--json')
    assert.equal(code, 1, stderr)
    const done = JSON.parse(stdout)
    assert.deepEqual([done.added, done.already_there, done.ready], [8, 0, 5])
    assert.deepEqual(
      done.failed.map((each: { name: string; code: string }) => [each.name, each.code]),
      [
        ['broken.pdf', 'broken_file'],
        ['empty.txt', 'no_text'],
        ['picture.png', 'recognition_not_configured'],
      ],
    )
    assert.deepEqual(
      done.skipped.map((each: { name: string }) => each.name),
      ['.git', '.hidden.md', 'link.txt'],
    )
    assert.match(stderr, /Uploading 8 of 8/)
    assert.match(stderr, /3 of 8 files failed\./)
    assert.deepEqual(
      (await documentsOf(done.knowledge_id)).map(({ name }) => name).sort(),
      Object.keys(contents)
        .filter(name => !name.startsWith('.'))
        .sort(),
    )
    const found = await server.api.post(`knowledge/${done.knowledge_id}/search`, { query: 'rent due' })
    assert.equal(found.json.data.items[0].file_name, 'notes/rent.html')

    const again = await ingest(folder, 'Handbook')
    assert.equal(again.code, 1)
    assert.match(again.stdout, /0 added, 8 already there\./)
    assert.match(again.stdout, /^Ready {3}5$/m)
    assert.match(again.stdout, /^ {2}broken\.pdf: broken_file: .+$/m)
    assert.match(again.stdout, /^ {2}link\.txt: a symbolic link/m)
    assert.equal((await documentsOf(done.knowledge_id)).length, 8)
    assert.equal((await server.api.post('files', {})).json.data.total, 8, 'nothing was uploaded twice')
  })

  test('reports pages that were not read below the number of documents that are ready', async () => {
    const mixed = new Uint8Array(await makeScan(['Some text of its own.', 33]))
    const folder = await folderOf({ 'mixed.pdf': mixed, 'plain.txt': 'Just a plain text.' })
    const { code, stdout } = await ingest(folder, 'Scans')
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^Ready {3}2\n {2}mixed\.pdf: Page 2 was not read: .+\nFailed {2}0$/m)
    const again = await ingest(folder, 'Scans', '--json')
    const [{ message, ...warning }] = JSON.parse(again.stdout).warnings
    const file_id = (await documentsOf(JSON.parse(again.stdout).knowledge_id)).find(
      ({ name }) => name === 'mixed.pdf',
    )?.file_id
    const expected = {
      name: 'mixed.pdf',
      file_id,
      code: 'recognition_not_configured',
      page_count: 1,
      pages: [2],
    }
    assert.deepEqual(warning, expected)
    assert.match(message, /^Page 2 was not read/)
  })

  test('exits with 0 when all documents are ready, and adds only new or changed files', async () => {
    const folder = await folderOf({ 'a.md': 'First thing', 'b/a.md': 'First thing' })
    const first = await ingest(folder, 'Growing', '--json')
    assert.equal(first.code, 0, first.stderr)
    assert.deepEqual(JSON.parse(first.stdout).failed, [])
    await writeFile(join(folder, 'a.md'), 'Second thing')
    await writeFile(join(folder, 'c.md'), 'Third thing')
    const second = JSON.parse((await ingest(folder, 'Growing', '--json')).stdout)
    assert.deepEqual([second.added, second.already_there, second.ready], [2, 1, 3])
    assert.equal(second.knowledge_id, JSON.parse(first.stdout).knowledge_id)
  })

  test('finds the base with the exact name if another name contains it', async () => {
    const folder = await folderOf({ 'a.md': 'Words' })
    const longer = JSON.parse((await ingest(folder, 'Handbook of tea', '--json')).stdout)
    const part = JSON.parse((await ingest(folder, 'of tea', '--json')).stdout)
    assert.notEqual(longer.knowledge_id, part.knowledge_id)
    assert.equal(part.added, 1)
  })

  test('adds more documents than one call accepts', async () => {
    const names = Array.from({ length: 130 }, (_, index) => `n${index}.md`)
    const folder = await folderOf(Object.fromEntries(names.map(name => [name, `About ${name}`])))
    const done = JSON.parse((await ingest(folder, 'Many', '--json')).stdout)
    assert.deepEqual([done.added, done.ready, done.failed], [130, 130, []])
    const again = JSON.parse((await ingest(folder, 'Many', '--json')).stdout)
    assert.deepEqual([again.added, again.already_there, again.ready], [0, 130, 130])
  })

  test('only stops waiting on an interruption; the next run waits for the rest', async () => {
    const provider = await startScriptedProvider()
    const own = await migratedDatabase()
    const settings = { LOG_LEVEL: 'warn', EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_MODEL: 'scripted' }
    let slow = await spawnServer(own, settings)
    try {
      provider.decide(() => 'hang')
      const folder = await folderOf({ 'a.md': 'Words', 'b.md': 'More words' })
      const words = ['ingest', folder, '--knowledge', 'Stopped', '--server', slow.base]
      const child = spawnBanyan(own, words)
      const ended = once(child, 'exit')
      let stderr = ''
      for await (const text of child.stderr!.setEncoding('utf8')) {
        stderr += text
        if (stderr.includes('Processing 0 of 2') && !child.killed) child.kill('SIGINT')
      }
      assert.deepEqual(await ended, [1, null])
      assert.match(stderr, /Stopped waiting: 0 of 2 documents are done/)
      assert.match(stderr, /Run the same command again .*\n {2}curl http:\/\/\S+\/files/)
      assert.doesNotMatch(stderr, /nothing was changed|\n {4}at /)

      provider.decide(() => undefined)
      await slow.kill('SIGTERM')
      slow = await spawnServer(own, settings)
      const again = await runBanyan(own, [...words.slice(0, -1), slow.base, '--json'])
      assert.equal(again.code, 0, again.stderr)
      const done = JSON.parse(again.stdout)
      assert.deepEqual([done.added, done.already_there, done.ready], [0, 2, 2])
    } finally {
      await slow.kill('SIGTERM')
      await own.drop()
      await provider.close()
    }
  })

  test('creates no knowledge base for a folder with nothing to add', async () => {
    const { code, stdout } = await ingest(await folderOf({ '.only-hidden': 'x' }), 'Nothing')
    assert.equal(code, 0)
    assert.match(stdout, /There is nothing to add in .+: 1 skipped\./)
    assert.equal((await server.api.post('knowledge', { keyword: 'Nothing' })).json.data.total, 0)
  })

  test('skips files above the limit of the settings', async () => {
    const folder = await folderOf({ 'b.txt': 'x'.repeat(11), 'a/b.txt': 'x'.repeat(10), 'a.txt': '' })
    const { files, skipped } = await walkFolder(folder, 10)
    assert.deepEqual(
      files.map(({ name, size }) => [name, size]),
      [
        ['a/b.txt', 10],
        ['a.txt', 0],
      ],
    )
    assert.deepEqual(skipped, [{ name: 'b.txt', reason: 'larger than 10 bytes (MAX_FILE_BYTES)' }])
  })

  test('counts files above the limit of the server as failed', async () => {
    const own = await migratedDatabase()
    const small = await spawnServer(own, { LOG_LEVEL: 'warn', MAX_FILE_BYTES: '1000' })
    try {
      const folder = await folderOf({ 'long.txt': 'word '.repeat(1000), 'short.txt': 'word' })
      const words = ['ingest', folder, '--knowledge', 'Limits', '--server', small.base, '--json']
      const refused = await runBanyan(own, words)
      assert.equal(refused.code, 1)
      const [failure] = JSON.parse(refused.stdout).failed
      assert.deepEqual([failure.name, failure.code], ['long.txt', 'not_added'])
      assert.match(failure.message, /larger than 1000 bytes/)
    } finally {
      await small.kill('SIGTERM')
      await own.drop()
    }
  })

  describe('reports errors in one sentence', () => {
    const fails = async (words: string[], because: RegExp, code = 1): Promise<void> => {
      const finished = await callBanyan(database, ['ingest', ...words])
      assert.match(finished.stderr, because)
      assert.equal(finished.code, code)
      assert.equal(finished.stdout, '')
      assert.doesNotMatch(finished.stderr, /\n {4}at |\.ts:/, 'no stack')
    }

    test('about the folder, the name or the address', async () => {
      const folder = await folderOf({ 'a.md': 'Words' })
      await Promise.all([
        fails([join(folder, 'none'), '--knowledge', 'X'], /There is no folder .*none\./),
        fails([join(folder, 'a.md'), '--knowledge', 'X'], /a\.md is not a folder\./),
        fails([folder], /--knowledge: is required/, 2),
        fails([folder, '--knowledge', 'x'.repeat(101)], /--knowledge: /, 2),
        fails([folder, '--knowledge', 'X', '--server', 'ftp://x'], /--server: must be/, 2),
        fails([folder, '--knowledge', 'X', '--token', 'secret'], /Unknown option '--token'/, 2),
      ])
    })

    test('about the token', async () => {
      const folder = await folderOf({ 'a.md': 'Words' })
      const words = [folder, '--knowledge', 'X', '--server', server.base]
      const wrong = join(await folderOf({ token: 'a-token-that-nobody-knows\n' }), 'token')
      await fails([...words, '--token-file', wrong], /token.* --token-file/)
      await fails([...words, '--token-file', `${wrong}.none`], /cannot be read \(ENOENT\)/)
      await fails([...words, '--token-file', join(folder, 'a.md')], /does not contain a token/)
      const elsewhere = { ...database, folder }
      const missing = await callBanyan(elsewhere, ['ingest', ...words])
      assert.deepEqual([missing.code, /There is no token/.test(missing.stderr)], [1, true])
    })

    test('about the server', async () => {
      const folder = await folderOf({ 'a.md': 'Words' })
      await fails(
        [folder, '--knowledge', 'X', '--server', 'http://127.0.0.1:1'],
        /does not respond: .*npm start/,
      )
      const other = createServer((_request, answer) => answer.end('<html>')).listen(0, '127.0.0.1')
      await once(other, 'listening')
      try {
        const { port } = other.address() as AddressInfo
        await fails(
          [folder, '--knowledge', 'X', '--server', `http://127.0.0.1:${port}`],
          /not a Banyan server/,
        )
      } finally {
        other.close()
      }
    })

    test('and never sends the token of this folder to another host', async () => {
      const folder = await folderOf({ 'a.md': 'Words' })
      await fails([folder, '--knowledge', 'X', '--server', 'https://banyan.example'], /a token of https/)
    })
  })
})

test('redraws the progress on one line on a terminal, and prints few lines elsewhere', () => {
  const shownOn = (isTTY: boolean): string => {
    let now = 0
    let shown = ''
    const output = { isTTY, columns: 64, write: (text: string) => (shown += text) }
    const line = progressLine(output, () => now)
    for (let done = 0; done <= 10; done++) {
      line.show({ doing: 'Reading', done, total: 10, stage: 'parsing 2, chunking 1, embedding 1' })
      now += 1000
    }
    line.end()
    return shown
  }
  const drawn = shownOn(true)
  assert.ok(!drawn.includes('\n'))
  const states = drawn.split('\r')
  assert.match(states.at(-2)!, /^\[#{24}\] Reading 10 of 10, 1\.0 documents\/s/)
  assert.ok(states.every(state => state.replace('\x1b[K', '').length < 64))
  assert.equal(states.at(-1), '\x1b[K')
  const lines = shownOn(false).trimEnd().split('\n')
  assert.deepEqual(
    lines.map(line => line.split(',')[0]),
    ['Reading 0 of 10', 'Reading 5 of 10', 'Reading 10 of 10'],
  )
})

test('uploads several files at once, but large ones one at a time', async () => {
  const folder = await writeFolder({})
  const mebibytes = [17, 1, 20, 2, 16, 3, 4, 18]
  for (const [index, size] of mebibytes.entries()) {
    await writeFile(join(folder, `${index}.txt`), '')
    await truncate(join(folder, `${index}.txt`), size << 20)
  }
  let held = 0
  let maxHeld = 0
  let maxCount = 0
  const underWay = new Set<string>()
  const base = {
    documents: async () => [],
    storedFiles: async () => [],
    add: async () => [],
    upload: async (name: string, bytes: Uint8Array) => {
      underWay.add(name)
      held += bytes.length
      maxCount = Math.max(maxCount, underWay.size)
      if (underWay.size > 1) maxHeld = Math.max(maxHeld, held)
      // On a busy machine the next one may take a while to start.
      for (let waits = 0; waits === 0 || (maxCount < 2 && waits < 100); waits++) await sleep(50)
      held -= bytes.length
      underWay.delete(name)
      return name
    },
  }
  try {
    const { files } = await walkFolder(folder, 2 ** 31)
    const uploaded = await uploadFiles(base, files, () => {}, new AbortController().signal)
    assert.equal(uploaded.addedCount, 8)
    assert.ok(maxCount >= 2 && maxCount <= 4, `${maxCount} at once`)
    assert.ok(maxHeld <= 64 << 20, `${maxHeld} bytes were held`)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('retries a call that may succeed with the same idempotency key, and does not retry a rejected one', async () => {
  const keys: unknown[] = []
  const server = createServer((request, answer) => {
    keys.push(request.headers['idempotency-key'])
    if (keys.length === 1) answer.destroy()
    else if (keys.length === 2) answer.writeHead(503).end('{"code":50301,"message":"busy","data":{}}')
    else if (keys.length === 3) answer.end('{"code":0,"message":"success","data":{"fine":true}}')
    else answer.writeHead(409).end('{"code":40903,"message":"taken","data":{"reason":"already_exists"}}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new ServerClient(`http://127.0.0.1:${port}`, 'a token', new AbortController().signal)
  const call = () => client.call({ method: 'POST', path: '/x' }, { json: {} })
  try {
    assert.deepEqual(await call(), { fine: true })
    assert.equal(keys.length, 3)
    assert.deepEqual([new Set(keys).size, typeof keys[0]], [1, 'string'])
    await assert.rejects(call(), { message: 'taken', reason: 'already_exists' })
    assert.equal(keys.length, 4)
  } finally {
    client.close()
    server.close()
  }
})
