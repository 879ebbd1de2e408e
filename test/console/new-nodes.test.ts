import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { connectionProblem } from '../../console/src/editor/model/connect.ts'
import { makeEdge } from '../../console/src/editor/model/graph.ts'
import { answering, freshId, newNode } from '../../console/src/editor/model/new-node.ts'
import { anyGraph, chain, graphOf, node } from './drawings.ts'

describe('a new id', () => {
  test('is the kind with the next number, or the kind itself for input and end', () => {
    const graph = graphOf([node('llm_1'), node('llm_7'), node('llm_x'), node('llm_08'), node('input')])
    assert.equal(freshId(graph, 'llm'), 'llm_8')
    assert.equal(freshId(graph, 'output'), 'output_1')
    assert.equal(freshId(graph, 'end'), 'end')
    assert.equal(freshId(graph, 'input'), 'input_1')
  })

  test('is always unused', () => {
    fc.assert(
      fc.property(
        anyGraph,
        fc.oneof(fc.constantFrom('llm', 'input', 'end', '__proto__'), fc.string()),
        (graph, kind) => {
          assert.ok(graph.nodes.every(({ id }) => id !== freshId(graph, kind)))
        },
      ),
    )
  })
})

test('a new node has its own copy of the settings, and a unique title', () => {
  const kind = { kind: 'llm', node_type: 'base', title: {}, data: { prompt: 'Hi', list: ['x'] } }
  const first = newNode(graphOf([]), kind, 'Model')
  assert.deepEqual(first, {
    id: 'llm_1',
    type: 'base',
    data: { type: 'llm', title: 'Model', prompt: 'Hi', list: ['x'] },
  })
  assert.notEqual(first.data['list'], kind.data.list)
  const chinese = newNode(graphOf([]), { ...kind, data_zh: { prompt: '你好' } }, '模型', 'zh')
  assert.deepEqual([chinese.data['prompt'], chinese.data['list']], ['你好', ['x']])
  const second = newNode(graphOf([first]), kind, 'Model')
  assert.equal(second.id, 'llm_2')
  assert.equal(second.data.title, 'Model 2')
  assert.equal(newNode(graphOf([first, second]), kind, 'Model').data.title, 'Model 3')
})

test('an output with its first text sends what the node before it outputs', () => {
  const kind = (name: string, outputs: string[] | null, branches = false) => ({
    ...{ kind: name, node_type: 'base', title: {}, data: name === 'output' ? { answer: 'first' } : {} },
    ...{ outputs, branches },
  })
  const kinds = [
    kind('input', ['text']),
    kind('llm', ['result', 'text']),
    kind('list', ['result', 'first']),
    kind('code', null),
    kind('classifier', ['text'], true),
    kind('output', ['text', 'result']),
  ]
  const answer = (before: string, text = 'first') =>
    answering(
      kinds,
      { id: 'a', type: 'base', data: { type: before } },
      { id: 'b', type: 'base', data: { type: 'output', title: 'T', answer: text } },
    )
  assert.deepEqual(answer('llm'), { type: 'output', title: 'T', answer: '{{#a.text#}}' })
  assert.equal(answer('list')?.['answer'], '{{#a.result#}}')
  assert.equal(answer('code')?.['answer'], '{{#a.result#}}')
  for (const before of ['input', 'classifier', 'output', 'unknown']) assert.equal(answer(before), undefined)
  assert.equal(answer('llm', 'written by hand'), undefined)
})

describe('a connection', () => {
  const graph = graphOf(
    [...chain('input', 'a', 'b', 'end').nodes],
    [...chain('input', 'a', 'b', 'end').edges, makeEdge('a', 'end', 'yes')],
  )

  test('is rejected for the first applicable reason', () => {
    assert.equal(connectionProblem(graph, 'a', 'a'), 'self')
    assert.equal(connectionProblem(graph, 'b', 'input'), 'into-input')
    assert.equal(connectionProblem(graph, 'end', 'a'), 'out-of-end')
    assert.equal(connectionProblem(graph, 'a', 'b'), 'duplicate')
    assert.equal(connectionProblem(graph, 'a', 'end', 'yes'), 'duplicate')
    assert.equal(connectionProblem(graph, 'b', 'a'), 'cycle')
  })

  test('is allowed otherwise, also beside one of another branch', () => {
    assert.equal(connectionProblem(graph, 'a', 'end', 'no'), undefined)
    assert.equal(connectionProblem(graph, 'input', 'b'), undefined)
  })

  test('can be validated in a graph that already has a cycle', () => {
    const round = graphOf([node('a'), node('b'), node('c')], [makeEdge('a', 'b'), makeEdge('b', 'a')])
    assert.equal(connectionProblem(round, 'a', 'c'), undefined)
    assert.equal(connectionProblem(round, 'c', 'a'), undefined)
  })
})
