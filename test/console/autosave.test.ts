import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Autosave } from '../../console/src/editor/model/autosave.ts'
import { UnsettledConflict } from '../../console/src/editor/model/autosave-ports.ts'
import { createEditorStore } from '../../console/src/editor/model/editor-store.ts'
import { edgeKey, type Graph, makeEdge } from '../../console/src/editor/model/graph.ts'
import { chain, node } from './drawings.ts'
import { Broken, FakeWorkflowServer, type Fate } from './fake-workflow-server.ts'
import { VirtualClock } from './virtual-clock.ts'

function open() {
  const clock = new VirtualClock()
  const graph = chain('input', 'a', 'end')
  const server = new FakeWorkflowServer(graph, clock)
  const store = createEditorStore({ graph, positions: {} })
  const autosave = new Autosave(store, { graph, version: 1 }, server.ports())
  const statuses: string[] = []
  autosave.subscribe(() => {
    const { status } = autosave.state()
    if (statuses.at(-1) !== status) statuses.push(status)
  })
  const type = (title: string, id = 'a') =>
    store.edit({ type: 'node.change', id, data: { type: 'llm', title } })
  const saves = () => server.requests.filter(request => request.startsWith('save'))
  const fates = (...list: Fate[]) => {
    server.fate = () => list.shift() ?? 'works'
  }
  return { clock, server, store, autosave, statuses, type, saves, fates }
}

const titleIn = (graph: Graph, id = 'a') => graph.nodes.find(other => other.id === id)?.data.title

/** The graph as another user edits it. */
const withTitle = (graph: Graph, title: string, id = 'a'): Graph => ({
  ...graph,
  nodes: graph.nodes.map(other => (other.id === id ? { ...other, data: { ...other.data, title } } : other)),
})

describe('saving', () => {
  test('waits until nothing has changed for a moment, then saves once', async () => {
    const { clock, server, type, saves, statuses, autosave } = open()
    type('T')
    await clock.pass(700)
    type('Ti')
    await clock.pass(700)
    assert.deepEqual(saves(), [])
    await clock.pass(500)
    assert.deepEqual(saves(), ['save 1'])
    assert.equal(titleIn(server.graph), 'Ti')
    assert.deepEqual(statuses, ['changed', 'saving', 'saved'])
    assert.equal(autosave.state().version, 2)
    assert.equal(clock.pending, 0)
  })

  test('saves what changed during a save after it, never two at a time', async () => {
    const { clock, server, type, saves, autosave } = open()
    server.latency = () => 2000
    type('One')
    await clock.pass(1000)
    type('Two')
    await clock.pass(2500)
    assert.deepEqual(saves(), ['save 1'])
    await clock.pass(1500)
    assert.equal(autosave.state().status, 'changed')
    await clock.pass(5000)
    assert.deepEqual(saves(), ['save 1', 'save 2'])
    assert.equal(titleIn(server.graph), 'Two')
    assert.equal(autosave.state().status, 'saved')
  })

  test('sends nothing when an edit was undone, or only the selection changed', async () => {
    const { clock, store, type, autosave, server } = open()
    type('New')
    store.undo()
    store.select(['a'])
    await clock.pass(10_000)
    assert.deepEqual(server.requests, [])
    assert.equal(autosave.state().status, 'saved')
  })
})

