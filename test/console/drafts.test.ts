import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Graph } from '../../console/src/editor/model/graph.ts'
import { type Draft, drawingOf } from '../../console/src/editor/model/join-drafts.ts'
import { Drafts } from '../../console/src/editor/saving/draft.ts'
import { chain } from './drawings.ts'

/** Its keys are own members, as in a browser. */
class FakeStorage {
  [key: string]: unknown
  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? (this[key] as string) : null
  }
  setItem(key: string, value: string): void {
    this[key] = value
  }
  removeItem(key: string): void {
    delete this[key]
  }
}

const base = chain('input', 'a', 'end')
const titled = (graph: Graph, id: string, title: string): Graph => ({
  ...graph,
  nodes: graph.nodes.map(other => (other.id === id ? { ...other, data: { ...other.data, title } } : other)),
})
const draft = (mine: Graph, more: Partial<Draft> = {}): Draft => ({
  version: 1,
  base,
  mine,
  sent: [],
  places: {},
  ...more,
})
const titleIn = (graph: Graph | undefined, id: string) =>
  graph?.nodes.find(other => other.id === id)?.data.title

function browser() {
  const storage = new FakeStorage()
  const inTab = (tab: string, workflow = 'w') =>
    new Drafts('ws', workflow, storage as unknown as Storage, tab)
  return { storage, inTab }
}

describe('drafts', () => {
  test('belong to the tab that claims them, which deletes them once they are saved', () => {
    const { storage, inTab } = browser()
    inTab('old').keep(draft(titled(base, 'a', 'Mine')))
    const opened = inTab('new')
    assert.equal(titleIn(opened.claim()?.mine, 'a'), 'Mine')
    opened.forget()
    assert.deepEqual(Object.keys(storage), [])
    assert.equal(inTab('third').claim(), undefined)
  })

  test('of two tabs do not replace each other, and are restored together', () => {
    const { storage, inTab } = browser()
    inTab('one').keep(draft(titled(base, 'a', 'Mine'), { places: { a: { x: 1, y: 1 } } }))
    const later = titled(base, 'input', 'Of somebody else')
    inTab('two').keep(
      draft(titled(later, 'end', 'Mine too'), { version: 2, base: later, places: { end: null } }),
    )
    inTab('elsewhere', 'w/two').keep(draft(titled(base, 'a', 'Of another workflow')))
    const found = inTab('three').claim()
    assert.equal(found?.version, 2)
    assert.deepEqual(
      ['input', 'a', 'end'].map(id => titleIn(found?.mine, id)),
      ['Of somebody else', 'Mine', 'Mine too'],
    )
    assert.deepEqual(found?.places, { a: { x: 1, y: 1 }, end: null })
    assert.equal(Object.keys(storage).length, 2)
  })

  test('that conflict with older ones wait for the next visit', () => {
    const { inTab } = browser()
    inTab('one').keep(draft(titled(base, 'a', 'First')))
    inTab('two').keep(draft(titled(base, 'a', 'Second')))
    const opened = inTab('three')
    assert.equal(titleIn(opened.claim()?.mine, 'a'), 'First')
    opened.forget()
    assert.equal(titleIn(inTab('four').claim()?.mine, 'a'), 'Second')
  })

  test('stay when there is no storage to claim them', () => {
    const { storage, inTab } = browser()
    inTab('old').keep(draft(titled(base, 'a', 'Mine')))
    storage.setItem = () => {
      throw new Error('full')
    }
    assert.equal(titleIn(inTab('new').claim()?.mine, 'a'), 'Mine')
    assert.equal(titleIn(inTab('third').read()?.mine, 'a'), 'Mine')
  })

  test('restore positions of their nodes, and leave the others to the server', () => {
    const kept = draft(base, { places: { a: { x: 1, y: 1 }, end: null } })
    const placed = { a: { x: 0, y: 0 }, end: { x: 9, y: 9 }, input: { x: 4, y: 4 } }
    assert.deepEqual(drawingOf(kept, placed).positions, { a: { x: 1, y: 1 }, input: { x: 4, y: 4 } })
  })
})
