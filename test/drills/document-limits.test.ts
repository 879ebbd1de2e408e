import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WorkerPool } from '../../src/adapters/workers/worker-pool.ts'
import { defaultChunking } from '../../src/knowledge/chunking.ts'
import type { FileToLoad, ReadPart } from '../../src/knowledge/ingest/document-reader.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { spawnServer } from '../support/server-process.ts'
import { startTestServer } from '../support/test-server.ts'
import { documentOf, documentsOf, namesFound, until } from '../support/watch.ts'

type Data = ApiAnswer['json']

/** A code block is held in memory until its end, and this one has millions of lines. */
const heavy = (lines: number): string => `# Heavy\n\n\`\`\`\n${'x y\n'.repeat(lines)}\`\`\`\n`

async function withServer(
  run: (api: ApiClient) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  const server = await startTestServer(environment)
  try {
    await run(server.api)
  } finally {
    await server.stop()
  }
}

test('fails a document that needs more memory than a worker has, and ingests the next ones', async () => {
  await withServer(
    async api => {
      const id = await makeBase(api)
      const file = (await dataOf(api.upload('heavy.md', heavy(3_000_000)))).file_id
      await dataOf(
        api.post(`knowledge/${id}`, {
          file_ids: [file],
          texts: [{ name: 'light.txt', content: 'Feathers.' }],
        }),
      )
      await whenIngested(api, id)
      const { status, error, attempts } = await documentOf(api, id, file)
      assert.deepEqual([status, error?.code, error?.retryable, attempts], ['failed', 'too_complex', false, 1])
      assert.match(error.message, /memory.*Split the document/)
      await addTexts(api, id, { 'after.txt': 'Pebbles.' })
      assert.deepEqual((await namesFound(api, id, 'feathers pebbles')).sort(), ['after.txt', 'light.txt'])
      assert.equal((await api.get('/readyz')).status, 200)
    },
    { INGEST_MEMORY_MB: '64', INGEST_WORKERS: '1' },
  )
})

/** 256 MiB of spaces, compressed three times by zlib: 227 bytes. */
const bomb = [
  'eNqruPX2jqLfnECJtouKC7QauIICjZmcmbiaGwOa3RrUdBj6m5clcuosXMR9YHrCDcYtq7gZLguIpCS4bWr5b+ke+/ekufn5l/fb',
  'X79fXP788enrW/X32/UyMDA0NFr//5xcl/dLwv/dt2/8jAwMDQut46JiZvQy6bvH77dkZ2Bg4Ll39Nu1T2/aD/zfPJn1OUjTwejK',
  'f9utbzPlqYfP57/DzMDAwPY+zgAowxDEAuItcAVzosAcBTckzqgM1WWePv927VUJd0TdrJjcdf0MDHY/9n7cYVz+mS35nd8DAE1D',
  'ekA=',
].join('')

const poolOptions = { threads: 1, memoryMegabytes: 2048, silenceMilliseconds: 3000, idleMilliseconds: 60_000 }
const fileOf = (content: string | Buffer): FileToLoad => ({
  workspaceId: 'w',
  name: 'file.md',
  mimeType: 'text/markdown',
  size: content.length,
  load: async () => new Uint8Array(Buffer.from(content)),
  chunking: defaultChunking,
  batchId: 'batch_of_the_test',
})

