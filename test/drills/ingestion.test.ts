import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { dataOf, makeBase } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { rounds } from '../support/rounds.ts'
import { spawnServer } from '../support/server-process.ts'

const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills', LOG_LEVEL: 'warn' }
const kills = rounds(1)
const documents = 24

/** Many chunks, so that a kill happens between them; the last paragraph has a unique word. */
const longText = (name: string): string =>
  `${Array.from({ length: 600 }, (_, line) => `第${line}段：榕树的气生根落地以后成为新的树干，paragraph ${line} of ${name}.`).join('\n\n')}\n\nThe last word is zebra${name}.`

/** Short ones are ingested together. */
const contentOf = (name: string, index: number): string =>
  index % 2 === 0 ? longText(name) : `榕树的气生根。The last word is zebra${name}.`

async function settled(api: ApiClient, knowledgeId: string): Promise<{ ready: number; failed: string[] }> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
    const page = await dataOf(api.get(`knowledge/${knowledgeId}/files?page_size=100`))
    const open = page.items.filter((item: { status: string }) => !['ready', 'failed'].includes(item.status))
    if (open.length > 0) continue
    const failed = page.items.filter((item: { status: string }) => item.status === 'failed')
    return {
      ready: page.items.length - failed.length,
      failed: failed.map((item: { error: { code: string } }) => item.error.code),
    }
  }
  return assert.fail('documents are stuck')
}

describe('kill -9 during ingestion', () => {
  let database: FreshDatabase
  before(async () => {
    database = await migratedDatabase()
  })
  after(() => database.drop())

  test('leaves no document stuck, partially searchable or duplicated', { timeout: 300_000 }, async () => {
    let server = await spawnServer(database, token)
    const base = await makeBase(server.api, { embedding: null, chunking: { size: 100, overlap: 0 } })
    const names = Array.from({ length: documents }, (_, index) => `doc${index}`)
    await dataOf(
      server.api.post(`knowledge/${base}`, {
        texts: names.map((name, index) => ({ name: `${name}.txt`, content: contentOf(name, index) })),
      }),
    )
    for (let round = 0; round < kills; round++) {
      await sleep(300 + Math.random() * 500)
      assert.equal(await server.kill('SIGKILL'), 'SIGKILL')
      server = await spawnServer(database, token)
      // A document in the results has all of its chunks.
      const found = await dataOf(server.api.post(`knowledge/${base}/search`, { query: '气生根', top_k: 50 }))
      for (const fileId of new Set<string>(found.items.map((item: { file_id: string }) => item.file_id))) {
        const chunks = await dataOf(server.api.get(`knowledge/${base}/files/${fileId}/chunks?page_size=1`))
        const files = await dataOf(server.api.get(`knowledge/${base}/files?page_size=100`))
        const document = files.items.find((item: { file_id: string }) => item.file_id === fileId)
        assert.equal(document.status, 'ready')
        assert.equal(chunks.total, document.chunk_count)
      }
    }
    let outcome = await settled(server.api, base)
    // Three crashes during one document fail it; it can be retried.
    assert.deepEqual(
      [...new Set(outcome.failed)].filter(code => code !== 'interrupted'),
      [],
    )
    if (outcome.failed.length > 0) {
      await dataOf(server.api.post(`knowledge/${base}/rebind`, {}))
      outcome = await settled(server.api, base)
    }
    assert.deepEqual(outcome, { ready: documents, failed: [] })
    const counts = new Set<number>()
    for (const name of names) {
      const { items } = await dataOf(
        server.api.post(`knowledge/${base}/search`, { query: `zebra${name}`, top_k: 50 }),
      )
      const holders = items.filter((item: { content: string }) => item.content.includes(`zebra${name}.`))
      assert.equal(holders.length, 1, `${name} is found exactly once`)
    }
    const files = await dataOf(server.api.get(`knowledge/${base}/files?page_size=100`))
    for (const item of files.items) counts.add(item.chunk_count)
    assert.equal(
      counts.size <= 3,
      true,
      `documents of equal length have the same number of chunks: ${[...counts]}`,
    )
    await dataOf(server.api.post(`knowledge/${base}/delete`))
    await emptied(database)
    assert.equal(await server.kill('SIGTERM'), 0)
  })

  /** Rows of crashed attempts and deleted bases are swept while the server runs. */
  async function emptied(place: FreshDatabase): Promise<void> {
    const tables = ['chunks', 'batches', 'segments', 'segment_blocks', 'readings', 'documents', 'generations']
    const connection = await openDatabase(place)
    try {
      for (const end = Date.now() + 60_000; ; await sleep(200)) {
        const left: string[] = []
        for (const table of tables)
          if (await connection.get(`SELECT 1 AS one FROM ${table} LIMIT 1`)) left.push(table)
        if (left.length === 0) return
        if (Date.now() > end) assert.fail(`rows are left in ${left.join(', ')}`)
      }
    } finally {
      await connection.close()
    }
  }
})