describe('a failure', () => {
  test('that is temporary is retried after growing pauses, and the edits are kept', async () => {
    const { clock, server, type, saves, autosave, fates, statuses } = open()
    fates('breaks', 'breaks', 'breaks')
    type('One')
    await clock.pass(900)
    assert.equal(autosave.state().status, 'failed')
    assert.ok(autosave.state().error instanceof Broken)
    type('Two')
    await clock.pass(900)
    assert.equal(saves().length, 1)
    await clock.pass(200)
    assert.equal(saves().length, 2)
    await clock.pass(1700)
    assert.equal(saves().length, 2)
    await clock.pass(10_000)
    assert.equal(saves().length, 4)
    assert.equal(titleIn(server.graph), 'Two')
    assert.equal(autosave.state().error, undefined)
    assert.equal(statuses.at(-1), 'saved')
  })

  test('that is permanent waits for the next edit', async () => {
    const { clock, type, saves, autosave, fates, server } = open()
    fates('is refused')
    type('One')
    await clock.pass(600_000)
    assert.equal(autosave.state().status, 'failed')
    assert.equal(saves().length, 1)
    type('Two')
    await clock.pass(900)
    assert.equal(titleIn(server.graph), 'Two')
  })

  test('of the response only is no conflict with our own save, even after more edits', async () => {
    const { clock, type, autosave, fates, server, store } = open()
    fates('is lost')
    store.edit({ type: 'node.add', node: node('b'), position: { x: 0, y: 0 } })
    type('One')
    await clock.pass(900)
    type('Two')
    store.edit({ type: 'node.remove', id: 'b' })
    await clock.pass(5000)
    assert.equal(autosave.state().status, 'saved')
    assert.equal(titleIn(server.graph), 'Two')
    assert.equal(server.graph.nodes.length, 3)
  })

  test('of the response only is detected although the edit was undone in the meantime', async () => {
    const { clock, type, autosave, fates, server, store } = open()
    fates('is lost')
    type('One')
    await clock.pass(900)
    store.undo()
    await clock.pass(5000)
    assert.equal(autosave.state().status, 'saved')
    assert.equal(titleIn(server.graph), undefined)
  })

  test('of the response only is detected when another user continued from it', async () => {
    const { clock, type, autosave, fates, server, store } = open()
    fates('is lost')
    store.edit({ type: 'node.add', node: node('b'), position: { x: 0, y: 0 } })
    type('One')
    await clock.pass(900)
    server.store(withTitle(server.graph, 'Theirs', 'end'), 2)
    type('Two')
    store.edit({ type: 'node.remove', id: 'b' })
    await clock.pass(5000)
    assert.equal(autosave.state().status, 'saved')
    assert.deepEqual(
      server.graph.nodes.map(({ id, data }) => [id, data.title]),
      [
        ['input', undefined],
        ['a', 'Two'],
        ['end', 'Theirs'],
      ],
    )
  })
})

describe('another user’s version', () => {
  test('is merged and saved with our own edits; undo keeps it', async () => {
    const { clock, server, store, type, autosave } = open()
    const theirs = { ...withTitle(server.graph, 'Theirs', 'end') }
    server.store({ ...theirs, nodes: [...theirs.nodes, node('new')] }, 1)
    server.positions['new'] = { x: 7, y: 8 }
    type('Mine')
    await clock.pass(3000)
    assert.equal(autosave.state().status, 'saved')
    assert.equal(autosave.state().version, 3)
    for (const graph of [server.graph, store.state().graph]) {
      assert.equal(titleIn(graph), 'Mine')
      assert.equal(titleIn(graph, 'end'), 'Theirs')
    }
    assert.deepEqual(store.state().positions['new'], { x: 7, y: 8 })
    assert.deepEqual(server.placings, [])
    store.undo()
    await clock.pass(3000)
    assert.equal(titleIn(server.graph), undefined)
    assert.equal(titleIn(server.graph, 'end'), 'Theirs')
  })

  test('that conflicts stops saving until the conflict is resolved', async () => {
    const { clock, server, store, type, autosave, saves } = open()
    const base = server.graph
    server.store(withTitle(base, 'Theirs'), 1)
    type('Mine')
    await clock.pass(3000)
    const { status, conflict } = autosave.state()
    assert.equal(status, 'conflict')
    assert.deepEqual(conflict, { base, theirs: withTitle(base, 'Theirs'), theirVersion: 2, positions: {} })
    store.edit({ type: 'node.add', node: node('b'), position: { x: 0, y: 0 } })
    await clock.pass(60_000)
    assert.deepEqual(saves(), ['save 1'])
    await assert.rejects(autosave.flush(), UnsettledConflict)
    void autosave.resolve({ a: 'theirs' })
    await clock.pass(3000)
    assert.equal(autosave.state().status, 'saved')
    assert.equal(titleIn(server.graph), 'Theirs')
    assert.ok(server.graph.nodes.some(({ id }) => id === 'b'))
  })

  test('can be resolved synchronously by a listener of the conflict', async () => {
    const { clock, server, type, autosave } = open()
    autosave.subscribe(() => {
      if (autosave.state().conflict) void autosave.resolve({})
    })
    server.store(withTitle(server.graph, 'Theirs'), 1)
    type('Mine')
    await clock.pass(3000)
    assert.equal(titleIn(server.graph), 'Mine')
    assert.equal(autosave.state().status, 'saved')
  })

  test('created by a roll back is continued from, also if that is undone immediately', async () => {
    const { clock, server, store, type, autosave } = open()
    type('New')
    await clock.pass(2000)
    server.store(server.versions[0]!, 2)
    store.edit({ type: 'graph.replace', graph: server.versions[0]! })
    autosave.settle(3)
    store.undo()
    await clock.pass(3000)
    assert.equal(autosave.state().status, 'saved')
    assert.equal(titleIn(server.graph), 'New')
    assert.deepEqual(store.state().graph, server.graph)
  })

  test('is a failure, not an endless loop, when the server rejects without a newer version', async () => {
    const { clock, server, type, autosave } = open()
    const { save, ...ports } = server.ports()
    assert.ok(save)
    type('Mine')
    autosave.stop()
    const store = createEditorStore({ graph: withTitle(server.graph, 'Mine'), positions: {} })
    const refusing = { ...ports, save: () => Promise.reject(new Error('no')), isConflict: () => true }
    const other = new Autosave(store, { graph: server.graph, version: 1 }, refusing)
    await clock.pass(1000)
    assert.equal(other.state().status, 'failed')
  })
})

