import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyEdit } from '../../console/src/editor/model/apply-edit.ts'
import { copyText, pasteEdit } from '../../console/src/editor/model/clipboard.ts'
import type { Drawing } from '../../console/src/editor/model/edit.ts'
import { createEditorStore } from '../../console/src/editor/model/editor-store.ts'
import { joinDrafts } from '../../console/src/editor/model/join-drafts.ts'
import {
  type Group,
  mergeShapes,
  minNoteSize,
  type Note,
  type Shapes,
  shapeChanges,
  shapeColors,
  shapeLimits,
} from '../../console/src/editor/model/shapes.ts'
import * as contract from '../../src/contract/layout-shape.ts'
import { chain } from './drawings.ts'

const note = (text: string, more: Partial<Note> = {}): Note => ({
  type: 'note',
  x: 0,
  y: 0,
  width: 240,
  height: 120,
  text,
  color: 'yellow',
  ...more,
})
const group = (nodes: string[], notes: string[] = []): Group => ({
  type: 'group',
  title: 'Answering',
  color: 'blue',
  nodes,
  notes,
})
const drawing = (shapes: Shapes): Drawing => ({
  graph: chain('input', 'a', 'b', 'end'),
  positions: {},
  shapes,
})

describe('groups', () => {
  test('follow the names of their nodes, and lose what is removed', () => {
    const before = drawing({ g: group(['a', 'b'], ['n']), n: note('x') })
    const renamed = applyEdit(before, { type: 'node.rename', id: 'a', to: 'first' })
    assert.deepEqual(renamed.shapes?.['g'], group(['first', 'b'], ['n']))
    const removed = applyEdit(renamed, { type: 'node.remove', id: 'b' })
    assert.deepEqual(removed.shapes?.['g'], group(['first'], ['n']))
    const noNote = applyEdit(removed, { type: 'shapes.put', shapes: { n: null } })
    assert.deepEqual(noNote.shapes, { g: group(['first']) })
    assert.deepEqual(applyEdit(noNote, { type: 'node.remove', id: 'first' }).shapes, {})
  })

  test('come back with their nodes when it is undone', () => {
    const store = createEditorStore(drawing({ g: group(['a']), n: note('x') }))
    store.edit({ type: 'node.remove', id: 'a' })
    assert.deepEqual(store.state().shapes, { n: note('x') })
    store.undo()
    assert.deepEqual(store.state().shapes, { g: group(['a']), n: note('x') })
    store.redo()
    assert.deepEqual(store.state().shapes, { n: note('x') })
  })
})

describe('notes', () => {
  test('are undone one by one, and what others did meanwhile stays', () => {
    const store = createEditorStore(drawing({}))
    store.edit({ type: 'shapes.put', shapes: { n: note('mine') } })
    store.edit({ type: 'shapes.put', shapes: { m: note('theirs') } }, { silent: true })
    store.undo()
    assert.deepEqual(store.state().shapes, { m: note('theirs') })
    store.redo()
    assert.deepEqual(store.state().shapes, { m: note('theirs'), n: note('mine') })
    assert.deepEqual([...store.state().selection.shapes], ['n'])
    store.edit({ type: 'shapes.put', shapes: { n: null } })
    assert.deepEqual([...store.state().selection.shapes], [])
  })

  test('do not change the revision of the graph', () => {
    const store = createEditorStore(drawing({}))
    store.edit({ type: 'shapes.put', shapes: { n: note('mine') } })
    assert.equal(store.state().revision, 0)
  })
})

describe('two users', () => {
  const base = { n: note('base') }
  test('change different members of one note', () => {
    assert.deepEqual(mergeShapes(base, { n: note('mine') }, { n: note('base', { color: 'red', x: 80 }) }), {
      n: note('mine', { color: 'red', x: 80 }),
    })
  })

  test('write different texts: both stay', () => {
    assert.deepEqual(mergeShapes(base, { n: note('mine') }, { n: note('theirs') }), {
      n: note('mine\n\ntheirs'),
    })
    assert.deepEqual(mergeShapes(base, { n: note('base!') }, { n: note('base! More') }), {
      n: note('base! More'),
    })
  })

  test('a removed note that the other has changed stays', () => {
    assert.deepEqual(mergeShapes(base, {}, { n: note('theirs') }), { n: note('theirs') })
    assert.deepEqual(mergeShapes(base, { n: note('mine') }, {}), { n: note('mine') })
    assert.deepEqual(mergeShapes(base, base, {}), {})
  })

  test('add notes of their own', () => {
    const merged = mergeShapes(base, { ...base, m: note('mine') }, { ...base, t: note('theirs') })
    assert.deepEqual(Object.keys(merged).sort(), ['m', 'n', 't'])
    assert.deepEqual(shapeChanges({ ...base, t: note('theirs') }, merged), { m: note('mine') })
  })

  test('have drafts in two tabs', () => {
    const draft = { version: 1, base: chain('a'), mine: chain('a'), sent: [], places: {} }
    const both = joinDrafts([
      { ...draft, shapes: { n: note('older'), m: note('m') } },
      { ...draft, shapes: { n: note('newer') } },
    ])
    assert.deepEqual(both?.draft.shapes, { n: note('newer'), m: note('m') })
  })
})

test('the editor knows the limits of the server', () => {
  assert.deepEqual(
    { shapeColors, minNoteSize, shapeLimits },
    {
      shapeColors: [...contract.shapeColors],
      minNoteSize: contract.minNoteSize,
      shapeLimits: contract.shapeLimits,
    },
  )
})

describe('copies', () => {
  const offset = { x: 40, y: 40 }
  test('of a group have its nodes and notes, under new ids', () => {
    const before = drawing({ g: group(['a', 'b'], ['n']), n: note('x'), other: note('y') })
    const pasted = pasteEdit(before, copyText(before, [], ['g']), offset)
    assert.ok(pasted)
    const after = applyEdit(before, pasted.edit)
    assert.deepEqual(pasted.ids, ['llm_1', 'llm_2'])
    const added = shapeChanges(before.shapes!, after.shapes!)
    const [copiedGroup, copiedNote] = ['group', 'note'].map(
      type => Object.entries(added).find(([, shape]) => shape?.type === type)!,
    )
    assert.deepEqual(copiedNote![1], note('x', offset))
    assert.deepEqual(copiedGroup![1], group(['llm_1', 'llm_2'], [copiedNote![0]]))
    assert.equal(Object.keys(added).length, 2)
    assert.equal(after.graph.edges.length, before.graph.edges.length + 1)
  })

  test('of a note alone work, and invalid shapes are left out', () => {
    const before = drawing({ n: note('x') })
    assert.equal(pasteEdit(before, copyText(before, [], ['n']), offset)?.shapeIds.length, 1)
    const invalid = [
      { ...note('x'), color: 'url(x)' },
      { ...note('x'), x: 'far' },
      { ...note('x'), width: 1e9 },
      { ...note('x'.repeat(5000)) },
      { ...group(['a']), nodes: [1] },
      { type: 'script' },
    ]
    const text = JSON.stringify({
      format: 'banyan.nodes.1',
      nodes: [],
      edges: [],
      positions: {},
      shapes: Object.fromEntries(invalid.map((shape, index) => [`s${index}`, shape])),
    })
    assert.equal(pasteEdit(before, text, offset), undefined)
  })
})
