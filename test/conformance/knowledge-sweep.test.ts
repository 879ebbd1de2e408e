import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AccessStore } from '../../src/access/access-store.ts'
import type { Database } from '../../src/database/database.ts'
import { KeywordRebuild } from '../../src/knowledge/index/keyword-rebuild.ts'
import { SegmentBuilder } from '../../src/knowledge/index/segment-builder.ts'
import { type KnowledgeWorld, type OpenedWorld, openWorld, otherChunking } from './knowledge-world.ts'

const minutes = 60_000
const unit = Float32Array.of(1, 0)

describe('knowledge sweep', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
  })
  afterEach(() => opened.cleanup())

  const fill = async (workspaceId: string, knowledgeId: string, files: string[]): Promise<void> => {
    await world.makeBase(workspaceId, knowledgeId)
    for (const file of files)
      await world.addIngested(workspaceId, knowledgeId, file, ['one', 'two'], {
        metadata: { tags: ['a', 'b'] },
        vectors: [unit, unit],
      })
  }

  const allGone = async (where?: string): Promise<void> => {
    for (const [table, count] of Object.entries(await world.countRows(where))) assert.equal(count, 0, table)
  }

  test('does nothing when there is nothing to sweep', async () => {
    await fill('w', 'k', ['f'])
    const before = await world.countRows()
    assert.equal(await world.sweeper.sweep(10_000), false)
    assert.deepEqual(await world.countRows(), before)
  })

  test('deletes all rows of a deleted base, and no others', async () => {
    await fill('w', 'k', ['f1', 'f2'])
    await fill('v', 'k', ['f1'])
    await world.makeBase('w', 'other')
    const kept = await world.countRows()
    await fill('w', 'gone', ['g1', 'g2', 'g3'])
    await world.update('w', 'gone', { chunking: otherChunking }, { nextGenerationId: 'g2', now: 1 })
    await world.ingestNext(['next'], [unit])
    await world.addDocument('w', 'gone', 'g4')
    await world.stage(await world.claim(), ['half'], [unit])
    assert.ok(await world.bases.remove('w', 'gone', 5000))
    await world.sweepAll()
    assert.deepEqual(await world.countRows(), kept)
    assert.equal(await world.sweeper.sweep(10_000), false)
  })

  test('deletes a single base in bounded steps', async () => {
    await world.makeBase('w', 'k')
    const texts = Array.from({ length: 1300 }, (_, index) => `text ${index}`)
    await world.addIngested('w', 'k', 'large', texts, { vectors: texts.map(() => unit) })
    for (let index = 0; index < 20; index++)
      await world.addIngested('w', 'k', `f${index}`, ['x'], { metadata: { a: [1, 2, 3] } })
    await world.bases.remove('w', 'k', 5000)
    let total = Object.values(await world.countRows()).reduce((sum, count) => sum + count, 0)
    for (let steps = 0; await world.sweeper.sweep(10_000); steps++) {
      assert.ok(steps < 1000)
      const left = Object.values(await world.countRows()).reduce((sum, count) => sum + count, 0)
      assert.ok(total - left <= 502, `${total - left} rows in one step`)
      total = left
    }
    await allGone()
  })

  test('deletes the rows of a removed document only', async () => {
    await fill('w', 'k', ['kept'])
    const kept = await world.countRows()
    await world.addIngested('w', 'k', 'gone', ['x', 'y'], { metadata: { a: 1 }, vectors: [unit, unit] })
    await world.documents.remove('w', 'k', 'gone')
    await world.sweepAll()
    assert.deepEqual(await world.countRows(), kept)
  })

  test('deletes an abandoned or replaced generation', async () => {
    await fill('w', 'k', ['f'])
    const kept = await world.countRows()
    await world.update('w', 'k', { chunking: otherChunking }, { nextGenerationId: 'g2', now: 1 })
    await world.ingestNext(['a', 'b'], [unit, unit])
    assert.equal(await world.bases.swapCompleted(4000), 1)
    await world.sweepAll()
    assert.deepEqual(await world.countRows(), kept)
    assert.equal(await world.sweeper.sweep(10_000), false)
    const base = await world.base('w', 'k')
    assert.equal((await world.bases.record('w', base)).counts.chunks, 2)
  })

  test('deletes the rows of an interrupted job once it is claimed again', async () => {
    await world.makeBase('w', 'k')
    await world.addDocument('w', 'k', 'f')
    await world.stage(await world.claim(2000, 2100), ['half', 'a', 'document'], [unit, unit, unit])
    await world.sweepAll()
    assert.equal((await world.countRows())['chunks'], 3, 'its worker may still be running')
    await world.finish(await world.claim(3000), ['whole'], [unit])
    await world.sweepAll()
    const rows = await world.countRows()
    assert.deepEqual(
      [rows['chunks'], rows['vectors'], rows['segments'], rows['segment_blocks'], rows['batches']],
      [1, 1, 1, 1, 1],
    )
  })

  test('deletes unfinished merges after a delay', async () => {
    await fill('w', 'k', ['f'])
    const kept = await world.countRows()
    const builder = new SegmentBuilder()
    builder.add(['x'])
    const segment = builder.finish({ batchId: 'b', from: 0 })
    await world.database.transaction(async transaction => {
      await transaction.run(
        `INSERT INTO segments (workspace_id, generation_id, id, batch_id, state, chunk_count, term_total, created_at, header)
         VALUES ('w', 'k-g1', 'half', NULL, 'staged', 1, 1, ?, ?)`,
        1000 * minutes,
        segment.header,
      )
      await transaction.run(
        "INSERT INTO segment_blocks (workspace_id, segment_id, ordinal, data) VALUES ('w', 'half', 0, ?)",
        segment.blocks[0]!,
      )
    })
    await world.sweepAll(1005 * minutes)
    assert.equal((await world.countRows())['segments'], kept['segments']! + 1)
    await world.sweepAll(1011 * minutes)
    assert.deepEqual(await world.countRows(), kept)
  })

  test('deletes what an interrupted rebuild of a keyword index left', async () => {
    await fill('w', 'k', ['f', 'g'])
    const kept = await world.countRows()
    const stopped = new AbortController()
    // The first segment is written, and the second one is not.
    const stopping = {
      now: () => {
        stopped.abort()
        return 5000
      },
    }
    await assert.rejects(new KeywordRebuild(world.database, stopping).rebuild('w', 'k-g1', stopped.signal), {
      name: 'AbortError',
    })
    assert.equal((await world.countRows())['segments'], 3)
    const { signal } = new AbortController()
    await new KeywordRebuild(world.database, { now: () => 6000 }).rebuild('w', 'k-g1', signal)
    await world.sweepAll()
    assert.deepEqual(await world.countRows(), kept)
  })

  test('leaves the keyword index complete if two rebuilds run at once', async () => {
    await fill('w', 'k', ['f', 'g'])
    const { signal } = new AbortController()
    const rebuild = (now: () => number) =>
      new KeywordRebuild(world.database, { now }).rebuild('w', 'k-g1', signal)
    let other: Promise<void> | undefined
    let isSecond = false
    // The other one begins when the first segment is written, and the second one is not.
    const first = rebuild(() => {
      if (isSecond) other = rebuild(() => 6000)
      isSecond = true
      return 5000
    })
    await assert.rejects(first, { reason: 'unavailable' })
    await other
    assert.equal((await world.segments.segments('w', 'k-g1')).length, 2)
  })

  test('indexes a document once that becomes ready during a rebuild', async () => {
    await fill('w', 'k', ['f', 'g'])
    let isReady = false
    const database = new Proxy(world.database, {
      get: (target, name: keyof Database) => {
        if (name === 'transaction')
          return async (work: Parameters<Database['transaction']>[0]) => {
            if (!isReady) await world.addIngested('w', 'k', 'h', ['one'])
            isReady = true
            return target.transaction(work)
          }
        const value = target[name]
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { signal } = new AbortController()
    await new KeywordRebuild(database, { now: () => 5000 }).rebuild('w', 'k-g1', signal)
    assert.ok(isReady)
    assert.equal((await world.segments.segments('w', 'k-g1')).length, 3)
  })

  test('continues after a stop, and can run concurrently', async () => {
    await fill('v', 'k', ['kept'])
    const kept = await world.countRows()
    for (const id of ['a', 'b', 'c']) {
      await fill('w', id, [`${id}1`, `${id}2`])
      await world.bases.remove('w', id, 5000)
    }
    await world.sweeper.sweep(10_000)
    const other = await opened.openAgain()
    await Promise.all([world.sweepAll(), other.sweepAll(), world.sweepAll()])
    await world.sweepAll()
    assert.deepEqual(await world.countRows(), kept)
  })

  test('leaves no row of the bases of a deleted workspace', async () => {
    await fill('v', 'k', ['f'])
    const kept = await world.countRows()
    const access = new AccessStore(world.database)
    await access.addWorkspace({ id: 'w', name: 'W', createdAt: 1 })
    await fill('w', 'k', ['f', 'g'])
    await world.addDocument('w', 'k', 'h')
    await world.stage(await world.claim(), ['half'], [unit])
    await access.removeWorkspace('w', 5000)
    for (let steps = 0; await access.purge(6000); steps++) assert.ok(steps < 1000)
    await world.sweepAll()
    assert.deepEqual(await world.countRows(), kept)
  })
})
