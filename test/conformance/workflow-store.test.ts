import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { PublicationStore } from '../../src/workflow/publication-store.ts'
import { type Save, WorkflowStore } from '../../src/workflow/workflow-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const save = (id: string, graph: string, more: Partial<Save> = {}): Save => ({
  id,
  name: undefined,
  graph,
  nodeCount: 1,
  hasCredentials: false,
  expected: 'anything',
  at: 1000,
  ...more,
})

const textOf = (graph: Uint8Array | undefined): string | undefined => graph && Buffer.from(graph).toString()

describe('workflow store', () => {
  let opened: TestDatabase
  let store: WorkflowStore
  before(async () => {
    opened = await openTestDatabase()
    store = new WorkflowStore(opened.database)
  })
  after(() => opened.cleanup())

  test('returns the stored text unchanged, for any JSON', async () => {
    const text = '{"a":9007199254740993,"b":-0.0,"__proto__":{"x":"\\u0000 \\ud800"},"中文":"😀"}'
    assert.deepEqual(await store.save('w', save('verbatim', text)), { outcome: 'created', version: 1 })
    assert.equal(textOf((await store.find('w', 'verbatim'))?.graph), text)
    assert.equal(textOf((await store.version('w', 'verbatim', 1))?.graph), text)
  })

  test('creates a version for each different save, and none for an equal one', async () => {
    await store.save('w', save('history', '1'))
    assert.deepEqual(await store.save('w', save('history', '2')), { outcome: 'updated', version: 2 })
    assert.deepEqual(await store.save('w', save('history', '2')), { outcome: 'unchanged', version: 2 })
    assert.deepEqual(await store.save('w', save('history', '2', { name: 'n' })), {
      outcome: 'updated',
      version: 3,
    })
    assert.deepEqual(await store.save('w', save('history', '1')), { outcome: 'updated', version: 4 })
    const page = await store.versions('w', 'history', { page: 1, pageSize: 2 })
    assert.deepEqual([page.total, page.items.map(item => item.version)], [4, [4, 3]])
    assert.equal((await store.find('w', 'history'))?.name, 'n')
  })

  test('never lets the timestamps of a workflow go backwards', async () => {
    await store.save('w', save('time', '1', { at: 5000 }))
    await store.save('w', save('time', '2', { at: 1000 }))
    const found = await store.find('w', 'time')
    assert.deepEqual([found?.createdAt, found?.updatedAt], [5000, 5001])
  })

  test('checks the expected version of a save', async () => {
    assert.deepEqual(await store.save('w', save('cas', '1', { expected: 3 })), {
      outcome: 'conflict',
      version: 0,
    })
    assert.deepEqual(await store.save('w', save('cas', '1', { expected: 'present' })), {
      outcome: 'conflict',
      version: 0,
    })
    assert.deepEqual(await store.save('w', save('cas', '1', { expected: 'absent' })), {
      outcome: 'created',
      version: 1,
    })
    assert.deepEqual(await store.save('w', save('cas', '2', { expected: 'absent' })), {
      outcome: 'conflict',
      version: 1,
    })
    assert.deepEqual(await store.save('w', save('cas', '2', { expected: 1 })), {
      outcome: 'updated',
      version: 2,
    })
    assert.deepEqual(await store.save('w', save('cas', '3', { expected: 1 })), {
      outcome: 'conflict',
      version: 2,
    })
    assert.deepEqual(await store.save('w', save('cas', '3', { expected: 'present' })), {
      outcome: 'updated',
      version: 3,
    })
    assert.equal(textOf((await store.find('w', 'cas'))?.graph), '3')
  })

  test('accepts one of fifty concurrent saves with the same expected version, from two processes', async () => {
    const other = new WorkflowStore(await opened.openAgain())
    await store.save('w', save('race', '0'))
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        (at % 2 ? store : other).save('w', save('race', `"${at}"`, { expected: 1 })),
      ),
    )
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'updated').length, 1)
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'conflict').length, 49)
  })

  test('stores fifty concurrent saves without an expected version, also for a new id', async () => {
    const other = new WorkflowStore(await opened.openAgain())
    const graphs = Array.from({ length: 50 }, (_, at) => `"graph ${at}"`)
    await Promise.all(graphs.map((graph, at) => (at % 2 ? store : other).save('w', save('all', graph))))
    const { items } = await store.versions('w', 'all', { page: 1, pageSize: 100 })
    const stored = await Promise.all(
      items.map(async item => textOf((await store.version('w', 'all', item.version))!.graph)),
    )
    assert.deepEqual(stored.sort(), graphs.sort())
  })

  test('continues counting versions where a deleted workflow ended, for two processes', async () => {
    const other = new WorkflowStore(await opened.openAgain())
    const used = new Set<string>()
    const work = async (some: WorkflowStore, name: string): Promise<void> => {
      for (let at = 0; at < 20; at++) {
        const graph = `"${name} ${at}"`
        const saved = await some.save('w', save('phoenix', graph))
        assert.ok(!used.has(`${saved.version}`), `version ${saved.version} was used twice`)
        used.add(`${saved.version}`)
        await some.remove('w', 'phoenix', 9)
      }
    }
    await Promise.all([work(store, 'a'), work(other, 'b'), work(store, 'c')])
    assert.deepEqual(await store.save('two', save('phoenix', '1')), { outcome: 'created', version: 1 })
  })

  test('merges autosaves of one author for a limited time', async () => {
    const autosave = (graph: string, more: Partial<Save> = {}) =>
      store.save('w', save('typed', graph, { isAutosave: true, author: 'Ada', ...more }))
    const numbers = async () =>
      (await store.versions('w', 'typed', { page: 1, pageSize: 50 })).items.map(item => item.version)
    for (let second = 1; second <= 5; second++) await autosave(`${second}`, { at: second * 1000 })
    assert.deepEqual(await numbers(), [5], 'also the one that created the workflow')
    await autosave('6', { at: 1000 + limits.autosaveMilliseconds - 1 })
    assert.deepEqual(await numbers(), [6])
    await autosave('7', { at: 1000 + limits.autosaveMilliseconds })
    assert.deepEqual(await numbers(), [7, 6], 'the time counts from the first of them')
    await autosave('8', { at: 1001 + limits.autosaveMilliseconds, author: 'Bob' })
    await autosave('9', { at: 1002 + limits.autosaveMilliseconds, author: 'Ada' })
    assert.deepEqual(await numbers(), [9, 8, 7, 6])
    assert.ok(await store.kept('w', 'typed', 5), 'a run that is being started finds its graph')
    assert.equal(await store.version('w', 'typed', 5), undefined)
    const last = await autosave('10', { at: 1003 + limits.autosaveMilliseconds })
    assert.deepEqual([last.version, await numbers()], [10, [10, 8, 7, 6]])
  })

  test('publishes a version that exists, while it is being replaced by another process', async () => {
    const publications = new PublicationStore(opened.database)
    const other = new WorkflowStore(await opened.openAgain())
    const key = { workspaceId: 'w', workflowId: 'out' }
    assert.equal(await publications.publish({ ...key, version: 1 }, 5), undefined)
    await store.save('w', save('out', '0', { isAutosave: true }))
    for (let round = 1; round <= 30; round++) {
      const [published] = await Promise.all([
        publications.publish({ ...key, version: round }, 5),
        other.save('w', save('out', `${round}`, { isAutosave: true })),
      ])
      const current = await store.current('w', 'out')
      if (published) assert.equal(current?.publishedVersion, round)
      if (current?.publishedVersion !== undefined)
        assert.ok(await store.version('w', 'out', current.publishedVersion), 'the published version stays')
    }
    await publications.unpublish('w', 'out')
    assert.equal((await store.current('w', 'out'))?.publishedVersion, undefined)
  })

  test('isolates workspaces', async () => {
    await store.save('one', save('same', '1'))
    await store.save('two', save('same', '2'))
    assert.equal(textOf((await store.find('one', 'same'))?.graph), '1')
    assert.equal(await store.remove('two', 'same', 9), true)
    assert.equal(textOf((await store.find('one', 'same'))?.graph), '1')
    assert.equal(await store.find('two', 'same'), undefined)
    assert.equal(await store.version('three', 'same', 1), undefined)
    assert.equal((await store.list('three', '', { page: 1, pageSize: 10 })).total, 0)
  })

  test('deletes the history with the workflow', async () => {
    await store.save('w', save('gone', '1'))
    await store.save('w', save('gone', '2'))
    assert.equal(await store.remove('w', 'gone', 9), true)
    assert.equal(await store.remove('w', 'gone', 9), false)
    assert.equal((await store.versions('w', 'gone', { page: 1, pageSize: 10 })).total, 0)
    assert.deepEqual(await store.save('w', save('gone', '3')), { outcome: 'created', version: 3 })
  })

  test('deletes all or nothing when a delete and a create are concurrent', async () => {
    const other = new WorkflowStore(await opened.openAgain())
    for (let round = 0; round < 100; round++) {
      const id = `beside${round}`
      await Promise.all([store.save('w', save(id, '1')), other.remove('w', id, 9), other.remove('w', id, 9)])
      const listed = (await store.list('w', id, { page: 1, pageSize: 1 })).total
      assert.equal(
        (await store.find('w', id)) === undefined,
        listed === 0,
        'a listed workflow has a graph, and no other',
      )
      await store.remove('w', id, 9)
    }
  })

  test('lists the most recently updated first, in pages, filtered by parts of name or id', async () => {
    for (let at = 0; at < 5; at++)
      await store.save('list', save(`id${at}`, '1', { name: `Näme_${at}%`, at: 1000 + at }))
    const first = await store.list('list', '', { page: 1, pageSize: 2 })
    const last = await store.list('list', '', { page: 3, pageSize: 2 })
    assert.deepEqual(
      [first.total, first.items.map(item => item.id), last.items.map(item => item.id)],
      [5, ['id4', 'id3'], ['id0']],
    )
    const found = async (keyword: string) =>
      (await store.list('list', keyword, { page: 1, pageSize: 9 })).items.map(item => item.id)
    assert.deepEqual(await found('NÄME_3'), ['id3'])
    assert.deepEqual(await found('ID2'), ['id2'])
    assert.deepEqual(await found('m%'), [])
    assert.deepEqual((await found('0%')).length, 1)
    assert.deepEqual(await found("'; DROP TABLE workflows; --"), [])
  })
})