test('fails a small file that unpacks into a large one before it takes much memory', async () => {
  const content = Buffer.from(bomb, 'base64')
  const pdf = Buffer.concat([
    Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<<>>>>endobj
4 0 obj<</Length ${content.length}/Filter[/FlateDecode/FlateDecode/FlateDecode]>>stream\n`),
    content,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
  ])
  // Beside other load the thread may take minutes to reach the limit, so nothing else ends it.
  const pool = new WorkerPool({ ...poolOptions, silenceMilliseconds: 1_800_000 })
  try {
    const file = { ...fileOf(pdf), name: 'bomb.pdf', mimeType: 'application/pdf' }
    await assert.rejects(
      pool.read(file, async () => {}, new AbortController().signal),
      { code: 'too_complex', message: /memory.*simpler form/ },
    )
  } finally {
    await pool.close()
  }
})

test('stops an ingestion that makes no progress, replaces its thread, and serves the queued jobs', async () => {
  const pool = new WorkerPool(poolOptions)
  const read = async (content: string): Promise<ReadPart[]> => {
    const parts: ReadPart[] = []
    await pool.read(fileOf(content), async part => void parts.push(part), new AbortController().signal)
    return parts
  }
  try {
    // Threads have a low priority: beside other load, one may make no progress for this long without being stuck.
    const readLight = (content: string, attempts = 60): Promise<ReadPart[]> =>
      read(content).catch(error => (attempts > 1 ? readLight(content, attempts - 1) : Promise.reject(error)))
    const [stopped, served] = await Promise.allSettled([
      read(heavy(12_000_000)),
      readLight('# Light\n\nFeathers.'),
    ])
    assert.equal(stopped.status, 'rejected')
    assert.equal(stopped.reason.code, 'too_complex')
    assert.match(stopped.reason.message, /no progress for \d+ s/)
    assert.equal(served.status, 'fulfilled')
    assert.match(served.value[0]?.chunks[0]?.content ?? '', /Feathers/)
    assert.equal((await readLight('# More\n\nFeathers.')).length, 1)
  } finally {
    await pool.close()
  }
})

test('leaves no timer behind when an ingestion is aborted while a part of it is stored', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  const pool = new WorkerPool({ ...poolOptions, silenceMilliseconds: 60_000 })
  const stop = new AbortController()
  let isStored: Promise<void> | undefined
  const take = (): Promise<void> => {
    stop.abort(new Error('called off'))
    isStored = nextTurn()
    return isStored
  }
  // More than one part: the thread does not wait until the last one is stored.
  const long = `${'light '.repeat(400)}\n\n`.repeat(100)
  await assert.rejects(pool.read(fileOf(long), take, stop.signal), /called off/)
  await isStored
  await pool.close()
  assert.equal(timers(), before)
})

test('finds corrections, keeps them across a restart, and drops them when the document is re-ingested', async () => {
  const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills', LOG_LEVEL: 'warn' }
  const database = await migratedDatabase()
  let server = await spawnServer(database, token)
  try {
    const id = await makeBase(server.api, { chunking: { strategy: 'heading', size: 100, overlap: 0 } })
    const text = '# One\n\nAbout walnuts.\n\n# Two\n\nAbout hazelnuts.\n\n# Three\n\nAbout almonds.'
    const [file] = await addTexts(server.api, id, { 'nuts.md': text })
    const chunks = async (): Promise<Data[]> =>
      (await dataOf(server.api.get(`knowledge/${id}/files/${file}/chunks`))).items
    const [one, two] = await chunks()
    const correct = (chunk: Data, body: object): Promise<Data> =>
      dataOf(server.api.post(`knowledge/${id}/files/${file}/chunks/${chunk.chunk_id}/update`, body))
    await correct(one, { content: 'About pistachios.' })
    await correct(two, { enabled: false })
    const check = async (when: string): Promise<void> => {
      const found: string[] = []
      for (const word of ['walnuts', 'pistachios', 'hazelnuts', 'almonds'])
        if ((await namesFound(server.api, id, word)).length > 0) found.push(word)
      assert.deepEqual(found, ['pistachios', 'almonds'], when)
      assert.deepEqual(
        (await chunks()).map(chunk => [chunk.position, chunk.edited, chunk.enabled]),
        [
          [0, true, true],
          [1, false, false],
          [2, false, true],
        ],
        when,
      )
    }
    await check('at once')
    assert.equal(await server.kill('SIGTERM'), 0)
    server = await spawnServer(database, token)
    await check('after a restart')
    await dataOf(server.api.post(`knowledge/${id}/rebind`, { file_ids: [file] }))
    await whenIngested(server.api, id)
    assert.deepEqual(await namesFound(server.api, id, 'pistachios'), [])
    for (const word of ['walnuts', 'hazelnuts', 'almonds'])
      assert.deepEqual(await namesFound(server.api, id, word), ['nuts.md'], word)
    assert.ok((await chunks()).every(chunk => chunk.enabled && !chunk.edited))
    const gone = await server.api.post(`knowledge/${id}/files/${file}/chunks/${one.chunk_id}/update`, {
      enabled: true,
    })
    assert.equal(gone.json.code, 40401)
  } finally {
    await server.kill('SIGKILL')
    await database.drop()
  }
})

test('creates one document for a file that twenty callers add concurrently', async () => {
  await withServer(async api => {
    const id = await makeBase(api)
    const file = (await dataOf(api.upload('once.txt', 'Only once: starfruit.'))).file_id
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => dataOf(api.post(`knowledge/${id}`, { file_ids: [file, file] }))),
    )
    assert.equal(answers.filter(({ items }) => items.length === 1).length, 1)
    for (const { items, skipped } of answers)
      assert.deepEqual(skipped, items.length === 1 ? [] : [{ file_id: file, reason: 'already_added' }])
    const record = await whenIngested(api, id)
    assert.deepEqual([record.document_count, record.chunk_count], [1, 1])
    assert.deepEqual(await namesFound(api, id, 'starfruit'), ['once.txt'])
    assert.equal((await documentOf(api, id, file)).attempts, 1)
  })
})

test('re-ingests single documents, several documents, or all failed ones', async () => {
  await withServer(async api => {
    const id = await makeBase(api, { chunking: { size: 100, overlap: 0 } })
    const rebind = (body?: object): Promise<Data> => dataOf(api.post(`knowledge/${id}/rebind`, body))
    const attempts = async (): Promise<Record<string, number>> =>
      Object.fromEntries((await documentsOf(api, id)).map(document => [document.name, document.attempts]))
    const [a, b, bad, worse] = await addTexts(api, id, {
      'a.txt': 'Figs.',
      'b.txt': 'Dates.',
      'bad.txt': ' ',
      'worse.txt': '\n',
    })
    assert.deepEqual(await rebind({ file_ids: [a] }), { accepted: [a], skipped: [] })
    await whenIngested(api, id)
    assert.deepEqual(await attempts(), { 'a.txt': 2, 'b.txt': 1, 'bad.txt': 1, 'worse.txt': 1 })

    const some = await rebind({ file_ids: [a, b, a, bad, 'file_none'] })
    assert.deepEqual(some, {
      accepted: [a, b, bad],
      skipped: [{ file_id: 'file_none', reason: 'not_found' }],
    })
    await whenIngested(api, id)
    assert.deepEqual(await attempts(), { 'a.txt': 3, 'b.txt': 2, 'bad.txt': 2, 'worse.txt': 1 })

    const failed = await rebind()
    assert.deepEqual([failed.accepted.sort(), failed.skipped], [[bad, worse].sort(), []])
    await whenIngested(api, id)
    assert.deepEqual(await attempts(), { 'a.txt': 3, 'b.txt': 2, 'bad.txt': 3, 'worse.txt': 2 })
    assert.equal((await dataOf(api.get(`knowledge/${id}`))).failed_count, 2)

    const long = Array.from({ length: 4000 }, (_, line) => `Line ${line} about quinces and medlars.`).join(
      '\n\n',
    )
    const added = await dataOf(api.post(`knowledge/${id}`, { texts: [{ name: 'long.txt', content: long }] }))
    const file = added.items[0].file_id
    await until('a document being ingested', async () =>
      ['parsing', 'chunking'].includes((await documentOf(api, id, file)).status),
    )
    assert.deepEqual(await rebind({ file_ids: [file, a] }), {
      accepted: [a],
      skipped: [{ file_id: file, reason: 'in_progress' }],
    })
    await whenIngested(api, id)
    assert.equal((await documentOf(api, id, file)).attempts, 1)
    assert.deepEqual((await namesFound(api, id, 'quinces figs', { top_k: 50 })).sort(), ['a.txt', 'long.txt'])
  })
})