describe('a resolution', () => {
  /** Both changed the title of a; they also changed the end, I also added b. */
  async function clash() {
    const opened = open()
    const { server, store, type, clock, autosave } = opened
    server.store(withTitle(withTitle(server.graph, 'Theirs'), 'Only theirs', 'end'), 1)
    type('Mine')
    store.edit({ type: 'node.add', node: node('b'), position: { x: 0, y: 0 } })
    await clock.pass(3000)
    assert.equal(autosave.state().status, 'conflict')
    return opened
  }
  const titles = (graph: Graph) => [titleIn(graph), titleIn(graph, 'end')]

  test('is saved after a version with mine, and neither reverts their changes', async () => {
    const { server, clock, autosave } = await clash()
    void autosave.resolve({ a: 'theirs' })
    await clock.pass(3000)
    assert.equal(autosave.state().status, 'saved')
    assert.deepEqual(server.versions.slice(1).map(titles), [
      ['Theirs', 'Only theirs'],
      ['Mine', 'Only theirs'],
      ['Theirs', 'Only theirs'],
    ])
  })

  test('is not lost, and reverts nothing, when only its first half was saved', async () => {
    const { server, clock, autosave, fates } = await clash()
    fates('works', 'breaks', 'breaks')
    void autosave.resolve({ a: 'theirs' })
    await clock.pass(1000)
    assert.equal(autosave.state().status, 'failed')
    assert.equal(autosave.state().conflict, undefined)
    assert.deepEqual(titles(autosave.unsaved().mine), ['Theirs', 'Only theirs'])
    server.store(withTitle(server.graph, 'A third', 'input'), 3)
    await clock.pass(60_000)
    assert.deepEqual(titles(server.graph), ['Theirs', 'Only theirs'])
    assert.equal(titleIn(server.graph, 'input'), 'A third')
  })

  test('can be repeated when the response to its first half was lost', async () => {
    const { server, clock, autosave, fates } = await clash()
    fates('is lost')
    const failing = assert.rejects(autosave.resolve({ a: 'theirs' }), Broken)
    await clock.pass(1000)
    await failing
    assert.equal(autosave.state().status, 'conflict')
    void autosave.resolve({ a: 'theirs' })
    await clock.pass(3000)
    assert.equal(autosave.state().status, 'saved')
    assert.deepEqual(titles(server.graph), ['Theirs', 'Only theirs'])
    assert.equal(server.version, 4)
  })

  test('is requested again when they saved once more, and their newest version is kept', async () => {
    const { server, clock, autosave } = await clash()
    server.store(withTitle(withTitle(server.graph, 'Newer'), 'Newest', 'end'), 2)
    const failing = assert.rejects(autosave.resolve({ a: 'mine' }))
    await clock.pass(1000)
    await failing
    assert.equal(autosave.state().conflict?.theirVersion, 3)
    assert.equal(titleIn(autosave.state().conflict!.theirs), 'Newer')
    void autosave.resolve({ a: 'mine' })
    await clock.pass(3000)
    assert.deepEqual(titles(server.graph), ['Mine', 'Newest'])
  })

  test('keeps edits made before and during its save', async () => {
    const { server, clock, store, autosave } = await clash()
    const add = (id: string) => store.edit({ type: 'node.add', node: node(id), position: { x: 0, y: 0 } })
    add('before')
    server.latency = () => 500
    void autosave.resolve({ a: 'theirs' })
    await clock.pass(100)
    add('during')
    await clock.pass(10_000)
    const ids = server.graph.nodes.map(({ id }) => id)
    assert.ok(ids.includes('before') && ids.includes('during'))
    assert.deepEqual(store.state().graph, server.graph)
    assert.deepEqual(titles(server.graph), ['Theirs', 'Only theirs'])
  })

  test('includes the positions of their nodes', async () => {
    const { server, clock, store, autosave, type } = open()
    const theirs = withTitle(server.graph, 'Theirs')
    server.store({ ...theirs, nodes: [...theirs.nodes, node('new')] }, 1)
    server.positions['new'] = { x: 7, y: 8 }
    type('Mine')
    await clock.pass(3000)
    void autosave.resolve({})
    await clock.pass(3000)
    assert.deepEqual(store.state().positions['new'], { x: 7, y: 8 })
    assert.deepEqual(server.placings, [])
  })
})

