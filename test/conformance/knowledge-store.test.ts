import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Query } from '../../src/database/sql.ts'
import type { KnowledgeSettings } from '../../src/knowledge/knowledge-base.ts'
import { KnowledgeStore } from '../../src/knowledge/knowledge-store.ts'
import {
  chunking,
  type KnowledgeWorld,
  type OpenedWorld,
  openWorld,
  otherChunking,
  settingsOf,
} from './knowledge-world.ts'

describe('knowledge store', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
  })
  afterEach(() => opened.cleanup())

  const create = (workspaceId: string, id: string, name: string): Promise<boolean> =>
    world.bases.create(workspaceId, { ...settingsOf(name), id, generationId: `${id}-g1`, createdAt: 5 })

  const update = (id: string, change: Partial<KnowledgeSettings>, nextGenerationId: string, now = 2000) =>
    world.update('w', id, change, { nextGenerationId, now })

  const page = { page: 1, pageSize: 10 }
  const listed = async (workspaceId: string, keyword = '', ids?: string[], pages = page): Promise<string[]> =>
    (await world.bases.list(workspaceId, { keyword, ids }, pages)).items.map(({ id }) => id)

  test('returns a base as it was created', async () => {
    const settings = settingsOf('Größe 大\u2028', {
      chunking: { strategy: 'qa', size: 100, overlap: 10, separators: ['\n', '。'] },
      embeddingModel: 'm',
      retrieval: { mode: 'semantic', topK: 9, scoreThreshold: 0.25, rerank: true },
      metadata: { tags: ['a', 1, true], __proto__x: 'y' },
    })
    assert.ok(await world.bases.create('w', { ...settings, id: 'k', generationId: 'g', createdAt: 7 }))
    assert.deepEqual(await world.bases.find('w', 'k'), {
      ...settings,
      id: 'k',
      generation: {
        id: 'g',
        chunking: settings.chunking,
        embeddingModel: 'm',
        dimension: null,
        revision: 0,
      },
      next: undefined,
      createdAt: 7,
      updatedAt: 7,
    })
    assert.equal(await world.bases.find('w', 'other'), undefined)
  })

  test('rejects a duplicate name in a workspace, and frees it when the base is deleted', async () => {
    assert.ok(await create('w', 'a', 'Handbook'))
    assert.equal(await create('w', 'b', 'Handbook'), false)
    assert.equal(await world.bases.find('w', 'b'), undefined)
    assert.ok(await create('w', 'c', 'handbook'))
    assert.ok(await create('other', 'a', 'Handbook'))
    assert.ok(await world.bases.remove('w', 'a', 9))
    assert.ok(await create('w', 'b', 'Handbook'))
    assert.equal(await create('w', 'd', 'Handbook'), false)
    assert.ok(await world.bases.remove('w', 'b', 10))
    assert.ok(await create('w', 'e', 'Handbook'))
  })

  test('grants a name to one of many concurrent creates', async () => {
    const other = await opened.openAgain()
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? world : other).bases.create('w', {
          ...settingsOf('Wanted'),
          id: `k${index}`,
          generationId: `g${index}`,
          createdAt: 5,
        }),
      ),
    )
    assert.equal(made.filter(Boolean).length, 1)
    await create('w', 'a', 'First')
    await create('w', 'b', 'Second')
    const renamed = await Promise.all([
      world.update('w', 'a', { name: 'Third' }, { nextGenerationId: 'x', now: 9 }),
      other.update('w', 'b', { name: 'Third' }, { nextGenerationId: 'y', now: 9 }),
    ])
    assert.equal(renamed.filter(each => each === 'name_taken').length, 1)
  })

  test('isolates workspaces that use the same ids', async () => {
    await create('mine', 'k', 'Mine')
    await create('theirs', 'k', 'Theirs')
    await world.addIngested('theirs', 'k', 'f', ['theirs'])
    assert.equal((await world.base('mine', 'k')).name, 'Mine')
    assert.deepEqual(await listed('mine'), ['k'])
    const options = { nextGenerationId: 'k-g2', now: 9 }
    await world.update('mine', 'k', { name: 'Changed', chunking: otherChunking }, options)
    const theirs = await world.base('theirs', 'k')
    assert.deepEqual([theirs.name, theirs.next], ['Theirs', undefined])
    assert.equal((await world.bases.record('mine', await world.base('mine', 'k'))).counts.documents, 0)
    assert.equal((await world.bases.record('theirs', theirs)).counts.documents, 1)
    assert.ok(await world.bases.remove('mine', 'k', 10))
    assert.ok(await world.bases.find('theirs', 'k'))
    await world.sweepAll()
    assert.equal((await world.bases.record('theirs', theirs)).counts.chunks, 1)
    assert.equal(await world.bases.find('nobody', 'k'), undefined)
    assert.equal(await world.bases.remove('nobody', 'k', 10), false)
  })

  test('lists the most recently updated first, page by page, filtered by keyword and id', async () => {
    await create('w', 'a', 'Handbook 100%')
    await create('w', 'b', '说明_书')
    await create('w', 'c', 'Manual')
    await update('b', { description: 'Über alles' }, 'x', 50)
    assert.deepEqual(await listed('w'), ['b', 'a', 'c'])
    assert.deepEqual(await listed('w', '', undefined, { page: 2, pageSize: 2 }), ['c'])
    assert.equal(
      (await world.bases.list('w', { keyword: '', ids: undefined }, { page: 9, pageSize: 2 })).total,
      3,
    )
    assert.deepEqual(await listed('w', 'HANDBOOK'), ['a'])
    assert.deepEqual(await listed('w', '0%'), ['a'])
    assert.deepEqual(await listed('w', '_'), ['b'])
    assert.deepEqual(await listed('w', 'über'), ['b'])
    assert.deepEqual(await listed('w', 'about manual'), ['c'])
    assert.deepEqual(await listed('w', '', ['c', 'a', 'nope']), ['a', 'c'])
    assert.deepEqual(await listed('w', '', []), [])
    assert.deepEqual(await listed('other'), [])
    await world.bases.remove('w', 'a', 60)
    assert.deepEqual(await listed('w'), ['b', 'c'])
  })

  test('counts documents and chunks, including failed and pending ones', async () => {
    await world.makeBase('w', 'k')
    await world.addIngested('w', 'k', 'f1', ['one', 'two'])
    await world.addDocument('w', 'k', 'f2')
    const error = { code: 'no_text', message: 'None', retryable: false } as const
    await world.queue.fail(await world.claim(), error, 5)
    await world.addDocument('w', 'k', 'f3')
    const counts = { documents: 3, chunks: 2, failed: 1, open: 1, reindexing: undefined }
    assert.deepEqual((await world.bases.record('w', await world.base('w', 'k'))).counts, counts)
    const { items } = await world.bases.list('w', { keyword: '', ids: undefined }, page)
    assert.deepEqual(items[0]!.counts, counts)

    await update('k', { chunking: otherChunking }, 'g2')
    const reindexing = { total: 3, done: 0, failed: 0 }
    assert.deepEqual(
      (await world.bases.record('w', await world.base('w', 'k'))).counts.reindexing,
      reindexing,
    )
  })

  describe('updating a base', () => {
    test('changes only the given fields', async () => {
      const before = await world.makeBase('w', 'k', { metadata: { a: 1 } })
      const changed = await update('k', { name: 'New', metadata: { b: 2 } }, 'g2', 77)
      assert.deepEqual(changed, { ...before, name: 'New', metadata: { b: 2 }, updatedAt: 77 })
      assert.deepEqual(await world.base('w', 'k'), changed)
    })

    test('reads the current base, so that concurrent updates are all applied', async () => {
      await world.makeBase('w', 'k')
      const other = await opened.openAgain()
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 ? world : other).bases.update(
            'w',
            'k',
            ({ metadata }) => ({ metadata: { ...metadata, [`key${index}`]: index } }),
            { nextGenerationId: `g${index}`, now: 10 },
          ),
        ),
      )
      assert.equal(Object.keys((await world.base('w', 'k')).metadata).length, 8)
    })

    test('changes nothing for a missing base or a duplicate name', async () => {
      await create('w', 'a', 'First')
      await create('w', 'b', 'Second')
      const before = await world.base('w', 'b')
      assert.equal(await update('b', { name: 'First', description: 'x' }, 'g2'), 'name_taken')
      assert.deepEqual(await world.base('w', 'b'), before)
      assert.equal(await update('none', { name: 'x' }, 'g2'), undefined)
      assert.notEqual(await update('b', { name: 'Second' }, 'g2'), 'name_taken')
      await world.bases.remove('w', 'a', 9)
      assert.notEqual(await update('b', { name: 'First' }, 'g2'), 'name_taken')
      assert.equal(await update('a', { name: 'x' }, 'g2'), undefined)
    })

    test('starts no generation when the index is unaffected', async () => {
      await world.makeBase('w', 'k')
      const change = {
        name: 'x',
        retrieval: { topK: 9, scoreThreshold: 1, rerank: true },
        chunking: { overlap: 64, size: 512, strategy: 'auto' } as const,
        embeddingModel: null,
      }
      const changed = await update('k', change, 'g2')
      assert.ok(typeof changed === 'object' && changed.next === undefined)
    })

    test('starts the next generation with every document when chunking or model change', async () => {
      await world.makeBase('w', 'k')
      await world.addIngested('w', 'k', 'f1', ['one'])
      await world.addDocument('w', 'k', 'f2')
      const changed = await update('k', { embeddingModel: 'm' }, 'g2')
      assert.ok(typeof changed === 'object')
      assert.equal(changed.generation.id, 'k-g1')
      assert.equal(changed.generation.embeddingModel, null)
      const generation = { id: 'g2', chunking, embeddingModel: 'm', dimension: null, revision: 0 }
      assert.deepEqual(changed.next, generation)
      assert.deepEqual((await world.bases.record('w', changed)).counts.reindexing, {
        total: 2,
        done: 0,
        failed: 0,
      })
      assert.equal((await world.bases.record('w', changed)).counts.documents, 2)
      // The same update again starts nothing.
      assert.equal(((await update('k', { embeddingModel: 'm' }, 'g3')) as typeof changed).next?.id, 'g2')
    })

    test('abandons the pending generation for another one, or when the live one matches again', async () => {
      await world.makeBase('w', 'k')
      await world.addIngested('w', 'k', 'f1', ['one'])
      await update('k', { embeddingModel: 'm' }, 'g2')
      const under = await world.claim()
      assert.equal(under.generationId, 'g2')
      const again = await update('k', { chunking: otherChunking }, 'g3')
      assert.ok(typeof again === 'object')
      assert.deepEqual([again.next?.id, again.next?.embeddingModel], ['g3', 'm'])

      const back = await update('k', { embeddingModel: null, chunking }, 'g4')
      assert.ok(typeof back === 'object')
      assert.deepEqual([back.generation.id, back.next], ['k-g1', undefined])
      assert.equal(
        await world.queue.claim({ workspaceId: 'w', lease: 'l', batchId: 'b', now: 90_000, until: 99_000 }),
        undefined,
      )
      assert.equal(await world.bases.swapCompleted(5000), 0)
      await world.sweepAll()
      assert.deepEqual(await world.countRows(), {
        knowledge_bases: 1,
        generations: 1,
        documents: 1,
        document_values: 0,
        readings: 1,
        batches: 1,
        chunks: 1,
        segments: 1,
        segment_blocks: 1,
        vectors: 0,
      })
    })
  })

  test('finds a base whose index is replaced and swept while it is read', async () => {
    await world.makeBase('w', 'k')
    let isSwept = false
    const sweepFirst = async (query: Query): Promise<unknown[]> => {
      if (!isSwept) {
        isSwept = true
        await update('k', { chunking: otherChunking }, 'g2')
        assert.equal(await world.bases.swapCompleted(3000), 1)
        await world.sweepAll()
      }
      return world.database.all(query)
    }
    const database = new Proxy(world.database, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (name === 'all') return sweepFirst
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    assert.equal((await new KnowledgeStore(database).find('w', 'k'))?.generation.id, 'g2')
    assert.equal(await new KnowledgeStore(database).find('w', 'other'), undefined)
  })

  test('hides a deleted base immediately, and deletes it only once', async () => {
    const base = await world.makeBase('w', 'k')
    await world.addIngested('w', 'k', 'f1', ['one'])
    await world.addDocument('w', 'k', 'f2')
    assert.ok(await world.bases.remove('w', 'k', 9))
    assert.equal(await world.bases.remove('w', 'k', 10), false)
    assert.equal(await world.bases.find('w', 'k'), undefined)
    assert.deepEqual(await listed('w'), [])
    const options = { chunking: undefined, metadata: {}, now: 5 }
    assert.equal(await world.documents.add('w', 'k', ['f2'], options), undefined)
    assert.equal(
      await world.queue.claim({ workspaceId: 'w', lease: 'l', batchId: 'b', now: 90_000, until: 99_000 }),
      undefined,
    )
    assert.equal(await world.bases.swapCompleted(11), 0)
    assert.equal(base.generation.id, 'k-g1')
  })
})
