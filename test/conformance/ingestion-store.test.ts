import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { IngestionJob } from '../../src/knowledge/ingest/ingestion-queue.ts'
import { StagingStore } from '../../src/knowledge/ingest/staging-store.ts'
import type { DocumentError } from '../../src/knowledge/knowledge-base.ts'
import { ManualPassageStore } from '../../src/knowledge/manual-passage-store.ts'
import { segmentOfTexts } from '../../src/knowledge/text-indexer.ts'
import { interruptedDatabase } from './interrupted-database.ts'
import {
  chunking,
  type KnowledgeWorld,
  type OpenedWorld,
  openWorld,
  otherChunking,
  partOf,
} from './knowledge-world.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])
const error: DocumentError = { code: 'embedding_failed', message: 'It did not answer', retryable: true }

describe('ingestion stores', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
    await world.makeBase('w', 'k')
  })
  afterEach(() => opened.cleanup())

  const nothingIsDue = async (now = 2000): Promise<void> =>
    assert.equal(
      await world.queue.claim({ workspaceId: 'w', lease: 'l', batchId: 'none', now, until: now + 1 }),
      undefined,
    )

  const find = async (fileId: string) => world.documents.find('w', await world.base('w', 'k'), fileId)

  describe('claiming a job', () => {
    test('returns the document and its settings', async () => {
      await world.makeBase('w', 'k2', { embeddingModel: 'm' })
      await world.addDocument('w', 'k2', 'f')
      const options = { workspaceId: 'w', lease: 'mine', batchId: 'b', now: 2000, until: 3000 }
      assert.deepEqual(await world.queue.claim(options), {
        workspaceId: 'w',
        knowledgeId: 'k2',
        generationId: 'k2-g1',
        fileId: 'f',
        name: 'f.txt',
        mimeType: 'text/plain',
        size: 3,
        chunking,
        embeddingModel: 'm',
        dimension: null,
        lease: 'mine',
        batchId: 'b',
        retries: 0,
        pagesDone: undefined,
      })
    })

    test('takes the job that has been due the longest, each only once, and none early', async () => {
      for (const [file, now] of [
        ['late', 1300],
        ['early', 1100],
        ['middle', 1200],
        ['future', 5000],
      ] as const)
        await world.addDocument('w', 'k', file, { now })
      assert.equal(await world.queue.nextDue(), 1100)
      await nothingIsDue(1099)
      const taken = [await world.claim(), await world.claim(), await world.claim()]
      assert.deepEqual(
        taken.map(({ fileId }) => fileId),
        ['early', 'middle', 'late'],
      )
      await nothingIsDue(2000)
      assert.equal(await world.queue.nextDue(), 5000)
    })

    test('skips documents that may take long, where it is asked to', async () => {
      const slow = {
        large: { size: 5 << 20 },
        doc: { mimeType: 'application/msword' },
        wav: { mimeType: 'audio/wav' },
      }
      for (const [id, file] of Object.entries(slow)) await world.addDocument('w', 'k', id, file)
      const names = { workspaceId: 'w', lease: 'mine', batchId: 'b' }
      const quick = { ...names, now: 2000, until: 3000, onlyQuick: true }
      assert.equal(await world.queue.nextWorkspace('', 2000, true), undefined)
      assert.equal(await world.queue.claim(quick), undefined)
      await world.addDocument('w', 'k', 'text', { now: 1500 })
      assert.equal(await world.queue.nextWorkspace('', 2000, true), 'w')
      assert.equal((await world.queue.claim(quick))?.fileId, 'text')
    })

    test('postpones a job whose lease may not be taken over, and takes the next one', async () => {
      await world.addDocument('w', 'k', 'held', { now: 1000 })
      await world.addDocument('w', 'k', 'other', { now: 60_000 })
      const held = await world.claim()
      const claim = { workspaceId: 'w', lease: 'mine', batchId: 'b', now: 90_000, until: 120_000 }
      const mayTakeOver = (lease: string): boolean => lease !== held.lease
      assert.equal((await world.queue.claim({ ...claim, mayTakeOver }))?.fileId, 'other')
      await nothingIsDue(94_999)
      assert.ok(await world.finish(held, ['text']), 'its work counts')
      assert.equal((await find('held'))?.attempts, 1)
    })

    test('prefers new documents to those of a re-index', async () => {
      await world.addIngested('w', 'k', 'old', ['x'])
      await world.update('w', 'k', { chunking: otherChunking }, { nextGenerationId: 'g2', now: 1100 })
      await world.makeBase('w', 'k2')
      await world.addDocument('w', 'k2', 'fresh', { now: 1900 })
      const taken = [await world.claim(), await world.claim()]
      assert.deepEqual(
        taken.map(({ fileId }) => fileId),
        ['fresh', 'old'],
      )
    })

    test('takes turns between the workspaces that have a job', async () => {
      for (const workspaceId of ['a', 'b', 'c', 'd']) await world.makeBase(workspaceId, 'k')
      for (const [workspaceId, now] of [
        ['a', 1100],
        ['a', 1000],
        ['b', 5000],
        ['c', 1200],
        ['d', 1300],
      ] as const)
        await world.addDocument(workspaceId, 'k', `f${now}`, { now })
      const turns: string[] = []
      for (let turn = 0; turn < 4; turn++)
        turns.push((await world.queue.nextWorkspace(turns.at(-1) ?? '', 2000))!)
      assert.deepEqual(turns, ['a', 'c', 'd', 'a'])
      const claim = { workspaceId: 'a', lease: 'l', now: 2000, until: 3000 }
      const files: string[] = []
      for (const batchId of ['b1', 'b2']) files.push((await world.queue.claim({ ...claim, batchId }))!.fileId)
      assert.deepEqual(files, ['f1000', 'f1100'])
      assert.equal(await world.queue.claim({ ...claim, batchId: 'b3' }), undefined)
      assert.equal(await world.queue.nextWorkspace('d', 2000), 'c')
    })

    test('lasts until the lease expires, and longer when renewed', async () => {
      await world.addDocument('w', 'k', 'f')
      const first = await world.claim(2000, 3000)
      await nothingIsDue(2999)
      assert.ok(await world.queue.renew(first, 'parsing', 0.2, 2500, 4000))
      await nothingIsDue(3999)
      const second = await world.claim(4000, 5000)
      assert.equal(second.fileId, 'f')
      assert.equal(await world.queue.renew(first, 'parsing', 0.3, 4100, 9000), false)
      assert.equal(await world.stage(first, ['stale']), false)
      assert.equal(await world.finish(first, ['stale']), false)
      assert.equal(await world.queue.fail(first, error, 4200), false)
      assert.ok(await world.finish(second, ['good']))
      assert.deepEqual(await world.shown('w', 'k-g1', first.batchId), [])
      assert.deepEqual(await world.shown('w', 'k-g1', second.batchId), ['good'])
    })

    test('fails a job at the third interruption in a row', async () => {
      await world.addDocument('w', 'k', 'f')
      for (let now = 2000; now < 5000; now += 1000) assert.ok(await world.claim(now, now + 500))
      await nothingIsDue(9000)
      const document = await find('f')
      assert.deepEqual([document?.status, document?.error?.code], ['failed', 'interrupted'])
      assert.equal(document?.error?.retryable, true)
      assert.equal(document?.attempts, 3)
      assert.equal(await world.queue.nextDue(), undefined)
    })

    test('starts with no interruptions after a success', async () => {
      await world.addDocument('w', 'k', 'f')
      await world.claim(2000, 2100)
      await world.claim(2200, 2300)
      assert.ok(await world.finish(await world.claim(2400), ['x']))
      await world.documents.requeue('w', await world.base('w', 'k'), ['f'], 3000)
      await world.claim(3100, 3200)
      await world.claim(3300, 3400)
      assert.equal((await world.claim(3500)).fileId, 'f')
    })

    test('knows the pages that earlier attempts recognised, until it is processed again from the beginning', async () => {
      await world.addDocument('w', 'k', 'f')
      await world.queue.renew(await world.claim(2000), 'parsing', 0.5, 2001, 2100, { done: 5, total: 9 })
      const second = await world.claim(2200)
      assert.equal(second.pagesDone, 5)
      assert.ok(await world.queue.renew(second, 'parsing', 0.5, 2201, 2300, { done: 6, total: 9 }))
      const base = await world.base('w', 'k')
      assert.ok(await world.finish(second, ['x']))
      assert.deepEqual((await world.documents.requeue('w', base, ['f'], 3000)).accepted, ['f'])
      assert.equal((await world.claim(3100)).pagesDone, undefined)
    })

    test('skips jobs of deleted bases and abandoned generations', async () => {
      await world.makeBase('w', 'dead')
      for (let index = 0; index < 60; index++) await world.addDocument('w', 'dead', `d${index}`, { now: 1 })
      await world.bases.remove('w', 'dead', 1500)
      await world.addDocument('w', 'k', 'alive', { now: 1900 })
      let reading: IngestionJob | undefined
      for (let turn = 0; turn < 3 && !reading; turn++)
        reading = await world.queue.claim({
          workspaceId: 'w',
          lease: 'l',
          batchId: 'b',
          now: 2000,
          until: 3000,
        })
      assert.equal(reading?.fileId, 'alive')
      assert.equal(await world.queue.nextDue(), 3000, 'no void job is left')
    })

    test('never assigns a job to two concurrent workers, and misses none', async () => {
      for (let index = 0; index < 40; index++) await world.addDocument('w', 'k', `f${index}`)
      const other = await opened.openAgain()
      const taken: string[] = []
      const work = async (where: KnowledgeWorld, name: string): Promise<void> => {
        for (let turn = 0; ; turn++) {
          const names = { workspaceId: 'w', lease: `${name} ${turn}`, batchId: `${name} ${turn} batch` }
          const reading = await where.queue.claim({ ...names, now: 2000, until: 9000 })
          // Another worker may briefly lock the only remaining row; a due job stays due.
          if (!reading && (await where.queue.nextDue())! >= 9000) return
          if (reading) taken.push(reading.fileId)
        }
      }
      await Promise.all([work(world, 'a'), work(other, 'b'), work(world, 'c'), work(other, 'd')])
      assert.equal(taken.length, 40)
      assert.equal(new Set(taken).size, 40)
    })
  })

  describe('staged batch', () => {
    test('is invisible until it is complete, and then visible at once', async () => {
      await world.addDocument('w', 'k', 'f')
      const reading = await world.claim()
      assert.ok(await world.stage(reading, ['one', 'two']))
      const base = await world.base('w', 'k')
      assert.deepEqual(await world.shown('w', 'k-g1', reading.batchId), [])
      assert.deepEqual(await world.segments.segments('w', 'k-g1'), [])
      assert.equal((await world.chunks.list('w', base, 'f', { page: 1, pageSize: 9 })).total, 0)
      assert.equal(await world.segments.liveChunks('w', 'k-g1'), 0)
      const last = partOf(reading, ['three'], [], { from: 2, segmentOrdinal: 1 })
      assert.ok(await world.staging.finish(reading, last, 3, 3000))
      assert.deepEqual(await world.shown('w', 'k-g1', reading.batchId), ['one', 'two', 'three'])
      assert.equal((await world.segments.segments('w', 'k-g1')).length, 2)
      assert.equal((await world.base('w', 'k')).generation.revision, base.generation.revision + 1)
      assert.equal(await world.finish(reading, []), false, 'a job ends once')
    })

    test('stores many chunks exactly, with and without page and sheet', async () => {
      await world.addDocument('w', 'k', 'f')
      const reading = await world.claim()
      const texts = Array.from({ length: 200 }, (_, index) => `${index} “大” \u2028 🌳\n\t'"\\ %_`)
      const part = partOf(reading, texts)
      const plain = { ...part.chunks[1]!, heading: [], sheet: '表 1' }
      delete plain.page
      delete plain.lastPage
      part.chunks[1] = plain
      assert.ok(await world.staging.finish(reading, part, 200, 3000))
      const base = await world.base('w', 'k')
      const { total, items } = await world.chunks.list('w', base, 'f', { page: 1, pageSize: 500 })
      assert.equal(total, 200)
      assert.deepEqual(
        items,
        part.chunks.map(({ boxes: _, ...chunk }) => ({ ...chunk, enabled: true, edited: false })),
      )
    })

    test('replaces the previous batch of the document', async () => {
      const old = await world.addIngested('w', 'k', 'f', ['old one', 'old two'])
      await world.documents.requeue('w', await world.base('w', 'k'), ['f'], 1000)
      const fresh = await world.claim()
      await world.stage(fresh, ['new'])
      assert.deepEqual(await world.shown('w', 'k-g1', old.batchId), ['old one', 'old two'])
      assert.ok(await world.staging.finish(fresh, partOf(fresh, []), 1, 3000))
      assert.deepEqual(await world.shown('w', 'k-g1', old.batchId), [])
      assert.deepEqual(await world.shown('w', 'k-g1', fresh.batchId), ['new'])
      assert.equal((await find('f'))?.chunkCount, 1)
      assert.equal(await world.segments.liveChunks('w', 'k-g1'), 1)
      await world.sweepAll()
      assert.equal((await world.countRows())['chunks'], 1)
    })

    test('is dropped when the job fails, and the previous batch stays', async () => {
      const old = await world.addIngested('w', 'k', 'f', ['old'])
      await world.documents.requeue('w', await world.base('w', 'k'), ['f'], 1000)
      const reading = await world.claim()
      await world.stage(reading, ['new', 'more'])
      assert.ok(await world.queue.fail(reading, error, 2500))
      const document = await find('f')
      assert.deepEqual([document?.status, document?.error, document?.chunkCount], ['failed', error, 1])
      assert.deepEqual(await world.shown('w', 'k-g1', old.batchId), ['old'])
      assert.equal(await world.queue.nextDue(), undefined)
      await world.sweepAll()
      assert.deepEqual((await world.countRows())['chunks'], 1)
    })

    test('is dropped when the job is released, which keeps its due time and retries', async () => {
      await world.addDocument('w', 'k', 'f')
      const reading = await world.claim()
      await world.stage(reading, ['half'])
      assert.ok(await world.queue.release(reading, { dueAt: 7000, retries: 2, error, now: 2500 }))
      const document = await find('f')
      assert.deepEqual([document?.status, document?.error, document?.progress], ['queued', error, 0])
      assert.equal(await world.queue.release(reading, { dueAt: 1, retries: 0, error, now: 1 }), false)
      await nothingIsDue(6999)
      const again = await world.claim(7000)
      assert.equal(again.retries, 2)
      assert.notEqual(again.batchId, reading.batchId)
      assert.ok(await world.finish(again, ['whole']))
      await world.sweepAll()
      assert.equal((await world.countRows())['chunks'], 1)
    })

    test('stays invisible when the base was deleted meanwhile', async () => {
      await world.addDocument('w', 'k', 'f')
      const reading = await world.claim()
      await world.stage(reading, ['x'])
      await world.bases.remove('w', 'k', 2500)
      await world.finish(reading, [])
      await world.sweepAll()
      for (const [table, count] of Object.entries(await world.countRows())) assert.equal(count, 0, table)
    })
  })

  test('expires the leases of crashed holders only', async () => {
    for (const file of ['f1', 'f2', 'f3']) await world.addDocument('w', 'k', file)
    const [first, second] = [await world.claim(), await world.claim()]
    assert.deepEqual((await world.queue.leases.all()).sort(), [first.lease, second.lease].sort())
    await world.queue.leases.expire([first.lease, 'unknown'], 2500)
    assert.deepEqual(
      [(await world.claim(2500)).fileId, (await world.claim(2500)).fileId].sort(),
      [first.fileId, 'f3'].sort(),
    )
    assert.ok(await world.finish(second, ['x']))
    assert.equal(await world.finish(first, ['x']), false)
    await world.queue.leases.expire([second.lease], 2600)
    assert.ok(!(await world.queue.leases.all()).includes(second.lease))
  })

  test('isolates workspaces that use the same ids', async () => {
    await world.makeBase('v', 'k')
    await world.addDocument('w', 'k', 'f')
    await world.addDocument('v', 'k', 'f')
    const readings = [await world.claim(), await world.claim()]
    const mine = readings.find(({ workspaceId }) => workspaceId === 'w')!
    const theirs = readings.find(({ workspaceId }) => workspaceId === 'v')!
    const same = { ...theirs, batchId: mine.batchId }
    assert.ok(await world.finish(mine, ['mine']))
    assert.equal(await world.queue.renew({ ...mine, workspaceId: 'v' }, 'parsing', 0, 1, 2), false)
    assert.equal((await world.documents.find('v', await world.base('v', 'k'), 'f'))?.status, 'parsing')
    assert.ok(await world.staging.agreeOnDimension('w', 'k-g1', 3))
    assert.ok(await world.staging.agreeOnDimension('v', 'k-g1', 4))
    assert.deepEqual(await world.shown('v', 'k-g1', mine.batchId), [])
    assert.ok(await world.queue.fail(same, error, 2500))
    assert.deepEqual(await world.shown('w', 'k-g1', mine.batchId), ['mine'])
  })

  describe('swapping in the next generation', () => {
    const reindex = (): Promise<unknown> =>
      world.update('w', 'k', { chunking: otherChunking }, { nextGenerationId: 'g2', now: 1500 })

    test('happens once every job is done, and then shows its documents', async () => {
      const old = await world.addIngested('w', 'k', 'f1', ['old'])
      await world.addIngested('w', 'k', 'f2', ['old'])
      await reindex()
      assert.equal(await world.bases.swapCompleted(4000), 0)
      const first = await world.ingestNext(['new'])
      assert.deepEqual(first.chunking, otherChunking)
      assert.equal(await world.bases.swapCompleted(4000), 0)
      const counts = (await world.bases.record('w', await world.base('w', 'k'))).counts
      assert.deepEqual(counts.reindexing, { total: 2, done: 1, failed: 0 })
      assert.deepEqual(await world.shown('w', 'k-g1', old.batchId), ['old'], 'the old generation is searched')
      const second = await world.claim()
      assert.equal(await world.bases.swapCompleted(4000), 0, 'not while a document is being ingested')
      await world.finish(second, ['new too'])
      assert.equal(await world.bases.swapCompleted(4000), 1)
      const base = await world.base('w', 'k')
      assert.deepEqual([base.generation.id, base.next, base.updatedAt], ['g2', undefined, 4000])
      assert.deepEqual(await world.shown('w', 'g2', second.batchId), ['new too'])
      assert.equal(await world.bases.swapCompleted(4000), 0)
      await world.sweepAll()
      const rows = await world.countRows()
      assert.deepEqual([rows['generations'], rows['readings'], rows['chunks'], rows['batches']], [1, 2, 2, 2])
    })

    test('waits while a searchable document failed in the next generation, until it is ingested or removed', async () => {
      await world.addIngested('w', 'k', 'f', ['old'])
      await reindex()
      await world.queue.fail(await world.claim(), error, 2500)
      assert.equal(await world.bases.swapCompleted(4000), 0)
      await world.documents.requeue('w', await world.base('w', 'k'), undefined, 1000)
      await world.ingestNext(['new'])
      assert.equal(await world.bases.swapCompleted(4000), 1)
    })

    test('happens although a document failed in both generations', async () => {
      await world.addDocument('w', 'k', 'f')
      await world.queue.fail(await world.claim(), error, 2500)
      await reindex()
      await world.queue.fail(await world.claim(), error, 2600)
      assert.equal(await world.bases.swapCompleted(4000), 1)
      assert.equal((await find('f'))?.status, 'failed')
    })

    test('happens in a base without documents', async () => {
      await reindex()
      assert.equal(await world.bases.swapCompleted(4000), 1)
      assert.equal((await world.base('w', 'k')).generation.id, 'g2')
    })

    test('waits while a document that failed in it is still searchable by an earlier batch', async () => {
      const old = await world.addIngested('w', 'k', 'f', ['old'])
      await world.documents.requeue('w', await world.base('w', 'k'), ['f'], 1000)
      await world.queue.fail(await world.claim(), error, 2500)
      await reindex()
      await world.queue.fail(await world.claim(), error, 2600)
      const { generation } = await world.base('w', 'k')
      assert.deepEqual(await world.shown('w', generation.id, old.batchId), ['old'])
      assert.equal(await world.bases.swapCompleted(4000), 0, 'the swap would lose a document')
    })

    test('keeps a document that is added concurrently', async () => {
      const other = await opened.openAgain()
      await world.makeBase('w', 'busy')
      for (let round = 0; round < 10; round++) {
        await world.addFile('w', `busy${round}`)
        const settings = { chunking: { ...otherChunking, size: 300 + round } }
        await world.update('w', 'busy', settings, { nextGenerationId: `busy-${round}`, now: 1 })
        const options = { chunking: undefined, metadata: {}, now: 1 }
        await Promise.all([
          world.bases.swapCompleted(2),
          other.documents.add('w', 'busy', [`busy${round}`], options),
        ])
        const base = await world.base('w', 'busy')
        assert.ok(await world.documents.find('w', base, `busy${round}`), `round ${round}`)
        for (;;) {
          const names = { workspaceId: 'w', lease: world.name('l'), batchId: world.name('b') }
          const reading = await world.queue.claim({ ...names, now: 9, until: 99 })
          if (!reading) break
          assert.ok(await world.finish(reading, ['x']))
        }
        await world.bases.swapCompleted(3)
        const counts = (await world.bases.record('w', await world.base('w', 'busy'))).counts
        assert.deepEqual([counts.documents, counts.open, counts.reindexing], [round + 1, 0, undefined])
      }
    })
  })

  test('requires the dimension of the first vector for all vectors of a generation', async () => {
    const other = await opened.openAgain()
    assert.ok(await world.staging.agreeOnDimension('w', 'k-g1', 3))
    assert.ok(await other.staging.agreeOnDimension('w', 'k-g1', 3))
    assert.equal(await world.staging.agreeOnDimension('w', 'k-g1', 4), false)
    assert.equal((await world.base('w', 'k')).generation.dimension, 3)
    assert.equal(await world.staging.agreeOnDimension('w', 'unknown', 3), false)
    await world.makeBase('w', 'k2')
    const agreed = await Promise.all(
      [5, 6, 5, 6].map((dimension, at) =>
        (at < 2 ? world : other).staging.agreeOnDimension('w', 'k2-g1', dimension),
      ),
    )
    assert.equal(agreed.filter(Boolean).length, 2)
  })

  test('a passage that is added while the next index takes its document is in that index, too', {
    skip: !isPostgres && 'SQLite has one write at a time',
  }, async () => {
    await world.addIngested('w', 'k', 'f', ['one'])
    await world.update('w', 'k', { chunking: otherChunking }, { nextGenerationId: 'g2', now: 1500 })
    const job = await world.claim()
    const base = await world.base('w', 'k')
    const passage = { id: 'chunk_own', content: 'added', enabled: true, revision: 0, createdAt: 5 }
    const none = { from: 1, passages: [], segment: undefined, vectors: [] }
    const segment = segmentOfTexts({ batchId: 'own', name: 'f.txt', from: 1, texts: ['added'] })
    const own = { ...none, batchId: 'own', passages: [passage], segment }
    const passages = new ManualPassageStore((await opened.openAgain()).database)
    let added: Promise<boolean> | undefined
    const interrupted = interruptedDatabase(world.database, { call: 'all' }, () => {
      added = passages.replace('w', base, 'f', [], own, 4000)
      return added
    })
    const manual = { ...none, batchId: 'manual' }
    assert.ok(await new StagingStore(interrupted).finish(job, partOf(job, ['one']), 1, 3000, { manual }))
    assert.ok(await added)
    assert.equal(await world.bases.swapCompleted(5000), 0, 'the document is ingested again')
    assert.equal((await world.claim(5000)).generationId, 'g2')
  })
})
