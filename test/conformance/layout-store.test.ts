import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AccessStore } from '../../src/access/access-store.ts'
import { LayoutStore, type Position } from '../../src/workflow/layout-store.ts'
import { WorkflowStore } from '../../src/workflow/workflow-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const maxNodes = 2000
const at = (x: number, y = 0): Position => ({ x, y })
const changes = (entries: Record<string, Position | undefined>) => new Map(Object.entries(entries))

describe('layout store', () => {
  let opened: TestDatabase
  let store: LayoutStore
  let workflows: WorkflowStore
  before(async () => {
    opened = await openTestDatabase()
    store = new LayoutStore(opened.database)
    workflows = new WorkflowStore(opened.database)
  })
  after(() => opened.cleanup())

  const makeWorkflow = (id: string, workspaceId = 'w') =>
    workflows.save(workspaceId, {
      id,
      name: undefined,
      graph: '{}',
      nodeCount: 0,
      hasCredentials: false,
      expected: 'anything',
      at: 1000,
    })
  const placed = async (id: string, workspaceId = 'w') => {
    const { positions } = await store.get(workspaceId, id)
    return [...positions]
  }

  const missing = { reason: 'not_found' }
  const shapesOf = async (id: string) => [...(await store.get('w', id)).shapes]

  test('returns no layout for a missing workflow', async () => {
    await assert.rejects(store.get('w', 'none'), missing)
    await assert.rejects(store.place('w', 'none', changes({ a: at(1) }), maxNodes), missing)
    await makeWorkflow('theirs', 'other')
    await assert.rejects(store.place('w', 'theirs', changes({ a: at(1) }), maxNodes), missing)
    assert.deepEqual(await placed('theirs', 'other'), [])
  })

  test('places some nodes, keeps the others, and removes nodes', async () => {
    await makeWorkflow('merge')
    assert.deepEqual(await placed('merge'), [])
    await store.place('w', 'merge', changes({ a: at(1, 2), b: at(3, 4), c: at(5, 6) }), maxNodes)
    await store.place('w', 'merge', changes({ a: at(-0.5, 1e6), b: undefined, unknown: undefined }), maxNodes)
    assert.deepEqual(await placed('merge'), [
      ['c', at(5, 6)],
      ['a', at(-0.5, 1e6)],
    ])
  })

  test('accepts any id, also one that a text column cannot store', async () => {
    await makeWorkflow('ids')
    const ids = ['__proto__', '\0', '\ud800', '树 🌳', '"', '10', '9']
    await store.place('w', 'ids', new Map(ids.map((id, place) => [id, at(place)])), maxNodes)
    assert.deepEqual(
      await placed('ids'),
      ids.map((id, place) => [id, at(place)]),
    )
  })

  test('stores notes and groups beside the positions, up to a limit', async () => {
    const note = { type: 'note', x: 1, y: 2, width: 240, height: 120, text: '树\n🌳', color: 'red' } as const
    const group = { type: 'group', title: 'G', color: 'grey', nodes: ['a'], notes: ['n'] } as const
    await makeWorkflow('drawn')
    await assert.rejects(store.putShapes('w', 'none', new Map([['n', note]]), 2), missing)
    assert.deepEqual(await shapesOf('drawn'), [])
    await store.putShapes('w', 'drawn', new Map([['n', note]]), 2)
    await store.place('w', 'drawn', changes({ a: at(1) }), maxNodes)
    await store.putShapes('w', 'drawn', new Map([['g', group]]), 2)
    const both = [
      ['n', note],
      ['g', group],
    ]
    assert.deepEqual(await shapesOf('drawn'), both)
    await assert.rejects(
      store.putShapes('w', 'drawn', new Map([['more', note]]), 2),
      /would be 3 sticky notes/,
    )
    assert.deepEqual(await shapesOf('drawn'), both)
    await store.putShapes('w', 'drawn', new Map([['n', undefined]]), 2)
    assert.deepEqual(await shapesOf('drawn'), [['g', group]])
    assert.deepEqual(await placed('drawn'), [['a', at(1)]])
  })

  test('removes the nodes that were placed the longest ago first', async () => {
    await makeWorkflow('full')
    await store.place('w', 'full', changes({ a: at(1), b: at(2), c: at(3) }), 3)
    await store.place('w', 'full', changes({ a: at(4) }), 3)
    await store.place('w', 'full', changes({ d: at(5) }), 3)
    assert.deepEqual(
      (await placed('full')).map(([id]) => id),
      ['c', 'a', 'd'],
    )
  })

  test('applies all concurrent changes', async () => {
    await makeWorkflow('together')
    const another = new LayoutStore(await opened.openAgain())
    const ids = Array.from({ length: 24 }, (_, place) => `node_${place}`)
    await Promise.all(
      ids.map((id, place) =>
        (place % 2 ? another : store).place('w', 'together', changes({ [id]: at(place) }), maxNodes),
      ),
    )
    assert.deepEqual((await placed('together')).map(([id]) => id).sort(), ids.toSorted())
  })

  test('does not change the workflow', async () => {
    await makeWorkflow('still')
    const found = await workflows.find('w', 'still')
    await store.place('w', 'still', changes({ a: at(1) }), maxNodes)
    assert.deepEqual(await workflows.find('w', 'still'), found)
  })

  test('deletes the layout with its workflow, also when the id is used again', async () => {
    await makeWorkflow('gone')
    await makeWorkflow('stays')
    for (const id of ['gone', 'stays']) await store.place('w', id, changes({ a: at(1) }), maxNodes)
    await workflows.remove('w', 'gone', 9)
    await assert.rejects(placed('gone'), missing)
    await makeWorkflow('gone')
    assert.deepEqual(await placed('gone'), [])
    assert.deepEqual(await placed('stays'), [['a', at(1)]])
  })

  test('deletes the layout with its workspace', async () => {
    const access = new AccessStore(opened.database)
    await access.addWorkspace({ id: 'leaving', name: 'leaving', createdAt: 1 })
    await makeWorkflow('drawn', 'leaving')
    await store.place('leaving', 'drawn', changes({ a: at(1) }), maxNodes)
    const rows = () =>
      opened.database.all('SELECT 1 AS one FROM workflow_layouts WHERE workspace_id = ?', 'leaving')
    assert.equal((await rows()).length, 1)
    await access.removeWorkspace('leaving', 2)
    while (await access.purge(3));
    assert.equal((await rows()).length, 0)
  })
})
