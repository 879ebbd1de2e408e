import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Graph } from '../../console/src/editor/model/graph.ts'
import { neededValues, trialOf, valueInRun } from '../../console/src/editor/runs/needed-values.ts'
import { emptyNode, emptyView } from '../../console/src/editor/runs/run-view.ts'
import { formatDuration } from '../../console/src/ui/format-duration.ts'

const graph: Graph = {
  nodes: [
    { id: 'model', type: 'base', data: { type: 'llm' } },
    { id: 'model.v2', type: 'base', data: { type: 'llm' } },
    {
      id: 'say',
      type: 'base',
      data: {
        type: 'http_request',
        url: 'https://example.com/{{#sys.inputs.city#}}',
        body: { words: ['{{#model.text#}} {{# model.text #}}', '{{#model.v2.result.items.0.title#}}'] },
        note: '{{#sys.query#}} {{#sys.time#}} {{#memory.city#}} {{#gone.text#}} {{#if x}} {{#model#}}',
      },
    },
  ],
  edges: [],
}
const localize = graph.nodes[2]!

describe('What a node needs to run alone', () => {
  it('is every output and input that its settings refer to, once', () => {
    const needed = neededValues(localize, graph, () => ['text', 'result'])
    assert.deepEqual(needed, [
      { from: 'inputs', nodeId: '', name: 'city' },
      { from: 'node', nodeId: 'model', name: 'text' },
      { from: 'node', nodeId: 'model.v2', name: 'result' },
      { from: 'inputs', nodeId: '', name: 'query' },
    ])
  })

  it('supports outputs with dots in their names', () => {
    const needed = neededValues(localize, graph, () => ['result.items', 'text'])
    assert.equal(needed.find(({ nodeId }) => nodeId === 'model.v2')?.name, 'result.items')
  })

  it('is found in an earlier run, and sent in the server’s form', () => {
    const view = {
      ...emptyView('run_1'),
      inputs: { query: 'How?' },
      nodes: [
        { ...emptyNode('model'), outputs: { text: 'Slowly' } },
        { ...emptyNode('inner/0/model.v2'), outputs: { result: 1 } },
      ],
    }
    const needed = neededValues(localize, graph, () => ['text', 'result'])
    const values = needed.map(each => [each, valueInRun(each, view)] as const)
    assert.deepEqual(
      values.map(([, value]) => value),
      [undefined, 'Slowly', undefined, 'How?'],
    )
    const trial = JSON.parse(JSON.stringify(trialOf(values.filter(([, value]) => value !== undefined))))
    assert.deepEqual(trial, { inputs: { query: 'How?' }, outputs: { model: { text: 'Slowly' } } })
  })

  it('may have any name', () => {
    const input = { from: 'inputs', nodeId: '', name: '__proto__' } as const
    const output = { from: 'node', nodeId: '__proto__', name: '__proto__' } as const
    const trial = trialOf([input, output].map(needed => [needed, 'value'] as const))
    assert.equal(
      JSON.stringify(trial),
      '{"inputs":{"__proto__":"value"},"outputs":{"__proto__":{"__proto__":"value"}}}',
    )
  })
})

describe('A duration', () => {
  it('is shown in a suitable unit', () => {
    const shown = [0, 840, 999, 1000, 3210, 9960, 59_000, 59_990, 125_000, 3_600_000, 12_000_000].map(
      formatDuration,
    )
    assert.deepEqual(shown, [
      '0 ms',
      '840 ms',
      '999 ms',
      '1.0 s',
      '3.2 s',
      '10 s',
      '59 s',
      '1 min 0 s',
      '2 min 5 s',
      '1 h 0 min',
      '3 h 20 min',
    ])
  })
})
