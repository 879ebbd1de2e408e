import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { SegmentBuilder } from '../../src/knowledge/index/segment-builder.ts'
import type { IngestionJob } from '../../src/knowledge/ingest/ingestion-queue.ts'
import { manualPassages } from '../../src/knowledge/knowledge-tables.ts'
import { textTerms } from '../../src/knowledge/text/text-terms.ts'
import { type KnowledgeWorld, type OpenedWorld, openWorld, partOf } from './knowledge-world.ts'

describe('groups of small texts', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
    await world.makeBase('w', 'k')
  })
  afterEach(() => opened.cleanup())

  const claim = (now = 2000): Promise<IngestionJob[]> =>
    world.groups.claim({
      ...{ workspaceId: 'w', now, until: now + 1000 },
      mint: () => ({ lease: world.name('lease'), batchId: world.name('batch') }),
    })
  const filesOf = (jobs: { fileId: string }[]): string[] => jobs.map(({ fileId }) => fileId).sort()
  const find = async (fileId: string) => world.documents.find('w', await world.base('w', 'k'), fileId)

  function finish(jobs: IngestionJob[], vector?: Float32Array) {
    const builder = new SegmentBuilder()
    for (const { fileId } of jobs) builder.add(textTerms(`about ${fileId}`))
    const segment = builder.finishAll(jobs.map(({ batchId }) => ({ batchId, from: 0, count: 1 })))
    const read = jobs.map(job => ({
      job,
      chunks: partOf(job, [`about ${job.fileId}`]).chunks,
      vectors: vector ? [vector] : [],
    }))
    return world.groups.finish(read, segment, world.name('seg'), 3000)
  }

  test('are claimed once, and found together when they are ready', async () => {
    for (const id of ['a', 'b', 'c']) await world.addDocument('w', 'k', id)
    const jobs = await claim()
    assert.deepEqual(filesOf(jobs), ['a', 'b', 'c'])
    assert.equal(new Set(jobs.map(job => job.lease)).size, 3)
    assert.deepEqual(await claim(), [])
    assert.equal(await world.queue.nextDue(), 3000)
    assert.equal((await find('b'))?.status, 'parsing')
    assert.deepEqual(filesOf((await finish(jobs)).map(({ job }) => job)), ['a', 'b', 'c'])
    for (const { fileId, batchId, generationId } of jobs) {
      assert.deepEqual(await world.shown('w', generationId, batchId), [`about ${fileId}`])
      const document = await find(fileId)
      assert.deepEqual([document?.status, document?.chunkCount, document?.attempts], ['ready', 1, 1])
    }
    const [segment, ...others] = await world.segments.segments('w', 'k-g1')
    assert.deepEqual([segment?.chunkCount, others.length], [3, 0])
    assert.equal(await world.queue.nextDue(), undefined)
  })

  test('have only small texts of one base that were never tried', async () => {
    await world.addDocument('w', 'k', 'tried', { now: 900 })
    const tried = await world.claim()
    await world.queue.release(tried, { dueAt: 1001, retries: 0, error: undefined, now: 950 })
    await world.makeBase('w', 'k2')
    for (const id of ['a', 'b', 'manual']) await world.addDocument('w', 'k', id)
    const passage = { id: 'p', content: 'by hand', enabled: true, revision: 0, createdAt: 1 }
    const ofManual = { workspaceId: 'w', knowledgeId: 'k', fileId: 'manual' }
    await world.database.statement(manualPassages.insert({ ...ofManual, ...passage }))
    await world.addDocument('w', 'k2', 'other', { now: 1001 })
    await world.addDocument('w', 'k', 'large', { now: 1001, size: 1 << 20 })
    await world.addDocument('w', 'k', 'scan', { now: 1001, mimeType: 'image/png' })
    await world.addDocument('w', 'k', 'future', { now: 9000 })
    assert.deepEqual(filesOf(await claim()), ['a', 'b'])
  })

  test('have vectors where the base has an embedding model', async () => {
    await world.makeBase('w', 'vectors', { embeddingModel: 'm' })
    for (const id of ['a', 'b']) await world.addDocument('w', 'vectors', id)
    const jobs = await claim()
    assert.deepEqual(
      jobs.map(job => [job.embeddingModel, job.dimension]),
      [
        ['m', null],
        ['m', null],
      ],
    )
    await world.groups.reportEmbedding(jobs, 2500)
    const base = await world.base('w', 'vectors')
    assert.equal((await world.documents.find('w', base, 'a'))?.status, 'embedding')
    assert.equal((await finish(jobs, Float32Array.of(0.6, 0.8))).length, 2)
    assert.deepEqual(await world.chunks.sampleVectors('w', 'vectors-g1', 9), [
      Float32Array.of(0.6, 0.8),
      Float32Array.of(0.6, 0.8),
    ])
  })

  test('leave out documents that were deleted or claimed by another process meanwhile', async () => {
    for (const id of ['a', 'b', 'c']) await world.addDocument('w', 'k', id)
    const jobs = await claim()
    await world.documents.remove('w', 'k', 'b')
    const taken = await world.claim(5000)
    const rest = filesOf(jobs).filter(id => id !== 'b' && id !== taken.fileId)
    assert.deepEqual(filesOf((await finish(jobs)).map(({ job }) => job)), rest)
    for (const { fileId, batchId, generationId } of jobs)
      assert.equal((await world.shown('w', generationId, batchId)).length, rest.includes(fileId) ? 1 : 0)
    assert.ok(await world.finish(taken, ['alone']))
    assert.deepEqual(await finish(jobs), [], 'all of them are settled')
  })

  test('change nothing when a passage was added by hand meanwhile', async () => {
    for (const id of ['a', 'b']) await world.addDocument('w', 'k', id)
    const jobs = await claim()
    const passage = { id: 'p', content: 'by hand', enabled: true, revision: 0, createdAt: 1 }
    const key = { workspaceId: 'w', knowledgeId: 'k', fileId: 'a' }
    await world.database.statement(manualPassages.insert({ ...key, ...passage }))
    await assert.rejects(finish(jobs), /added by hand/)
    assert.equal((await find('b'))?.status, 'parsing')
    assert.deepEqual((await world.segments.segments('w', 'k-g1')).length, 0)
    for (const job of jobs)
      assert.ok(await world.queue.release(job, { dueAt: 3000, retries: 0, error: undefined, now: 3000 }))
    assert.deepEqual(await claim(4000), [], 'each is tried alone')
  })

  test('leave the queue to a document that has waited longer', async () => {
    await world.addDocument('w', 'k', 'large', { now: 900, size: 1 << 20 })
    for (const id of ['a', 'b']) await world.addDocument('w', 'k', id)
    assert.deepEqual(await claim(), [])
    assert.equal((await world.claim()).fileId, 'large')
    assert.deepEqual(filesOf(await claim()), ['a', 'b'])
  })
})
