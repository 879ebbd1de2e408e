import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { applyEdit } from '../../console/src/editor/model/apply-edit.ts'
import { createEditorStore } from '../../console/src/editor/model/editor-store.ts'
import { edgeKey, makeEdge } from '../../console/src/editor/model/graph.ts'
import { anyDrawing, anyEdit, chain, node } from './drawings.ts'

const open = () => createEditorStore({ graph: chain('input', 'a', 'end'), positions: { a: { x: 1, y: 2 } } })
const place = { x: 0, y: 0 }
const titleOf = (store: ReturnType<typeof open>, id: string) =>
  store.state().graph.nodes.find(other => other.id === id)?.data.title
const typing = (title: string) => ({ type: 'node.change', id: 'a', data: { type: 'llm', title } }) as const

describe('undo and redo', () => {
  test('lead through the same drawings for all edits', () => {
    fc.assert(
      fc.property(anyDrawing, fc.array(anyEdit, { maxLength: 12 }), (drawing, edits) => {
        const store = createEditorStore(drawing)
        const drawn = () => JSON.stringify([store.state().graph, store.state().positions])
        const seen = [drawn()]
        for (const edit of edits) {
          store.edit(edit)
          if (drawn() !== seen.at(-1)) seen.push(drawn())
        }
        const way = [...seen]
        while (store.state().canUndo) {
          store.undo()
          if (drawn() !== way.at(-1)) way.push(drawn())
        }
        assert.deepEqual(way, [...seen, ...seen.toReversed().slice(1)])
        while (store.state().canRedo) store.redo()
        assert.equal(drawn(), seen.at(-1))
      }),
    )
  })

  test('treat edits of one group as one step, until something else happens', () => {
    const store = open()
    for (const title of ['T', 'Ti', 'Tit']) store.edit(typing(title), { group: 'title of a' })
    store.edit({ type: 'nodes.move', positions: { a: { x: 9, y: 9 } } })
    store.edit(typing('Title'), { group: 'title of a' })
    store.undo()
    assert.equal(titleOf(store, 'a'), 'Tit')
    store.undo()
    store.undo()
    assert.equal(titleOf(store, 'a'), undefined)
    assert.equal(store.state().canUndo, false)
    store.redo()
    assert.equal(titleOf(store, 'a'), 'Tit')
  })

  test('start a new step after a pause, another selection, or a change of a list’s length', () => {
    let now = 0
    const store = createEditorStore({ graph: chain('input', 'a', 'end'), positions: {} }, () => now)
    const group = 'a/field'
    const type = (title: string, rows: readonly object[] = []) =>
      store.edit({ type: 'node.change', id: 'a', data: { type: 'llm', title, rows } }, { group })
    const rows = () => store.state().graph.nodes[1]!.data['rows']
    type('O', [{ name: '' }])
    type('On', [{ name: '' }])
    now += 900
    type('One', [{ name: '' }])
    now += 1100
    type('One two', [{ name: '' }])
    store.select(['a'])
    type('One two three', [{ name: '' }])
    type('One two three', [{ name: '' }, { name: '' }])
    type('One two three', [{ name: '' }, { name: 'x' }])
    type('One two three', [{ name: '' }, { name: 'xy' }])
    store.undo()
    assert.deepEqual(rows(), [{ name: '' }, { name: '' }])
    store.undo()
    assert.deepEqual(rows(), [{ name: '' }])
    assert.equal(titleOf(store, 'a'), 'One two three')
    store.undo()
    assert.equal(titleOf(store, 'a'), 'One two')
    store.undo()
    assert.equal(titleOf(store, 'a'), 'One')
    store.undo()
    assert.equal(titleOf(store, 'a'), 'O')
  })

  test('start a new step when typing continues after an undo', () => {
    const store = open()
    store.edit(typing('One'), { group: 'g' })
    store.edit({ type: 'node.remove', id: 'end' })
    store.undo()
    store.edit(typing('Two'), { group: 'g' })
    store.undo()
    assert.equal(titleOf(store, 'a'), 'One')
  })

  test('drop the redo steps after another edit', () => {
    const store = open()
    store.edit(typing('One'))
    store.undo()
    store.edit(typing('Two'))
    assert.equal(store.state().canRedo, false)
    store.redo()
    assert.equal(titleOf(store, 'a'), 'Two')
  })

  test('go back at most 200 steps', () => {
    const store = open()
    for (let step = 1; step <= 205; step++) store.edit(typing(`${step}`))
    let steps = 0
    for (; store.state().canUndo; steps++) store.undo()
    assert.equal(steps, 200)
    assert.equal(titleOf(store, 'a'), '5')
  })

  test('keep changes of others, and revert only the step', () => {
    const store = open()
    store.edit({ type: 'node.add', node: node('mine'), position: place })
    const { graph } = store.state()
    const theirs = { ...graph, nodes: [...graph.nodes, node('theirs')], note: 'by them' }
    store.edit({ type: 'graph.replace', graph: theirs }, { silent: true })
    store.edit({ type: 'nodes.move', positions: { theirs: { x: 5, y: 5 } } }, { silent: true })
    const ids = () => store.state().graph.nodes.map(({ id }) => id)
    store.undo()
    assert.deepEqual(ids(), ['input', 'a', 'end', 'theirs'])
    assert.deepEqual(store.state().positions, { a: { x: 1, y: 2 }, theirs: { x: 5, y: 5 } })
    assert.equal(store.state().canUndo, false)
    store.redo()
    assert.deepEqual(new Set(ids()), new Set(['input', 'a', 'end', 'mine', 'theirs']))
    assert.equal(store.state().graph['note'], 'by them')
  })

  test('revert a rename although another user has changed the node since', () => {
    const store = open()
    store.edit({ type: 'node.rename', id: 'a', to: 'b' })
    store.edit({ type: 'node.change', id: 'b', data: { type: 'llm', title: 'Theirs' } }, { silent: true })
    store.edit({ type: 'nodes.move', positions: { b: { x: 7, y: 7 } } }, { silent: true })
    const drawn = () => {
      const { graph, positions } = store.state()
      return [graph.nodes.map(({ id, data }) => [id, data.title]), graph.edges.map(edgeKey), positions]
    }
    const as = (id: string) => [
      [
        ['input', undefined],
        [id, 'Theirs'],
        ['end', undefined],
      ],
      [makeEdge('input', id), makeEdge(id, 'end')].map(edge => edgeKey(edge)),
      { [id]: { x: 7, y: 7 } },
    ]
    store.undo()
    assert.deepEqual(drawn(), as('a'))
    store.redo()
    assert.deepEqual(drawn(), as('b'))
  })

  test('revert a change of a node that another user has renamed since', () => {
    const store = open()
    store.edit(typing('Mine'))
    const graph = applyEdit(store.state(), { type: 'node.rename', id: 'a', to: 'b' }).graph
    store.edit({ type: 'graph.replace', graph }, { silent: true })
    store.undo()
    assert.deepEqual([titleOf(store, 'a'), store.state().graph], [undefined, chain('input', 'b', 'end')])
  })

  test('do not mix changes of others into a group', () => {
    const store = open()
    store.edit(typing('T'), { group: 'g' })
    const { graph } = store.state()
    store.edit({ type: 'graph.replace', graph: { ...graph, note: 1 } }, { silent: true })
    store.edit(typing('Ti'), { group: 'g' })
    store.undo()
    store.undo()
    assert.equal(titleOf(store, 'a'), undefined)
    assert.equal(store.state().graph['note'], 1)
  })
})