describe('two users who add a node of the same kind', () => {
  for (const theirTitle of ['Mine', 'Theirs']) {
    test(`keep both, for example if theirs is called ${theirTitle}`, async () => {
      const { server, clock, store, autosave } = open()
      const added = (title: string) => node('llm_1', { type: 'llm', title })
      const { nodes, edges } = server.graph
      server.store({ nodes: [...nodes, added(theirTitle)], edges: [...edges, makeEdge('a', 'llm_1')] }, 1)
      server.positions['llm_1'] = { x: 1, y: 1 }
      store.edit({ type: 'node.add', node: added('Mine'), position: { x: 5, y: 5 } })
      store.edit({ type: 'edge.add', edge: makeEdge('input', 'llm_1') })
      store.edit({ type: 'node.change', id: 'a', data: { type: 'llm', prompt: '{{#llm_1.text#}}' } })
      store.select(['llm_1'])
      await clock.pass(5000)
      assert.equal(autosave.state().status, 'saved')
      assert.deepEqual(
        server.graph.nodes
          .slice(3)
          .map(({ id, data }) => [id, data.title])
          .toSorted(),
        [
          ['llm_1', theirTitle],
          ['llm_2', 'Mine'],
        ],
      )
      const keys = server.graph.edges.map(edgeKey)
      assert.ok(keys.includes(edgeKey(makeEdge('a', 'llm_1'))))
      assert.ok(keys.includes(edgeKey(makeEdge('input', 'llm_2'))))
      assert.equal(server.graph.nodes.find(({ id }) => id === 'a')?.data['prompt'], '{{#llm_2.text#}}')
      assert.deepEqual(server.positions, { llm_1: { x: 1, y: 1 }, llm_2: { x: 5, y: 5 } })
      assert.deepEqual([...store.state().selection.nodes], ['llm_2'])
      while (store.state().canUndo) store.undo()
      await clock.pass(5000)
      assert.equal(titleIn(server.graph, 'llm_1'), theirTitle)
      assert.equal(server.graph.nodes.length, 4)
    })
  }

  test('are not mistaken for two if a save of an earlier visit had succeeded', async () => {
    const clock = new VirtualClock()
    const graph = chain('input', 'end')
    const mine = { ...graph, nodes: [...graph.nodes, node('llm_1', { type: 'llm' })] }
    const server = new FakeWorkflowServer(graph, clock)
    server.store(mine, 1)
    const now = withTitle(mine, 'Edited since', 'llm_1')
    const store = createEditorStore({ graph: now, positions: {} })
    const autosave = new Autosave(store, { graph, version: 1, sent: [mine] }, server.ports())
    await clock.pass(3000)
    assert.equal(autosave.state().status, 'saved')
    assert.deepEqual(server.graph, now)
  })
})

describe('refreshing', () => {
  test('merges changes of others although nothing was edited here', async () => {
    const { server, clock, store, autosave } = open()
    server.store(withTitle(server.graph, 'Theirs'), 1)
    const done = autosave.refresh()
    await clock.pass(100)
    await done
    assert.equal(titleIn(store.state().graph), 'Theirs')
    assert.equal(autosave.state().version, 2)
    assert.equal(autosave.state().status, 'saved')
    assert.deepEqual(server.requests, ['read'])
    const again = autosave.refresh()
    await clock.pass(100)
    await again
  })

  test('rejects if there is a conflict', async () => {
    const { server, clock, type, autosave } = open()
    server.store(withTitle(server.graph, 'Theirs'), 1)
    type('Mine')
    const done = assert.rejects(autosave.refresh(), UnsettledConflict)
    await clock.pass(100)
    await done
  })
})

