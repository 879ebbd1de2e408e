import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Query } from '../../src/database/sql.ts'
import { ChunkStore, type FoundChunk } from '../../src/knowledge/chunk-store.ts'
import { SegmentBuilder } from '../../src/knowledge/index/segment-builder.ts'
import type { KnowledgeBase, Metadata } from '../../src/knowledge/knowledge-base.ts'
import { type FilterCondition, matchesFilter } from '../../src/knowledge/metadata-filter.ts'
import { textTerms } from '../../src/knowledge/text/text-terms.ts'
import { type KnowledgeWorld, type OpenedWorld, openWorld } from './knowledge-world.ts'

describe('chunk store', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
    await world.makeBase('w', 'k')
  })
  afterEach(() => opened.cleanup())

  const found = async (fileId: string, chunkId: string): Promise<FoundChunk> =>
    (await world.chunks.find('w', await world.base('w', 'k'), fileId, chunkId)) ??
    assert.fail(`chunk ${chunkId} does not exist`)

  const correct = async (
    chunk: FoundChunk,
    content: string,
    more: { batchId?: string; enabled?: boolean; vector?: Float32Array; where?: KnowledgeWorld } = {},
  ): Promise<boolean> => {
    const batchId = more.batchId ?? world.name('corrected')
    const builder = new SegmentBuilder()
    builder.add(textTerms(content))
    return (more.where ?? world).chunks.correct('w', await world.base('w', 'k'), chunk, {
      batchId,
      content,
      tokens: 7,
      enabled: more.enabled ?? true,
      segment: builder.finish({ batchId, from: chunk.position }),
      vector: more.vector,
      now: 5000,
    })
  }

  const vectorRows = async (): Promise<{ batch_id: string; position: number }[]> =>
    world.database.all('SELECT batch_id, position FROM vectors ORDER BY batch_id, position')

  test('lists the chunks of a document in order, page by page', async () => {
    const texts = Array.from({ length: 25 }, (_, index) => `text ${index}`)
    await world.addIngested('w', 'k', 'f', texts)
    await world.addIngested('w', 'k', 'g', ['other'])
    const base = await world.base('w', 'k')
    const second = await world.chunks.list('w', base, 'f', { page: 2, pageSize: 10 })
    assert.equal(second.total, 25)
    assert.deepEqual(
      second.items.map(({ content }) => content),
      texts.slice(10, 20),
    )
    assert.deepEqual(await world.chunks.list('w', base, 'none', { page: 1, pageSize: 10 }), {
      total: 0,
      items: [],
    })
    assert.equal((await world.chunks.list('x', base, 'f', { page: 1, pageSize: 10 })).total, 0)
  })

  test('finds a chunk by its id only within its document', async () => {
    const { batchId } = await world.addIngested('w', 'k', 'f', ['one', 'two'], { metadata: { a: [1, 'b'] } })
    await world.addIngested('w', 'k', 'g', ['three'])
    await world.makeBase('w', 'k2')
    const base = await world.base('w', 'k')
    assert.deepEqual(await world.chunks.find('w', base, 'f', `${batchId}_1`), {
      id: `${batchId}_1`,
      batchId,
      position: 1,
      content: 'two',
      heading: ['Part one'],
      page: 2,
      lastPage: 3,
      from: 100,
      to: 103,
      tokens: 3,
      enabled: true,
      edited: false,
      fileId: 'f',
      fileName: 'f.txt',
      sourceUrl: undefined,
      metadata: { a: [1, 'b'] },
    })
    assert.deepEqual(await world.chunks.boxes('w', { batchId, position: 1 }), [
      { page: 2, width: 595, height: 842, boxes: [[72, 90.5, 523, 104]] },
    ])
    assert.deepEqual(await world.chunks.boxes('x', { batchId, position: 1 }), [])
    const other = await world.base('w', 'k2')
    assert.equal(await world.chunks.find('w', base, 'g', `${batchId}_1`), undefined)
    assert.equal(await world.chunks.find('x', base, 'f', `${batchId}_1`), undefined)
    assert.equal(await world.chunks.find('w', other, 'f', `${batchId}_1`), undefined)
    for (const id of ['', 'none', `${batchId}_2`, 'other_1', `_`, `x_${'9'.repeat(30)}`, '_0', '%_0'])
      assert.equal(await world.chunks.find('w', base, 'f', id), undefined, id)
  })

  test('returns only visible chunks by address, within one generation and one workspace', async () => {
    const one = await world.addIngested('w', 'k', 'f', ['a', 'b', 'c'])
    const two = await world.addIngested('w', 'k', 'g', ['d'])
    await world.addDocument('w', 'k', 'h')
    const staged = await world.claim()
    await world.stage(staged, ['not yet'])
    const addresses = [one, two, staged, { batchId: 'none' }].flatMap(({ batchId }) =>
      [0, 1, 2, 3].map(position => ({ batchId, position })),
    )
    const shown = await world.chunks.fetch('w', 'k-g1', addresses)
    assert.deepEqual(shown.map(({ content }) => content).sort(), ['a', 'b', 'c', 'd'])
    assert.equal(shown.find(({ content }) => content === 'd')?.fileName, 'g.txt')
    assert.deepEqual(await world.chunks.fetch('w', 'other', addresses), [])
    assert.deepEqual(await world.chunks.fetch('x', 'k-g1', addresses), [])
    assert.deepEqual(await world.chunks.fetch('w', 'k-g1', []), [])
  })

  /** How SQLite reads what a store asks for. */
  const planOf = async (ask: (chunks: ChunkStore) => Promise<unknown>): Promise<string> => {
    let asked: Query | undefined
    const read = (query: Query) => {
      asked = query
      return Promise.resolve([])
    }
    const get = (query: Query) => read(query).then(() => undefined)
    await ask(new ChunkStore(Object.create(world.database, { all: { value: read }, get: { value: get } })))
    const { text, parameters } = asked ?? assert.fail('nothing was read')
    return JSON.stringify(await world.database.all(`EXPLAIN QUERY PLAN ${text}`, ...parameters))
  }

  test('reads as many chunks as a reranker gets without a full scan', async t => {
    if (world.database.dialect !== 'sqlite') return t.skip('PostgreSQL has statistics')
    const addresses = Array.from({ length: 60 }, (_, position) => ({ batchId: 'b', position }))
    assert.match(
      await planOf(chunks => chunks.fetch('w', 'k-g1', addresses)),
      /SEARCH c USING INDEX \w+ \(workspace_id=\? AND batch_id=\? AND position=\?\)/,
    )
  })

  test('finds a chunk by its id, also one that was added by hand, without a full scan', async t => {
    if (world.database.dialect !== 'sqlite') return t.skip('PostgreSQL has statistics')
    const base = await world.base('w', 'k')
    for (const id of ['chunk_x_1', 'chunk_x'])
      assert.match(
        await planOf(chunks => chunks.find('w', base, 'f', id)),
        /SEARCH c USING INDEX \w+ \(workspace_id=\? AND batch_id=\?/,
      )
  })

  test('isolates workspaces that use the same ids', async () => {
    await world.makeBase('v', 'k')
    const mine = await world.addIngested('w', 'k', 'f', ['mine'], { metadata: { a: 'mine' } })
    await world.addDocument('v', 'k', 'f', { metadata: { a: 'theirs' } })
    const names = { workspaceId: 'v', lease: 'l', batchId: mine.batchId }
    const theirs = await world.queue.claim({ ...names, now: 2000, until: 3000 })
    assert.ok(await world.finish(theirs!, ['theirs']))
    assert.deepEqual(await world.shown('w', 'k-g1', mine.batchId), ['mine'])
    assert.deepEqual(await world.shown('v', 'k-g1', mine.batchId), ['theirs'])
    const chunk = await found('f', `${mine.batchId}_0`)
    assert.ok(await correct(chunk, 'mended'))
    assert.deepEqual(await world.shown('v', 'k-g1', mine.batchId), ['theirs'])
    const conditions = [{ key: 'a', equals: 'theirs' }]
    const base = await world.base('w', 'k')
    assert.deepEqual(await world.chunks.batchesOf('w', base, { fileIds: undefined, conditions }), new Set())
    assert.equal(await world.chunks.setEnabled('v', { ...chunk, batchId: 'none' }, false), false)
  })

  describe('disabling a chunk', () => {
    test('hides it from search but not from lists, until it is enabled again', async () => {
      const { batchId } = await world.addIngested('w', 'k', 'f', ['a', 'b'])
      const chunk = await found('f', `${batchId}_0`)
      assert.ok(await world.chunks.setEnabled('w', chunk, false))
      assert.deepEqual(await world.shown('w', 'k-g1', batchId), ['b'])
      assert.deepEqual(await found('f', `${batchId}_0`), { ...chunk, enabled: false })
      assert.ok(await world.chunks.setEnabled('w', chunk, true))
      assert.deepEqual(await world.shown('w', 'k-g1', batchId), ['a', 'b'])
    })

    test('is rejected when the chunk was corrected, re-ingested or removed meanwhile', async () => {
      const { batchId } = await world.addIngested('w', 'k', 'f', ['a', 'b'])
      const [first, second] = [await found('f', `${batchId}_0`), await found('f', `${batchId}_1`)]
      assert.ok(await correct(first, 'mended'))
      assert.equal(await world.chunks.setEnabled('w', first, false), false)
      await world.documents.remove('w', 'k', 'f')
      assert.equal(await world.chunks.setEnabled('w', second, false), false)
    })
  })

  describe('correcting a chunk', () => {
    test('keeps its id and position, and drops the old text and its address', async () => {
      const { batchId } = await world.addIngested('w', 'k', 'f', ['one', 'tow', 'three'])
      const before = await world.base('w', 'k')
      const chunk = await found('f', `${batchId}_1`)
      assert.ok(await correct(chunk, 'two', { batchId: 'mended' }))
      assert.deepEqual(await world.shown('w', 'k-g1', batchId), ['one', 'three'])
      assert.deepEqual(await world.shown('w', 'k-g1', 'mended'), ['two'])
      const after = await found('f', `${batchId}_1`)
      assert.deepEqual(after, { ...chunk, batchId: 'mended', content: 'two', tokens: 7, edited: true })
      const base = await world.base('w', 'k')
      const byCursor: number[] = []
      for (let cursor: string | undefined, isLast = false; !isLast; ) {
        const page = await world.chunks.list('w', base, 'f', { page: 1, pageSize: 1, cursor })
        byCursor.push(...page.items.map(({ position }) => position))
        cursor = page.nextCursor
        isLast = cursor === undefined
      }
      const { total, items } = await world.chunks.list('w', base, 'f', { page: 1, pageSize: 9 })
      assert.deepEqual(
        byCursor,
        items.map(({ position }) => position),
      )
      assert.equal(total, 3)
      assert.deepEqual(
        items.map(({ content, position }) => [position, content]),
        [
          [0, 'one'],
          [1, 'two'],
          [2, 'three'],
        ],
      )
      assert.ok(base.generation.revision > before.generation.revision)
      assert.equal((await world.segments.segments('w', 'k-g1')).length, 2)
      const own = await world.chunks.batchesOf('w', base, { fileIds: ['f'], conditions: [] })
      assert.deepEqual(own, new Set([batchId, 'mended']))
    })

    test('can be repeated and combined with disabling', async () => {
      const { batchId } = await world.addIngested('w', 'k', 'f', ['one'])
      assert.ok(await correct(await found('f', `${batchId}_0`), 'two', { batchId: 'c1' }))
      assert.ok(await correct(await found('f', `${batchId}_0`), 'three', { batchId: 'c2', enabled: false }))
      const chunk = await found('f', `${batchId}_0`)
      assert.deepEqual([chunk.content, chunk.enabled, chunk.batchId], ['three', false, 'c2'])
      for (const batch of [batchId, 'c1', 'c2']) assert.deepEqual(await world.shown('w', 'k-g1', batch), [])
    })

    test('replaces its vector', async () => {
      const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1)]
      const { batchId } = await world.addIngested('w', 'k', 'f', ['one', 'two'], { vectors })
      assert.ok(
        await correct(await found('f', `${batchId}_0`), 'new', {
          batchId: 'c',
          vector: Float32Array.of(0.6, 0.8),
        }),
      )
      assert.deepEqual(
        (await vectorRows()).map(row => `${row.batch_id}/${row.position}`).sort(),
        [`${batchId}/1`, 'c/0'].sort(),
      )
    })

    test('succeeds for only one of several concurrent corrections', async () => {
      const { batchId } = await world.addIngested('w', 'k', 'f', ['one', 'two'])
      const chunk = await found('f', `${batchId}_0`)
      const other = await opened.openAgain()
      const done = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          correct(chunk, `version ${index}`, { where: index % 2 ? other : world }),
        ),
      )
      assert.equal(done.filter(Boolean).length, 1)
      const winner = await found('f', `${batchId}_0`)
      assert.equal(winner.content, `version ${done.indexOf(true)}`)
      const rows = await world.countRows()
      assert.deepEqual([rows['chunks'], rows['segments'], rows['batches']], [2, 2, 2])
    })

    test('is rejected when the chunk was removed or re-ingested meanwhile', async () => {
      const { batchId } = await world.addIngested('w', 'k', 'f', ['one'])
      const chunk = await found('f', `${batchId}_0`)
      await world.documents.requeue('w', await world.base('w', 'k'), ['f'], 1000)
      const again = await world.ingestNext(['again'])
      assert.equal(await correct(chunk, 'late'), false)
      const fresh = await found('f', `${again.batchId}_0`)
      await world.documents.remove('w', 'k', 'f')
      assert.equal(await correct(fresh, 'late'), false)
      await world.sweepAll()
      const rows = await world.countRows()
      assert.deepEqual([rows['chunks'], rows['segments'], rows['batches'], rows['vectors']], [0, 0, 0, 0])
    })

    test('lasts until the document is re-ingested', async () => {
      const { batchId } = await world.addIngested('w', 'k', 'f', ['one'])
      assert.ok(await correct(await found('f', `${batchId}_0`), 'mended', { batchId: 'c' }))
      await world.documents.requeue('w', await world.base('w', 'k'), ['f'], 1000)
      const again = await world.ingestNext(['again'])
      assert.deepEqual(await world.shown('w', 'k-g1', 'c'), [])
      assert.deepEqual(await world.shown('w', 'k-g1', again.batchId), ['again'])
      await world.sweepAll()
      const rows = await world.countRows()
      assert.deepEqual([rows['chunks'], rows['segments'], rows['batches']], [1, 1, 1])
    })
  })

  describe('chunk filter', () => {
    const documents: Record<string, Metadata> = {
      en: { language: 'en', year: 2024, open: true, tags: ['a', 'b', 3], version: '1.10' },
      de: { language: 'de', year: 2025.5, open: false, tags: ['b'], version: '1.9' },
      zh: { language: '中文', year: 2026, tags: [], version: '2' },
      none: {},
      long: { text: `${'大'.repeat(999)}a` },
      longer: { text: `${'大'.repeat(999)}b` },
      sign: { sign: '🎉' },
    }
    const of = (...conditions: FilterCondition[]) => conditions
    const cases: [
      label: string,
      conditions: FilterCondition[],
      fileIds: string[] | undefined,
      left: string,
    ][] = [
      ['nothing', [], undefined, 'de en long longer none sign zh'],
      ['files', [], ['en', 'none', 'unknown'], 'en none'],
      ['no files at all', [], [], ''],
      ['a text', of({ key: 'language', equals: 'en' }), undefined, 'en'],
      ['a text in another script', of({ key: 'language', equals: '中文' }), undefined, 'zh'],
      ['a text in other letters', of({ key: 'language', equals: 'EN' }), undefined, ''],
      ['a number', of({ key: 'year', equals: 2024 }), undefined, 'en'],
      ['a number as text', of({ key: 'year', equals: '2024' }), undefined, ''],
      ['a fraction', of({ key: 'year', equals: 2025.5 }), undefined, 'de'],
      ['true', of({ key: 'open', equals: true }), undefined, 'en'],
      ['false', of({ key: 'open', equals: false }), undefined, 'de'],
      ['an item of a list', of({ key: 'tags', equals: 'b' }), undefined, 'de en'],
      ['a number in a list', of({ key: 'tags', equals: 3 }), undefined, 'en'],
      ['one of several texts', of({ key: 'language', in: ['en', 'de'] }), undefined, 'de en'],
      ['one of mixed values', of({ key: 'tags', in: [3, 'x', true] }), undefined, 'en'],
      ['one of numbers', of({ key: 'year', in: [2026, 1] }), undefined, 'zh'],
      ['one of none', of({ key: 'year', in: [] }), undefined, ''],
      ['greater', of({ key: 'year', gt: 2024 }), undefined, 'de zh'],
      ['at least', of({ key: 'year', gte: 2024 }), undefined, 'de en zh'],
      ['less', of({ key: 'year', lt: 2025.5 }), undefined, 'en'],
      ['at most', of({ key: 'year', lte: 2025.5 }), undefined, 'de en'],
      ['between', of({ key: 'year', gt: 2024, lt: 2026 }), undefined, 'de'],
      ['texts in their order', of({ key: 'version', gte: '1.9' }), undefined, 'de zh'],
      ['a text against a number', of({ key: 'year', gt: '1' }), undefined, ''],
      ['texts in the order of their characters', of({ key: 'sign', gt: '！', lt: '𠮷' }), undefined, 'sign'],
      ['several keys', of({ key: 'tags', equals: 'b' }, { key: 'year', gt: 2024 }), undefined, 'de'],
      ['an unknown key', of({ key: 'colour', equals: 'red' }), undefined, ''],
      ['files and a key', of({ key: 'tags', equals: 'b' }), ['en', 'zh'], 'en'],
      ['a long text, to its end', of({ key: 'text', equals: `${'大'.repeat(999)}b` }), undefined, 'longer'],
      ['a key that looks like SQL', of({ key: "x' OR 1=1 --", equals: "' OR ''='" }), undefined, ''],
    ]

    test('returns the batches of the matching documents', async () => {
      const files = new Map<string, string>()
      for (const [fileId, metadata] of Object.entries(documents))
        files.set((await world.addIngested('w', 'k', fileId, ['x'], { metadata })).batchId, fileId)
      const base: KnowledgeBase = await world.base('w', 'k')
      for (const [label, conditions, fileIds, left] of cases) {
        const batches = await world.chunks.batchesOf('w', base, { fileIds, conditions })
        const names = [...batches].map(batchId => files.get(batchId)).sort()
        assert.equal(names.join(' '), left, label)
      }
    })

    test('selects the same chunks from existing results', () => {
      for (const [label, conditions, fileIds, left] of cases) {
        const names = Object.entries(documents)
          .filter(([fileId, metadata]) =>
            matchesFilter({ fileId, metadata } as FoundChunk, { fileIds, conditions }),
          )
          .map(([fileId]) => fileId)
        assert.equal(names.sort().join(' '), left, label)
      }
    })

    test('reports when more batches match than the limit', async () => {
      for (const file of ['f', 'g', 'h'])
        await world.addIngested('w', 'k', file, ['x'], { metadata: { a: 1 } })
      const filter = { fileIds: undefined, conditions: [{ key: 'a', equals: 1 }] }
      const base = await world.base('w', 'k')
      assert.equal(await world.chunks.fewBatchesOf('w', base, filter, 2), undefined)
      assert.equal((await world.chunks.fewBatchesOf('w', base, filter, 3))?.size, 3)
    })

    test('returns only live batches of this knowledge base', async () => {
      await world.makeBase('w', 'k2')
      await world.addIngested('w', 'k2', 'f', ['x'], { metadata: { a: 1 } })
      const live = await world.addIngested('w', 'k', 'g', ['x'], { metadata: { a: 1 } })
      await world.addDocument('w', 'k', 'h', { metadata: { a: 1 } })
      await world.stage(await world.claim(), ['x'])
      const conditions = [{ key: 'a', equals: 1 }]
      const base = await world.base('w', 'k')
      const batches = await world.chunks.batchesOf('w', base, { fileIds: undefined, conditions })
      assert.deepEqual(batches, new Set([live.batchId]))
    })
  })
})
