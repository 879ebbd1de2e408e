import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import { outlineGraph } from '../../src/workflow/outline-graph.ts'
import { extractorKind, node } from './graphs.ts'

const outline = (...nodes: unknown[]) => atOnce(outlineGraph({ nodes, edges: [] }, nodeKinds))

describe('graph outline', () => {
  test('lists the outputs and branches of each node, based on its settings', () => {
    const outlines = outline(
      node('ask', extractorKind, { parameters: [{ name: 'size' }, { name: 'sugar' }] }),
      node('run', 'code', { code: '' }),
      node('sort', 'classifier', { classes: [{ id: 'tea' }, { id: 'other' }] }),
      node('open', 'condition', { cases: [{ id: 'a', when: [{ left: 1, op: 'equals', right: 1 }] }] }),
      node('sure', 'condition', {
        cases: [{ id: 'a', when: [{ left: 1, op: 'equals', right: 1 }] }, { id: 'b' }],
      }),
    )
    assert.deepEqual(outlines['ask'], { outputs: ['size', 'sugar', 'result', 'text'], cases: null })
    assert.deepEqual(outlines['run'], { outputs: null, cases: null })
    assert.deepEqual(outlines['sort'], { outputs: ['case', 'text', 'description'], cases: ['tea', 'other'] })
    assert.deepEqual(outlines['open'], { outputs: ['case'], cases: ['a'] })
    assert.deepEqual(outlines['sure'], { outputs: ['case'], cases: ['a', 'b'] })
  })

  test('omits unreadable nodes and lists the rest', () => {
    const outlines = outline(
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
    assert.deepEqual(Object.keys(outlines), ['good'])
  })

  test('keeps the first of two nodes with the same id, and at most as many nodes as a graph may have', () => {
    const outlines = outline(node('twice', 'end'), node('twice', 'input'))
    assert.deepEqual(outlines, { twice: { outputs: [], cases: null } })
    const many = Array.from({ length: limits.graphNodes + 5 }, (_, place) => node(`n${place}`, 'end'))
    assert.equal(Object.keys(outline(...many)).length, limits.graphNodes)
  })

  test('accepts ids that are names of inherited properties', () => {
    const outlines = outline(node('__proto__', 'input'), node('constructor', 'end'))
    assert.deepEqual(Object.keys(outlines), ['__proto__', 'constructor'])
    assert.match(JSON.stringify(outlines), /^\{"__proto__":\{"outputs":\["query"/)
    assert.equal(Object.getPrototypeOf(outlines), Object.prototype)
  })

  test('is empty for a value that is not a graph', () => {
    for (const value of [null, 1, [], 'x', {}, { nodes: {} }])
      assert.deepEqual(atOnce(outlineGraph(value, nodeKinds)), {})
  })
})