describe('a graph that was stored elsewhere', () => {
  test('is not saved again', async () => {
    const { clock, type, autosave, fates, saves, store } = open()
    fates('is refused', 'is refused')
    type('Mine')
    store.edit({ type: 'nodes.move', positions: { a: { x: 5, y: 5 } } })
    await clock.pass(2000)
    assert.equal(autosave.state().status, 'failed')
    autosave.abandon()
    assert.equal(autosave.state().status, 'saved')
    await autosave.flush()
    assert.equal(saves().length, 1)
  })
})

describe('flush', () => {
  test('saves immediately and resolves when the server has everything', async () => {
    const { clock, server, type, autosave, saves } = open()
    server.latency = () => 1000
    type('One')
    await clock.pass(900)
    type('Two')
    let isDone = false
    const flushing = autosave.flush().then(() => {
      isDone = true
    })
    await clock.pass(1500)
    assert.equal(isDone, false)
    await clock.pass(2500)
    await flushing
    assert.deepEqual(saves(), ['save 1', 'save 2'])
    assert.equal(titleIn(server.graph), 'Two')
  })

  test('rejects with the reason when it cannot be saved', async () => {
    const { clock, type, autosave, fates } = open()
    fates('breaks')
    type('One')
    const flushing = assert.rejects(autosave.flush(), Broken)
    await clock.pass(100)
    await flushing
  })

  test('completes although the editor is closed right after it', async () => {
    const { clock, type, store, autosave, server, fates } = open()
    fates('works', 'works')
    type('Last words')
    store.edit({ type: 'nodes.move', positions: { a: { x: 5, y: 5 } } })
    void autosave.flush()
    autosave.stop()
    await clock.pass(1000)
    assert.equal(titleIn(server.graph), 'Last words')
    assert.deepEqual(server.positions, { a: { x: 5, y: 5 } })
    type('Too late')
    await clock.pass(10_000)
    assert.equal(titleIn(server.graph), 'Last words')
    assert.equal(clock.pending, 0)
  })
})

describe('positions', () => {
  const move = (x: number) => ({ type: 'nodes.move', positions: { a: { x, y: 0 } } }) as const

  test('are saved apart from the graph, only changed ones, and deleted with their nodes', async () => {
    const { clock, server, store, saves, autosave } = open()
    store.edit(move(1))
    await clock.pass(500)
    store.edit({ type: 'nodes.move', positions: { a: { x: 2, y: 0 }, end: { x: 3, y: 3 } } })
    await clock.pass(1000)
    assert.deepEqual(server.placings, [{ a: { x: 2, y: 0 }, end: { x: 3, y: 3 } }])
    assert.deepEqual(saves(), [])
    assert.equal(autosave.state().status, 'saved')
    store.edit({ type: 'node.remove', id: 'a' })
    await clock.pass(1000)
    assert.deepEqual(server.placings.at(-1), { a: null })
  })

  test('count as unsaved until the server has them, and report the failure', async () => {
    const { clock, store, autosave, fates, statuses } = open()
    fates('breaks')
    store.edit(move(1))
    assert.equal(autosave.state().status, 'changed')
    assert.deepEqual(autosave.unsaved().places, { a: { x: 1, y: 0 } })
    await clock.pass(1000)
    assert.equal(autosave.state().status, 'failed')
    assert.ok(autosave.state().error instanceof Broken)
    await clock.pass(10_000)
    assert.deepEqual(statuses, ['changed', 'failed', 'saved'])
    assert.equal(autosave.state().error, undefined)
    assert.deepEqual(autosave.unsaved().places, {})
  })

  test('are retried after a failure, with later moves', async () => {
    const { clock, server, store, fates } = open()
    fates('breaks', 'breaks')
    store.edit(move(1))
    await clock.pass(1000)
    store.edit(move(2))
    await clock.pass(10_000)
    assert.deepEqual(server.placings, [{ a: { x: 2, y: 0 } }])
  })

  test('that change during a save are saved after it', async () => {
    const { clock, server, store } = open()
    server.latency = () => 1000
    store.edit(move(1))
    await clock.pass(1000)
    store.edit(move(2))
    await clock.pass(10_000)
    assert.deepEqual(server.placings, [{ a: { x: 1, y: 0 } }, { a: { x: 2, y: 0 } }])
    assert.equal(clock.pending, 0)
  })
})
