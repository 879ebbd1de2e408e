import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AmbientDatabase } from '../../src/database/ambient-database.ts'
import { FileStore, type RemovedFiles } from '../../src/files/file-store.ts'
import { type AddedDocuments, DocumentStore, fileUses } from '../../src/knowledge/document-store.ts'
import type { IngestionJob } from '../../src/knowledge/ingest/ingestion-queue.ts'
import { StagingStore } from '../../src/knowledge/ingest/staging-store.ts'
import type { DocumentError, DocumentStatus } from '../../src/knowledge/knowledge-base.ts'
import { interruptedDatabase } from './interrupted-database.ts'
import { type KnowledgeWorld, type OpenedWorld, openWorld, otherChunking, partOf } from './knowledge-world.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])
const error: DocumentError = { code: 'no_text', message: 'It holds no text', retryable: false }

describe('document store', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
  })
  afterEach(() => opened.cleanup())

  const add = (fileIds: string[], workspaceId = 'w', knowledgeId = 'k') =>
    world.documents.add(workspaceId, knowledgeId, fileIds, { chunking: undefined, metadata: {}, now: 1000 })

  const find = async (fileId: string) => world.documents.find('w', await world.base('w', 'k'), fileId)

  const reindex = (id: string): Promise<unknown> =>
    world.update('w', 'k', { embeddingModel: id }, { nextGenerationId: id, now: 1500 })

  test('returns a document as it was added', async () => {
    await world.makeBase('w', 'k')
    await world.addFile('w', 'f')
    const metadata = { language: 'en', year: 2026, tags: ['a', 'b'], is_open: true }
    const options = { chunking: otherChunking, metadata, now: 1000 }
    const result = await world.documents.add('w', 'k', ['f'], options)
    const expected = {
      fileId: 'f',
      name: 'f.txt',
      mimeType: 'text/plain',
      size: 3,
      status: 'queued',
      progress: 0,
      chunkCount: 0,
      attempts: 0,
      pagesDone: undefined,
      pagesTotal: undefined,
      warnings: undefined,
      error: undefined,
      metadata,
      chunking: otherChunking,
      sourceUrl: undefined,
      createdAt: 1000,
      updatedAt: 1000,
      indexedAt: undefined,
    }
    assert.deepEqual(result, { added: [expected], skipped: [] })
    assert.deepEqual(await find('f'), expected)
    assert.equal(await find('g'), undefined)
    assert.deepEqual((await world.claim()).chunking, otherChunking)
  })

  test('skips existing documents and missing files, and adds the rest', async () => {
    await world.makeBase('w', 'k')
    await world.makeBase('w', 'k2')
    for (const file of ['f1', 'f2']) await world.addFile('w', file)
    await world.addFile('other', 'theirs')
    assert.equal((await add(['f1']))?.added.length, 1)
    const result = await add(['f1', 'f2', 'f2', 'none', 'theirs'])
    assert.deepEqual(
      result?.added.map(({ fileId }) => fileId),
      ['f2'],
    )
    assert.deepEqual(result?.skipped, [
      { fileId: 'f1', reason: 'already_added' },
      { fileId: 'none', reason: 'not_found' },
      { fileId: 'theirs', reason: 'not_found' },
    ])
    assert.equal((await add(['f1'], 'w', 'k2'))?.added.length, 1, 'a file can belong to two bases')
    assert.deepEqual(await add([]), { added: [], skipped: [] })
    assert.equal(await add(['f1'], 'w', 'none'), undefined)
    assert.equal(await add(['f1'], 'other', 'k'), undefined)
    assert.equal((await world.countRows())['readings'], 3)
  })

  test('creates a document once under concurrent additions', async () => {
    await world.makeBase('w', 'k')
    await world.addFile('w', 'f')
    const other = await opened.openAgain()
    const options = { chunking: undefined, metadata: { a: 1 }, now: 5 }
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? world : other).documents.add('w', 'k', ['f'], options),
      ),
    )
    assert.equal(results.flatMap(result => result?.added ?? []).length, 1)
    const rows = await world.countRows()
    assert.deepEqual([rows['documents'], rows['document_values'], rows['readings']], [1, 1, 1])
  })

  test('queues a document added during a re-index in both generations', async () => {
    await world.makeBase('w', 'k')
    await reindex('g2')
    await world.addDocument('w', 'k', 'f')
    const generations = [await world.claim(), await world.claim()].map(({ generationId }) => generationId)
    assert.deepEqual(generations.sort(), ['g2', 'k-g1'])
  })

  test('shows the progress of the job and the time of indexing', async () => {
    await world.makeBase('w', 'k')
    await world.addDocument('w', 'k', 'f')
    const reading = await world.claim(2000)
    assert.deepEqual([(await find('f'))?.status, (await find('f'))?.attempts], ['parsing', 1])
    await world.queue.renew(reading, 'embedding', 0.5, 2500, 9000)
    const during = await find('f')
    assert.deepEqual([during?.status, during?.progress, during?.updatedAt], ['embedding', 0.5, 2500])
    assert.ok(await world.finish(reading, ['one', 'two'], [], 3000))
    const ready = await find('f')
    assert.deepEqual(
      [ready?.status, ready?.progress, ready?.chunkCount, ready?.indexedAt, ready?.updatedAt],
      ['ready', 1, 2, 3000, 3000],
    )
  })

  test('shows a failure with its reason, also one in the next generation', async () => {
    await world.makeBase('w', 'k')
    await world.addDocument('w', 'k', 'f')
    await world.queue.fail(await world.claim(), error, 2500)
    assert.deepEqual([(await find('f'))?.status, (await find('f'))?.error], ['failed', error])

    await world.addIngested('w', 'k', 'good', ['text'])
    await reindex('g2')
    for (let turn = 0; turn < 2; turn++) await world.queue.fail(await world.claim(), error, 2600)
    assert.deepEqual([(await find('good'))?.status, (await find('good'))?.error], ['ready', error])
  })

  test('lists newest first, filtered by status and name, in pages', async () => {
    await world.makeBase('w', 'k')
    await world.makeBase('w', 'k2')
    await world.addIngested('w', 'k', '说明_100%', ['x'])
    await world.addDocument('w', 'k', 'Readme', { now: 1005 })
    await world.addDocument('w', 'k2', 'elsewhere', { now: 1006 })
    const base = await world.base('w', 'k')
    const listed = async (status?: DocumentStatus, keyword = '', page = { page: 1, pageSize: 9 }) => {
      const { total, items } = await world.documents.list('w', base, { status, keyword }, page)
      return [total, ...items.map(({ fileId }) => fileId)]
    }
    assert.deepEqual(await listed(), [2, 'Readme', '说明_100%'])
    assert.deepEqual(await listed('ready'), [1, '说明_100%'])
    assert.deepEqual(await listed('queued'), [1, 'Readme'])
    assert.deepEqual(await listed('failed'), [0])
    assert.deepEqual(await listed(undefined, 'README'), [1, 'Readme'])
    assert.deepEqual(await listed(undefined, '_1'), [1, '说明_100%'])
    assert.deepEqual(await listed(undefined, '0%'), [1, '说明_100%'])
    assert.deepEqual(await listed(undefined, '', { page: 2, pageSize: 1 }), [2, '说明_100%'])
    assert.deepEqual(
      (await world.documents.list('x', base, { status: undefined, keyword: '' }, { page: 1, pageSize: 9 }))
        .total,
      0,
    )
  })

  describe('queueing documents again', () => {
    test('selects all failed documents by default', async () => {
      await world.makeBase('w', 'k')
      await world.addIngested('w', 'k', 'ready', ['x'])
      for (const file of ['bad1', 'bad2']) {
        await world.addDocument('w', 'k', file)
        await world.queue.fail(await world.claim(), error, 2500)
      }
      await world.addDocument('w', 'k', 'waiting')
      const result = await world.documents.requeue('w', await world.base('w', 'k'), undefined, 4000)
      assert.deepEqual(result, { accepted: ['bad1', 'bad2'], skipped: [] })
      const document = await find('bad1')
      assert.deepEqual([document?.status, document?.error, document?.updatedAt], ['queued', undefined, 4000])
      assert.equal((await find('ready'))?.status, 'ready')
      const again = await world.documents.requeue('w', await world.base('w', 'k'), undefined, 4000)
      assert.deepEqual(again, { accepted: [], skipped: [] })
    })

    test('selects the named documents with any status, unless they are in progress', async () => {
      await world.makeBase('w', 'k')
      const { batchId } = await world.addIngested('w', 'k', 'ready', ['old'])
      await world.addDocument('w', 'k', 'waiting', { now: 1200 })
      await world.addDocument('w', 'k', 'taken', { now: 1100 })
      const taken = await world.claim()
      assert.equal(taken.fileId, 'taken')
      const base = await world.base('w', 'k')
      const names = ['ready', 'waiting', 'taken', 'none', 'ready']
      assert.deepEqual(await world.documents.requeue('w', base, names, 4000), {
        accepted: ['ready'],
        skipped: [
          { fileId: 'waiting', reason: 'in_progress' },
          { fileId: 'taken', reason: 'in_progress' },
          { fileId: 'none', reason: 'not_found' },
        ],
      })
      assert.deepEqual(await world.shown('w', 'k-g1', batchId), ['old'], 'the previous batch stays')
      assert.ok(await world.queue.renew(taken, 'chunking', 0.1, 1, 9000), 'the lease stays valid')
      assert.deepEqual(await world.documents.requeue('x', base, ['ready'], 4000), {
        accepted: [],
        skipped: [{ fileId: 'ready', reason: 'not_found' }],
      })
    })

    test('selects only the generation in which the document failed', async () => {
      await world.makeBase('w', 'k')
      await world.addIngested('w', 'k', 'f', ['x'])
      await reindex('g2')
      await world.queue.fail(await world.claim(), error, 2500)
      const base = await world.base('w', 'k')
      assert.deepEqual((await world.documents.requeue('w', base, undefined, 4000)).accepted, ['f'])
      assert.equal((await world.claim(5000)).generationId, 'g2')
      assert.equal((await find('f'))?.status, 'ready')
    })

    test('resets the interruption count', async () => {
      await world.makeBase('w', 'k')
      await world.addDocument('w', 'k', 'f')
      for (let now = 2000; now < 2300; now += 100) await world.claim(now, now + 50)
      assert.equal(
        await world.queue.claim({ workspaceId: 'w', lease: 'l', batchId: 'b', now: 9000, until: 9001 }),
        undefined,
      )
      assert.equal((await find('f'))?.error?.code, 'interrupted')
      await world.documents.requeue('w', await world.base('w', 'k'), undefined, 9100)
      await world.claim(9200, 9300)
      assert.equal((await world.claim(9400)).fileId, 'f')
    })
  })

  describe('removing a document', () => {
    test('hides it from every search as soon as the call resolves', async () => {
      await world.makeBase('w', 'k')
      const { batchId } = await world.addIngested('w', 'k', 'f', ['one', 'two'], { metadata: { a: 'b' } })
      const kept = await world.addIngested('w', 'k', 'kept', ['three'])
      const before = (await world.base('w', 'k')).generation.revision
      assert.ok(await world.documents.remove('w', 'k', 'f'))
      assert.deepEqual(await world.shown('w', 'k-g1', batchId), [])
      const base = await world.base('w', 'k')
      assert.ok(base.generation.revision > before, 'the revision advances')
      assert.equal(await find('f'), undefined)
      assert.equal((await world.chunks.list('w', base, 'f', { page: 1, pageSize: 9 })).total, 0)
      assert.equal(await world.chunks.find('w', base, 'f', `${batchId}_0`), undefined)
      const batches = await world.chunks.batchesOf('w', base, { fileIds: undefined, conditions: [] })
      assert.deepEqual(batches, new Set([kept.batchId]))
      assert.equal(await world.segments.liveChunks('w', 'k-g1'), 1)
      assert.deepEqual((await world.bases.record('w', base)).counts.documents, 1)
      assert.deepEqual(await world.shown('w', 'k-g1', kept.batchId), ['three'])
      assert.equal(await world.documents.remove('w', 'k', 'f'), false)
    })

    test('revokes the lease of its worker, whose result is dropped', async () => {
      await world.makeBase('w', 'k')
      await world.addDocument('w', 'k', 'f')
      const reading = await world.claim()
      assert.ok(await world.stage(reading, ['one'], [Float32Array.of(1)]))
      assert.ok(await world.documents.remove('w', 'k', 'f'))
      assert.equal(await world.queue.renew(reading, 'chunking', 0.5, 2100, 9000), false)
      const more = partOf(reading, ['two'], [Float32Array.of(1)], { from: 1, segmentOrdinal: 1 })
      assert.equal(await world.staging.stage(reading, more, 2200), false)
      assert.equal(await world.staging.finish(reading, more, 2, 2200), false)
      assert.equal(await world.queue.fail(reading, error, 2200), false)
      const release = { dueAt: 1, retries: 1, error: undefined, now: 2200 }
      assert.equal(await world.queue.release(reading, release), false)
      assert.deepEqual(await world.shown('w', 'k-g1', reading.batchId), [])
      assert.equal(await world.queue.nextDue(), undefined)
      assert.deepEqual(await world.segments.segments('w', 'k-g1'), [])
      await world.sweepAll()
      const rows = await world.countRows()
      assert.deepEqual([rows['chunks'], rows['segments'], rows['vectors'], rows['batches']], [0, 0, 0, 0])
    })

    test('keeps the same file in other bases and workspaces', async () => {
      for (const [workspaceId, id] of [
        ['w', 'k'],
        ['w', 'k2'],
        ['v', 'k'],
      ] as const)
        await world.makeBase(workspaceId, id)
      await world.addIngested('w', 'k', 'f', ['one'])
      const theirs = await world.addIngested('v', 'k', 'f', ['theirs'])
      assert.equal((await add(['f'], 'w', 'k2'))?.added.length, 1)
      const other = await world.ingestNext(['other'])
      assert.ok(await world.documents.remove('w', 'k', 'f'))
      assert.deepEqual(await world.shown('w', 'k2-g1', other.batchId), ['other'])
      assert.deepEqual(await world.shown('v', 'k-g1', theirs.batchId), ['theirs'])
      assert.equal(await world.documents.remove('x', 'k2', 'f'), false)
      await world.sweepAll()
      assert.deepEqual(await world.shown('v', 'k-g1', theirs.batchId), ['theirs'])
    })

    test('removes it from the next generation too', async () => {
      await world.makeBase('w', 'k')
      await world.addIngested('w', 'k', 'f', ['one'])
      await reindex('g2')
      const { batchId } = await world.ingestNext(['two'])
      assert.ok(await world.documents.remove('w', 'k', 'f'))
      assert.deepEqual(await world.shown('w', 'g2', batchId), [])
      assert.equal(await world.bases.swapCompleted(5000), 1)
      assert.deepEqual(await world.shown('w', 'g2', batchId), [])
    })

    test('takes precedence over a job that finishes concurrently', async () => {
      await world.makeBase('w', 'k')
      const other = await opened.openAgain()
      for (let round = 0; round < 15; round++) {
        await world.addDocument('w', 'k', `f${round}`)
        const reading = await world.claim()
        const [, removed] = await Promise.all([
          world.finish(reading, ['text']),
          other.documents.remove('w', 'k', reading.fileId),
        ])
        assert.ok(removed)
        assert.deepEqual(await world.shown('w', 'k-g1', reading.batchId), [])
        assert.equal(await world.segments.liveChunks('w', 'k-g1'), 0)
      }
    })
  })

  describe('during a re-index', {
    skip: !isPostgres && 'SQLite has one write at a time',
  }, () => {
    let other: KnowledgeWorld
    let claimed: Promise<IngestionJob | undefined> | undefined
    beforeEach(async () => {
      other = await opened.openAgain()
      claimed = undefined
      await world.makeBase('w', 'k')
      await world.addIngested('w', 'k', 'f', ['one'])
    })

    const claimNext = async (): Promise<IngestionJob | undefined> => {
      await other.update('w', 'k', { embeddingModel: 'g2' }, { nextGenerationId: 'g2', now: 1500 })
      return other.queue.claim({ workspaceId: 'w', lease: 'l', batchId: 'b', now: 5000, until: 9000 })
    }
    /** The re-index starts after the first such call in a transaction, and its job is claimed unless it has to wait. */
    const interruptedAfter = (call: 'all' | 'run', begin: 'transaction' | 'deletion'): DocumentStore => {
      const claim = () => {
        claimed = claimNext()
        return claimed
      }
      return new DocumentStore(interruptedDatabase(world.database, { begin, call }, claim))
    }

    test('a removed document is not added again', async () => {
      assert.ok(await interruptedAfter('all', 'deletion').remove('w', 'k', 'f'))
      const job = await claimed
      if (job) await other.finish(job, ['late'], [Float32Array.of(1, 0)])
      const { counts } = await world.bases.record('w', await world.base('w', 'k'))
      assert.deepEqual(counts.reindexing, { total: 0, done: 0, failed: 0 })
    })

    test('a document with other content is ingested with it', async () => {
      const file = { name: 'new.txt', size: 9, mimeType: 'text/plain' }
      await interruptedAfter('run', 'transaction').replaceContent('w', 'f', file, 4000)
      const job = await claimed
      const isHeld = job && (await other.queue.renew(job, 'parsing', 0.5, 5100, 9000))
      assert.ok(job?.name === 'new.txt' || !isHeld)
    })
  })

  describe('during another change of the same document', {
    skip: !isPostgres && 'SQLite has one write at a time',
  }, () => {
    let other: KnowledgeWorld
    beforeEach(async () => {
      other = await opened.openAgain()
      await world.makeBase('w', 'k')
      await world.addIngested('w', 'k', 'f', ['one'])
    })

    /** A deadlock fails: a unit of work cannot be repeated. */
    const onlyOnce = <Result>(work: (database: AmbientDatabase) => Promise<Result>): Promise<Result> => {
      const database = new AmbientDatabase(other.database)
      return database.inOneTransaction(() => work(database))
    }

    test('new content causes no deadlock with its removal', async () => {
      let removed: Promise<boolean> | undefined
      const meanwhile = () => {
        removed = onlyOnce(database => new DocumentStore(database).remove('w', 'k', 'f'))
        return removed
      }
      const interrupted = interruptedDatabase(world.database, { call: 'all' }, meanwhile)
      const file = { name: 'new.txt', size: 9, mimeType: 'text/plain' }
      await new DocumentStore(interrupted).replaceContent('w', 'f', file, 4000)
      assert.equal(await removed, true)
    })

    test('the deletion of its file causes no deadlock with an addition', async () => {
      let added: Promise<AddedDocuments | undefined> | undefined
      const meanwhile = () => {
        const options = { chunking: undefined, metadata: {}, now: 1000 }
        added = onlyOnce(database => new DocumentStore(database).add('w', 'k', ['f'], options))
        return added
      }
      const interrupted = interruptedDatabase(world.database, { begin: 'deletion', call: 'all' }, meanwhile)
      const { deleted } = await new FileStore(interrupted, fileUses).remove('w', ['f'], true)
      assert.deepEqual(deleted, ['f'])
      assert.equal((await added)?.skipped.length, 1)
    })

    test('the deletion of two files causes no deadlock with the ingestion of the second one', async () => {
      await world.addDocument('w', 'k', 'g')
      const job = await world.claim()
      let removed: Promise<RemovedFiles> | undefined
      const meanwhile = () => {
        removed = onlyOnce(database => new FileStore(database, fileUses).remove('w', ['f', 'g'], true))
        return removed
      }
      const interrupted = interruptedDatabase(world.database, { call: 'run' }, meanwhile)
      assert.ok(await new StagingStore(interrupted).finish(job, partOf(job, ['two']), 1, 3000))
      assert.deepEqual((await removed)?.deleted, ['f', 'g'])
      for (const rows of ['documents', 'readings']) assert.equal((await world.countRows())[rows], 0, rows)
    })
  })
})
