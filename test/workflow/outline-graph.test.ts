import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import { outlineGraph } from '../../src/workflow/outline-graph.ts'
import { extractorKind, node } from './graphs.ts'

const outline = (...nodes: unknown[]) => outlineGraph({ nodes, edges: [] }, nodeKinds)

describe('the outline of a graph', () => {
  test('tells what each node gives and how it branches, by its settings', () => {
    const told = outline(
      node('ask', extractorKind, { parameters: [{ name: 'size' }, { name: 'sugar' }] }),
      node('run', 'code', { code: '' }),
      node('sort', 'classifier', { classes: [{ id: 'tea' }, { id: 'other' }] }),
      node('open', 'condition', { cases: [{ id: 'a', when: [{ left: 1, op: 'equals', right: 1 }] }] }),
      node('sure', 'condition', {
        cases: [{ id: 'a', when: [{ left: 1, op: 'equals', right: 1 }] }, { id: 'b' }],
      }),
    )
    assert.deepEqual(told['ask'], { outputs: ['size', 'sugar', 'result', 'text'], cases: null })
    assert.deepEqual(told['run'], { outputs: null, cases: null })
    assert.deepEqual(told['sort'], { outputs: ['case', 'text'], cases: ['tea', 'other'] })
    assert.deepEqual(told['open'], { outputs: ['case'], cases: ['a'] })
    assert.deepEqual(told['sure'], { outputs: ['case'], cases: ['a', 'b'] })
  })

  test('leaves out what cannot be read and tells the rest', () => {
    const told = outline(
      null,
      'node',
      {},
      { id: 7, data: { type: 'input' } },
      { id: 'empty' },
      node('unknown', 'no_such_kind'),
      node('wrong', 'classifier', { classes: 'tea' }),
      node('titled', 'input', { title: 5 }),
      node('good', 'input'),
    )
    assert.deepEqual(Object.keys(told), ['good'])
  })

  test('takes the first of two nodes with one id, and no more nodes than a graph has', () => {
    const told = outline(node('twice', 'end'), node('twice', 'input'))
    assert.deepEqual(told, { twice: { outputs: [], cases: null } })
    const many = Array.from({ length: limits.graphNodes + 5 }, (_, place) => node(`n${place}`, 'end'))
    assert.equal(Object.keys(outline(...many)).length, limits.graphNodes)
  })

  test('takes ids that name something in every object', () => {
    const told = outline(node('__proto__', 'input'), node('constructor', 'end'))
    assert.deepEqual(Object.keys(told), ['__proto__', 'constructor'])
    assert.match(JSON.stringify(told), /^\{"__proto__":\{"outputs":\["query"/)
    assert.equal(Object.getPrototypeOf(told), Object.prototype)
  })

  test('of no graph is empty', () => {
    for (const value of [null, 1, [], 'x', {}, { nodes: {} }])
      assert.deepEqual(outlineGraph(value, nodeKinds), {})
  })
})