describe('the state', () => {
  test('is the same object until something changes, and its methods do not need `this`', () => {
    const { state, subscribe, edit, select } = open()
    let calls = 0
    const stop = subscribe(() => calls++)
    const before = state()
    edit({ type: 'node.remove', id: 'gone' })
    select([])
    assert.equal(state(), before)
    assert.equal(calls, 0)
    edit(typing('New'))
    assert.notEqual(state(), before)
    assert.equal(calls, 1)
    stop()
    edit(typing('Newer'))
    assert.equal(calls, 1)
  })

  test('counts changes of the graph only', () => {
    const store = open()
    store.edit({ type: 'nodes.move', positions: { a: { x: 3, y: 3 } } })
    store.select(['a'])
    assert.equal(store.state().revision, 0)
    store.edit(typing('New'))
    store.undo()
    assert.equal(store.state().revision, 2)
    store.undo()
    assert.equal(store.state().revision, 2)
  })

  test('clears the history when another drawing is loaded', () => {
    const store = open()
    store.edit(typing('New'))
    store.select(['a', 'end'])
    store.load({ graph: chain('input', 'end'), positions: {} })
    assert.equal(store.state().canUndo, false)
    assert.deepEqual([...store.state().selection.nodes], ['end'])
  })
})

describe('the selection', () => {
  test('contains only what exists', () => {
    const store = open()
    const key = edgeKey(makeEdge('input', 'a'))
    store.select(['a', 'gone', 'end'], [key, 'none'])
    assert.deepEqual([...store.state().selection.nodes], ['a', 'end'])
    assert.deepEqual([...store.state().selection.edges], [key])
    store.edit({ type: 'node.remove', id: 'a' })
    assert.deepEqual([...store.state().selection.nodes], ['end'])
    assert.equal(store.state().selection.edges.size, 0)
  })

  test('follows a renamed node and an edge with a new branch', () => {
    const store = open()
    store.select(['a'], [edgeKey(makeEdge('a', 'end'))])
    store.edit({ type: 'node.rename', id: 'a', to: 'b' })
    store.edit({ type: 'edge.branch', key: edgeKey(makeEdge('b', 'end')), branch: 'yes' })
    assert.deepEqual([...store.state().selection.nodes], ['b'])
    assert.deepEqual([...store.state().selection.edges], [edgeKey(makeEdge('b', 'end', 'yes'))])
  })
})
