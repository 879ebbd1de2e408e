import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { UsearchVectorIndex } from '../../src/adapters/index/usearch-vector-index.ts'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { Database } from '../../src/database/database.ts'
import type { VectorIndex } from '../../src/knowledge/search/vector-index.ts'
import { numbersFrom, randomVector, TestGeneration } from '../support/vector-rows.ts'

describe('usearch vector index', () => {
  const next = numbersFrom(11)
  const vectors = Array.from({ length: 300 }, () => randomVector(next, 16))
  const signal = new AbortController().signal
  let folder: string
  let database: Database
  const open = (more: { databasePath?: string; memoryBytes?: number } = {}): VectorIndex =>
    new UsearchVectorIndex({ databasePath: join(folder, 'banyan.db'), folder, exactFloats: 1000, ...more })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'banyan-test-'))
    database = await openDatabase({ url: undefined, folder })
  })
  after(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })

  test('fails the calls of a terminated worker, and starts another for the next call', async () => {
    const generation = await new TestGeneration(database, 'home', 'restart', 16).create()
    await generation.add('restart', vectors)
    const elsewhere = join(folder, 'late.db')
    await writeFile(elsewhere, 'no database at all, but long enough to be taken for a damaged one')
    const index = open({ databasePath: elsewhere })
    const search = () => index.search('home', generation.generation, vectors[7]!, 1, undefined)
    const failed = await Promise.allSettled([search(), search()])
    for (const each of failed) {
      assert.equal(each.status, 'rejected')
      assert.match(String(each.reason), /starts again with the next search/)
    }
    await rm(elsewhere)
    const copy = new DatabaseSync(join(folder, 'banyan.db'))
    copy.exec(`VACUUM INTO '${elsewhere}.new'`)
    copy.close()
    await rename(`${elsewhere}.new`, elsewhere)
    assert.equal((await search())[0]?.position, 7)
    await index.close()
  })

  test('searches all generations with memory for one index only', async () => {
    const generations = await Promise.all(
      ['one', 'two', 'three'].map(id => new TestGeneration(database, 'home', id, 16).create()),
    )
    for (const each of generations) await each.add(`batch of ${each.generation.id}`, vectors)
    const index = open({ memoryBytes: 10_000 })
    for (let at = 0; at < 60; at++) {
      const { generation } = generations[at % 3]!
      const [hit] = await index.search('home', generation, vectors[at]!, 1, undefined)
      assert.equal(hit?.batchId, `batch of ${generation.id}`)
      assert.equal(hit.position, at)
      index.refresh('home', generation.id)
    }
    await index.tidy(signal)
    await index.close()
  })

  test('rejects calls after it is closed', async () => {
    const index = open()
    const { generation } = new TestGeneration(database, 'home', 'closed', 16)
    await index.close()
    await index.close()
    index.refresh('home', 'closed')
    await index.tidy(signal)
    await assert.rejects(index.search('home', generation, vectors[0]!, 1, undefined), /is closed/)
  })
})
