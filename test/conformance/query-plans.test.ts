import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database, Reader, Snapshot, Transaction } from '../../src/database/database.ts'
import { Query, type SqlValue } from '../../src/database/sql.ts'
import { knowledgeChecks } from '../../src/fsck/knowledge-checks.ts'
import { referenceChecks } from '../../src/fsck/reference-checks.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { SegmentBuilder } from '../../src/knowledge/index/segment-builder.ts'
import { textTerms } from '../../src/knowledge/text/text-terms.ts'
import { newPage } from '../../src/knowledge/web/web-page.ts'
import { WebPageStore } from '../../src/knowledge/web/web-page-store.ts'
import { WorkflowStore } from '../../src/workflow/workflow-store.ts'
import { KnowledgeWorld, type OpenedWorld, openWorld, partOf } from './knowledge-world.ts'

/** A condition on the workspace, or on the generation, and on nothing else. */
const readsAll = /\(workspace_id=\?(?: AND generation_id=\?)?\)$/

/** More than 32 addresses in a join are where SQLite, which keeps no statistics, prefers to read the table. */
const count = 40

describe('the rows that SQLite reads do not grow with a workspace', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  const asked: Query[] = []
  before(async () => {
    opened = await openWorld()
    world = new KnowledgeWorld(recording(opened.world.database))
    await world.makeBase('w', 'k', { embeddingModel: 'm' })
  })
  after(() => opened.cleanup())

  type Asked = [query: Query | string, ...parameters: SqlValue[]]
  const recorded = (...[query, ...parameters]: Asked): Query => {
    const whole = typeof query === 'string' ? new Query(query, parameters) : query
    asked.push(whole)
    return whole
  }
  const reading = (reader: Reader) => ({
    all: (...query: Asked) => reader.all(recorded(...query)),
    get: (...query: Asked) => reader.get(recorded(...query)),
  })
  function recording(database: Database): Database {
    const writing = (transaction: Transaction) => ({
      ...reading(transaction),
      run: (...query: Asked) => transaction.run(recorded(...query)),
    })
    const transact = <Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> =>
      database.transaction(transaction => work(writing(transaction) as Transaction))
    const snapshot = <Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> =>
      database.snapshot(of => {
        const each = (text: string, ...parameters: SqlValue[]) => {
          recorded(text, ...parameters)
          return of.each(text, ...parameters)
        }
        return work({ ...reading(of), each } as Snapshot)
      })
    return Object.assign(Object.create(database), {
      snapshot,
      ...reading(database),
      ...{ transaction: transact, deletion: transact },
      ...{ dialect: database.dialect, forUpdate: database.forUpdate, forClaim: database.forClaim },
    })
  }

  /** Does the work, and checks how each of its statements is executed. */
  async function check<Result>(work: () => Promise<Result>, avoided = readsAll): Promise<Result> {
    asked.length = 0
    const result = await work()
    assert.ok(asked.length > 0)
    if (world.database.dialect === 'sqlite')
      for (const { text, parameters } of asked) {
        const plan = await opened.world.database.all<{ detail: string }>(
          `EXPLAIN QUERY PLAN ${text}`,
          ...parameters,
        )
        for (const { detail } of plan) {
          assert.doesNotMatch(detail, /^SCAN p$/, text)
          // A limit ends what is read in the order of an index.
          if (!text.includes('LIMIT') || avoided !== readsAll) assert.doesNotMatch(detail, avoided, text)
        }
      }
    return result
  }

  const ids = Array.from({ length: count }, (_, at) => `f${at}`)

  test('when a group of documents is ingested', async () => {
    for (const id of ids) await world.addDocument('w', 'k', id)
    const mint = () => ({ lease: world.name('lease'), batchId: world.name('batch') })
    const jobs = await check(() => world.groups.claim({ workspaceId: 'w', now: 2000, until: 3000, mint }))
    assert.equal(jobs.length, count)
    const builder = new SegmentBuilder()
    for (const { fileId } of jobs) builder.add(textTerms(`about ${fileId}`))
    const segment = builder.finishAll(jobs.map(({ batchId }) => ({ batchId, from: 0, count: 1 })))
    const vectors = [Float32Array.of(0.6, 0.8)]
    const read = jobs.map(job => ({ job, chunks: partOf(job, [job.fileId]).chunks, vectors }))
    assert.equal((await check(() => world.groups.finish(read, segment, 'seg', 3000))).length, count)
  })

  test('when a quick document is claimed behind slow ones', async () => {
    for (const id of ['long', 'longer']) await world.addDocument('w', 'k', id, { size: 5 << 20 })
    await world.addDocument('w', 'k', 'short')
    const claim = { workspaceId: 'w', lease: world.name('lease'), batchId: world.name('batch') }
    const quick = { ...claim, now: 2000, until: 3000, onlyQuick: true }
    // Documents that may take long are not in this index.
    const otherIndex = /^SEARCH (?!.*readings_quick)/
    assert.equal(await check(() => world.queue.nextWorkspace('', 2000, true), otherIndex), 'w')
    assert.equal((await world.queue.claim(quick))?.fileId, 'short')
  })

  test('when blocks of the keyword index, passages and vectors are read', async () => {
    const [segment] = await world.segments.segments('w', 'k-g1')
    const blocks = Array.from({ length: count }, (_, ordinal) => ({ segmentId: segment!.id, ordinal }))
    assert.ok((await check(() => world.segments.blocks('w', blocks)))[0])
    const addresses = Array.from({ length: count }, (_, at) => ({ batchId: `batch${at}`, position: 0 }))
    await check(() => world.chunks.fetch('w', 'k-g1', addresses))
    assert.equal((await check(() => world.chunks.sampleVectors('w', 'k-g1', count))).length, count)
    const base = await world.base('w', 'k')
    for (const id of ['chunk_1', 'chunk']) await check(() => world.chunks.find('w', base, 'f1', id))
  })

  test('when files and documents are deleted', async () => {
    assert.deepEqual((await check(() => world.files.remove('w', ['f0'], false))).inUse, [
      { fileId: 'f0', knowledgeIds: ['k'] },
    ])
    assert.deepEqual((await check(() => world.files.remove('w', ids.slice(0, 3), true))).deleted, [
      'f0',
      'f1',
      'f2',
    ])
    assert.ok(await check(() => world.documents.remove('w', 'k', 'f3')))
  })

  test('when pages of deleted bases are searched', async () => {
    await check(() => new WebPageStore(world.database).pagesOfDeletedBases(10))
  })

  test('when the next web page is searched', async () => {
    const store = new WebPageStore(world.database)
    const page = { kind: 'page', refresh: 'off', options: {}, createdAt: 1, dueAt: 1 } as const
    await store.add('w', 'k', [newPage({ ...page, id: 'p', knowledgeId: 'k', url: 'https://x.example/' })], 9)
    // Pages of other hosts, and such that are not due yet.
    const others = /^SCAN web_pages|\(workspace_id=\?(?: AND due_at[^)]*)?\)$/
    assert.deepEqual(await check(() => store.dueWorkspaces(2), /^SCAN (?:p|web_pages)\b(?!.*COVERING)/), [
      'w',
    ])
    const turn = { workspaceId: 'w', after: '', now: 2, exceptHosts: ['y.example'] }
    const host = await check(() => store.nextHost(turn), others)
    assert.equal(host, 'x.example')
    const claim = { workspaceId: 'w', lease: 'l', now: 2, until: 3, mayTakeOver: () => true }
    assert.equal((await check(() => store.claim({ ...claim, host: 'x.example' }), others))?.id, 'p')
  })

  test('when a workflow is deleted', async () => {
    const store = new WorkflowStore(world.database)
    const more = {
      name: undefined,
      nodeCount: 1,
      hasCredentials: false,
      expected: 'anything',
      at: 1,
    } as const
    await store.save('w', { id: 'wf', graph: '{}', ...more })
    assert.ok(await check(() => store.remove('w', 'wf', 2)))
  })

  test('when the rows of each document are checked', async () => {
    const { database, bases, documents } = world
    const checks = [
      ...knowledgeChecks({ database, bases, documents, clock: systemClock }),
      ...referenceChecks(database),
    ]
    const { signal } = new AbortController()
    const inLoop = /^(?:SEARCH|SCAN) [bcvp]\b.*\(workspace_id=\?\)$/
    for (const { find } of checks) await check(() => find(() => undefined, signal), inLoop)
  })
})
