import assert from 'node:assert/strict'
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsearchVectorIndex } from '../../src/adapters/index/usearch-vector-index.ts'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { PgvectorIndex } from '../../src/adapters/sql/pgvector-index.ts'
import type { PostgresDatabase } from '../../src/adapters/sql/postgres-database.ts'
import type { Database } from '../../src/database/database.ts'
import type { VectorHit, VectorIndex } from '../../src/knowledge/search/vector-index.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { nearTo, numbersFrom, randomVector, similarityOf, TestGeneration } from '../support/vector-rows.ts'

const isSqlite = !process.env['TEST_DATABASE_URL']
const never = new AbortController().signal
const addressOf = (hit: { batchId: string; position: number }): string => `${hit.batchId}/${hit.position}`

interface Stored {
  batchId: string
  position: number
  vector: Float32Array
}

describe('vector index', () => {
  let fresh: FreshDatabase
  let database: Database
  let index: VectorIndex

  /** Small enough that the tests build a graph for all but the smallest generations. */
  const open = (): VectorIndex =>
    database.dialect === 'postgres'
      ? new PgvectorIndex(database as PostgresDatabase, { minVectors: 2000 })
      : new UsearchVectorIndex({
          databasePath: join(fresh.folder, 'banyan.db'),
          folder: fresh.folder,
          exactFloats: 20_000,
        })

  const make = (id: string, dimension: number, workspaceId = 'home'): Promise<TestGeneration> =>
    new TestGeneration(database, workspaceId, id, dimension).create()

  const ask = (
    { workspaceId, generation }: TestGeneration,
    vector: Float32Array,
    limit: number,
    batchIds?: string[],
  ): Promise<VectorHit[]> =>
    index.search(workspaceId, generation, vector, limit, batchIds && new Set(batchIds))

  before(async () => {
    fresh = await freshDatabase()
    database = await openDatabase(fresh)
    index = open()
  })
  after(async () => {
    await index.close()
    await database.close()
    await fresh.drop()
  })

  test('returns the nearest first, with the cosine similarity', async () => {
    const generation = await make('nearest', 3)
    await generation.add('a', [Float32Array.of(1, 0, 0), Float32Array.of(0, 1, 0)])
    await generation.add('b', [Float32Array.of(0.6, 0.8, 0), Float32Array.of(-1, 0, 0)])
    const hits = await ask(generation, Float32Array.of(1, 0, 0), 10)
    assert.deepEqual(hits.map(addressOf), ['a/0', 'b/0', 'a/1', 'b/1'])
    for (const [at, similarity] of [1, 0.6, 0, -1].entries())
      assert.ok(
        Math.abs(hits[at]!.similarity - similarity) < 1e-3,
        `${hits[at]!.similarity} is ${similarity}`,
      )
    assert.deepEqual((await ask(generation, Float32Array.of(0, 1, 0), 2)).map(addressOf), ['a/1', 'b/0'])
  })

  test('finds nothing in an empty index or with a limit of zero', async () => {
    const generation = await make('empty', 3)
    const vector = Float32Array.of(1, 0, 0)
    assert.deepEqual(await ask(generation, vector, 10), [])
    assert.deepEqual(await ask(new TestGeneration(database, 'home', 'unknown', 3), vector, 10), [])
    await generation.add('empty a', [vector])
    assert.deepEqual(await ask(generation, vector, 0), [])
    assert.deepEqual(await ask(generation, vector, 10, []), [])
  })

  test('finds a batch only while it is live', async () => {
    const generation = await make('fresh', 3)
    const vector = Float32Array.of(0, 0, 1)
    await generation.add('f1', [Float32Array.of(1, 0, 0)])
    assert.deepEqual((await ask(generation, vector, 5)).map(addressOf), ['f1/0'])
    await generation.stage('f2', [vector])
    assert.deepEqual((await ask(generation, vector, 5)).map(addressOf), ['f1/0'])
    await generation.publish('f2')
    assert.deepEqual((await ask(generation, vector, 5)).map(addressOf), ['f2/0', 'f1/0'])
    await generation.removeBatches(['f2'])
    assert.deepEqual((await ask(generation, vector, 5)).map(addressOf), ['f1/0'])
  })

  test('separates generations of different models and workspaces', async () => {
    const small = await make('meet3', 3)
    const large = await make('meet4', 4)
    const foreign = await make('meet3 abroad', 3, 'abroad')
    await small.add('m3', [Float32Array.of(1, 0, 0)])
    await large.add('m4', [Float32Array.of(1, 0, 0, 0)])
    await foreign.add('mf', [Float32Array.of(1, 0, 0)])
    assert.deepEqual((await ask(small, Float32Array.of(1, 0, 0), 9)).map(addressOf), ['m3/0'])
    assert.deepEqual((await ask(large, Float32Array.of(1, 0, 0, 0), 9)).map(addressOf), ['m4/0'])
    assert.deepEqual((await ask(foreign, Float32Array.of(1, 0, 0), 9)).map(addressOf), ['mf/0'])
    await assert.rejects(ask(small, Float32Array.of(1, 0, 0, 0), 9), /4 dimensions and the index 3/)
    const smuggled = new TestGeneration(database, 'abroad', 'meet3', 3)
    assert.deepEqual(await ask(smuggled, Float32Array.of(1, 0, 0), 9), [])
    assert.deepEqual(await ask(small, Float32Array.of(1, 0, 0), 9, ['mf', 'm4']), [])
  })

  describe('with thousands of vectors', () => {
    const dimension = 64
    const next = numbersFrom(7)
    const centres = Array.from({ length: 30 }, () => randomVector(next, dimension))
    const questions = [
      ...centres.slice(0, 10).map(centre => nearTo(centre, next, 0.2)),
      ...Array.from({ length: 10 }, () => randomVector(next, dimension)),
    ]
    let generation: TestGeneration
    let stored: Stored[] = []

    const add = async (batchId: string, vectors: Float32Array[]): Promise<void> => {
      await generation.add(batchId, vectors)
      stored.push(...vectors.map((vector, position) => ({ batchId, position, vector })))
    }
    const remove = async (doomed: (batchId: string) => boolean): Promise<void> => {
      const ids = new Set(stored.map(each => each.batchId).filter(doomed))
      await generation.removeBatches([...ids])
      stored = stored.filter(each => !ids.has(each.batchId))
    }
    const nearest = (vector: Float32Array, limit: number, batchIds?: string[]): string[] =>
      stored
        .filter(each => !batchIds || batchIds.includes(each.batchId))
        .map(each => ({ each, similarity: similarityOf(vector, each.vector) }))
        .sort((one, other) => other.similarity - one.similarity)
        .slice(0, limit)
        .map(({ each }) => addressOf(each))
    /** Checks that a result is full, has no duplicates or dead chunks, and contains nearly all true neighbours. */
    const checkRecall = async (limit = 10, batchIds?: string[]): Promise<void> => {
      const alive = new Set(stored.map(addressOf))
      let found = 0
      let wanted = 0
      for (const question of questions) {
        const hits = (await ask(generation, question, limit, batchIds)).map(addressOf)
        const truth = nearest(question, limit, batchIds)
        assert.equal(hits.length, truth.length)
        assert.equal(new Set(hits).size, hits.length)
        assert.ok(hits.every(hit => alive.has(hit)))
        found += truth.filter(address => hits.includes(address)).length
        wanted += truth.length
      }
      assert.ok(found >= 0.98 * wanted, `recall is ${found / wanted}`)
    }
    const graphFile = (ending: string): string => join(fresh.folder, 'vectors', `large${ending}`)
    /** Waits for the graph: SQLite builds it in the background as files, PostgreSQL in `tidy`. */
    const graphIsMade = async (): Promise<void> => {
      if (!isSqlite) {
        await index.tidy(never)
        const made = await database.get("SELECT 1 AS one FROM pg_class WHERE relname LIKE 'vectors_graph%'")
        assert.ok(made || stored.length < 2000)
        return
      }
      for (;;) {
        const isSaved = await access(graphFile('.json')).then(
          () => true,
          () => false,
        )
        if (isSaved) return
        await sleep(50)
      }
    }
    const reopen = async (): Promise<void> => {
      await index.close()
      index = open()
    }

    before(async () => {
      generation = await make('large', dimension)
      for (let at = 0; at < 25; at++)
        await add(
          `mixed ${at}`,
          Array.from({ length: 200 }, (_, each) =>
            each % 2 === 0
              ? nearTo(centres[Math.floor(next() * centres.length)]!, next, 0.3)
              : randomVector(next, dimension),
          ),
        )
    })

    test('finds the neighbours before there is a graph', () => checkRecall())

    test('finds the neighbours with a graph, also with a large limit', async () => {
      index.refresh('home', 'large')
      await graphIsMade()
      await checkRecall()
      await checkRecall(100)
    })

    test('finds the neighbours after reopening', async () => {
      await reopen()
      await checkRecall()
    })

    test('finds batches added after the graph was built immediately', async () => {
      await add('late', questions.slice(0, 20))
      await checkRecall()
      assert.equal(addressOf((await ask(generation, questions[3]!, 1))[0]!), 'late/3')
    })

    test('PostgreSQL: writing to a generation with a graph does not extend the graph; maintenance does, after the load', {
      skip: isSqlite,
    }, async () => {
      const graphs = async (): Promise<string[]> => {
        const rows = await database.all<{ name: string }>(
          "SELECT relname AS name FROM pg_class WHERE relname LIKE 'vectors_graph%' ORDER BY relname",
        )
        return rows.map(row => row.name)
      }
      const tail = async (): Promise<number> => {
        const until = (await graphs())[0]!.split('_').at(-1)!
        const row = await database.get<{ count: number }>(
          "SELECT COUNT(*) AS count FROM vectors WHERE generation_id = 'large' AND written_at > ?",
          Number(until),
        )
        return row!.count
      }
      const [before] = await graphs()
      assert.equal(await tail(), 20, 'the batch "late" is outside the graph')
      const job = (dueAt: number | null): Promise<number> =>
        database.transaction(transaction =>
          transaction.run(
            `INSERT INTO readings (workspace_id, generation_id, file_id, knowledge_id, status, progress, chunk_count,
                 attempts, retries, interruptions, priority, due_at, updated_at)
               VALUES ('home', 'large', 'loading', 'base', 'queued', 0, 0, 0, 0, 0, 0, ?, 0)
               ON CONFLICT (workspace_id, generation_id, file_id) DO UPDATE SET due_at = excluded.due_at`,
            dueAt,
          ),
        )
      await job(1)
      await add(
        'many',
        Array.from({ length: 2000 }, () => randomVector(next, dimension)),
      )
      index.refresh('home', 'large')
      await index.tidy(never)
      assert.deepEqual(await graphs(), [before], 'no graph is built while documents are on their way')
      await checkRecall()
      await job(null)
      await index.tidy(never)
      assert.notDeepEqual(await graphs(), [before])
      assert.equal((await graphs()).length, 1)
      assert.equal(await tail(), 0)
      await checkRecall()
      await remove(batchId => batchId === 'many')
    })

    test('returns the nearest of the filtered batches', async () => {
      await checkRecall(10, ['mixed 3', 'late', 'mixed 17'])
      await checkRecall(10, ['mixed 5'])
      await checkRecall(
        10,
        Array.from({ length: 20 }, (_, at) => `mixed ${at}`),
      )
    })

    test('returns full results when many near chunks are deleted', async () => {
      await remove(batchId => batchId === 'late')
      await checkRecall()
      await remove(batchId => Number(batchId.slice(6)) % 3 !== 0)
      await checkRecall()
      await checkRecall(50)
      await index.tidy(never)
      await checkRecall()
    })

    test('does not find swept chunks after reopening', async () => {
      await database.transaction(async transaction => {
        await transaction.run(
          "DELETE FROM vectors WHERE batch_id IN (SELECT id FROM batches WHERE state = 'gone')",
        )
        await transaction.run("DELETE FROM batches WHERE state = 'gone'")
      })
      await reopen()
      await checkRecall()
    })

    type Files = { graph: Buffer; table: Buffer }
    const readFiles = async (): Promise<Files> => ({
      graph: await readFile(graphFile('.usearch')),
      table: await readFile(graphFile('.json')),
    })
    const writeFiles = async (files: Partial<Files>): Promise<void> => {
      await rm(join(fresh.folder, 'vectors'), { recursive: true })
      await mkdir(join(fresh.folder, 'vectors'))
      if (files.graph) await writeFile(graphFile('.usearch'), files.graph)
      if (files.table) await writeFile(graphFile('.json'), files.table)
    }
    const flipped = (bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes)
      copy[copy.length >> 1]! ^= 1
      return copy
    }
    const damages: Record<string, (files: Files) => Partial<Files>> = {
      'a missing graph': ({ table }) => ({ table }),
      'a missing table': ({ graph }) => ({ graph }),
      'a torn graph': ({ graph, table }) => ({ graph: graph.subarray(0, 1000), table }),
      'a torn table': ({ graph, table }) => ({ graph, table: table.subarray(0, 200) }),
      'a graph with a flipped bit': ({ graph, table }) => ({ graph: flipped(graph), table }),
      'a table with other batches': ({ graph, table }) => ({
        graph,
        table: Buffer.from(table.toString().replace('mixed 3"', 'mixed 6"')),
      }),
    }
    for (const [label, damage] of Object.entries(damages))
      test(`rebuilds ${label} from the rows`, { skip: !isSqlite }, async () => {
        await index.close()
        const files = await readFiles()
        await writeFiles(damage(files))
        index = open()
        await checkRecall()
        await index.close()
        await writeFiles(files)
        index = open()
      })

    test('updates an outdated graph', { skip: !isSqlite }, async () => {
      await index.close()
      const old = await readFiles()
      index = open()
      await add('newer', questions.slice(0, 10))
      await remove(batchId => batchId === 'mixed 0')
      await checkRecall()
      await index.close()
      await writeFiles(old)
      index = open()
      await checkRecall()
    })

    test('deletes the graph of a deleted generation', async () => {
      await graphIsMade()
      await database.transaction(transaction => transaction.run("DELETE FROM generations WHERE id = 'large'"))
      await index.tidy(never)
      if (isSqlite) assert.deepEqual(await readdir(join(fresh.folder, 'vectors')), [])
      else
        assert.equal(
          await database.get("SELECT 1 AS one FROM pg_class WHERE relname LIKE 'vectors_graph%'"),
          undefined,
        )
    })
  })
})
