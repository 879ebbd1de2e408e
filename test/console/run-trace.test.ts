import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseInputs, plainStart } from '../../console/src/editor/runs/run-texts.ts'
import {
  areSameMarks,
  emptyNode,
  emptyView,
  marksOf,
  type NodeView,
  type RunDetails,
} from '../../console/src/editor/runs/run-view.ts'
import { barsOf, type TraceEntry, traceTree } from '../../console/src/editor/runs/trace-tree.ts'
import { viewOfDetails, withDetails } from '../../console/src/editor/runs/view-from-trace.ts'

const ran = (path: string, startedAt: number, elapsedMs: number, more: Partial<NodeView> = {}): NodeView => ({
  ...emptyNode(path),
  status: 'succeeded',
  startedAt,
  elapsedMs,
  ...more,
})

const record = (path: string, more: object = {}) => ({
  node_id: path,
  path,
  kind: 'llm',
  title: '',
  status: 'succeeded',
  inputs: { prompt: 'How?' },
  outputs: { text: 'Slowly' },
  error: null,
  attempts: 1,
  tokens: { total_tokens: 3 },
  started_at: '2026-11-15T00:00:00.000+00:00',
  finished_at: null,
  elapsed_ms: 5,
  ...more,
})

const details = (more: object = {}): RunDetails =>
  ({
    run_id: 'run_1',
    status: 'succeeded',
    answer: 'Slowly',
    error: null,
    waiting: null,
    usage: { total_tokens: 3 },
    elapsed_ms: 9,
    created_at: '2026-11-15T00:00:00.000+00:00',
    inputs: { query: 'How?' },
    outputs: { text: 'Slowly' },
    nodes: [record('model')],
    ...more,
  }) as unknown as RunDetails

describe('The steps of a run', () => {
  it('are below their parent step, in any order of events', () => {
    const paths = ['each', 'each/0/ask', 'other', 'each/1/ask', 'each/1/ask/run/deep', 'lost/0/child']
    const outline = (entries: readonly TraceEntry[]): unknown[] =>
      entries.map(({ node, inside }) => (inside.length > 0 ? [node.path, outline(inside)] : node.path))
    assert.deepEqual(outline(traceTree(paths.map(emptyNode))), [
      ['each', ['each/0/ask', ['each/1/ask', ['each/1/ask/run/deep']]]],
      'other',
      'lost/0/child',
    ])
  })

  it('of an iteration are grouped by item', () => {
    const paths = ['each', 'each/10/a', 'each/2/a', 'each/10/b', 'each/2/b']
    const [each] = traceTree(paths.map(emptyNode))
    assert.deepEqual(
      each!.inside.map(({ node }) => node.path),
      ['each/2/a', 'each/2/b', 'each/10/a', 'each/10/b'],
    )
  })

  it('show when each was running', () => {
    const bars = barsOf(
      [ran('a', 1000, 250), ran('b', 1250, 750), ran('c', 1250, 0, { status: 'skipped' })],
      0,
      1000,
    )
    assert.deepEqual(bars.get('a'), { left: 0, width: 25 })
    assert.deepEqual(bars.get('b'), { left: 25, width: 75 })
    assert.equal(bars.get('c'), undefined)
  })

  it('only compare durations if the run waited for the user', () => {
    const bars = barsOf([ran('a', 0, 100), ran('b', 3_600_000, 50)], 0, 150)
    assert.deepEqual(bars.get('a'), { left: 0, width: 100 })
    assert.deepEqual(bars.get('b'), { left: 0, width: 50 })
  })

  it('grow while they run', () => {
    const running = ran('a', 1000, 0, { status: 'running', elapsedMs: undefined })
    assert.deepEqual(barsOf([running], 3000, 2000).get('a'), { left: 0, width: 100 })
  })
})

describe('A run from its trace', () => {
  it('has the question, the answer and every node', () => {
    const view = viewOfDetails(details())
    assert.deepEqual(
      view.messages.map(({ by, text }) => [by, text]),
      [
        ['user', 'How?'],
        ['run', 'Slowly'],
      ],
    )
    assert.deepEqual(view.nodes[0]!.inputs, { prompt: 'How?' })
  })

  it('asks what it waits for', () => {
    const waiting = { node_id: 'size', question: 'Which?', options: ['a'] }
    const view = viewOfDetails(details({ status: 'waiting', answer: '', waiting }))
    assert.deepEqual(view.waiting, { path: 'size', question: 'Which?', options: ['a'] })
    assert.equal(view.messages.at(-1)?.text, 'Which?')
  })

  it('adds what events do not contain, and keeps streamed messages', () => {
    const heard = {
      ...emptyView('run_1'),
      status: 'succeeded' as const,
      lastEvent: 7,
      messages: [1, 2].map(at => ({
        ...viewOfDetails(details()).messages[1]!,
        id: `m${at}`,
        text: `part ${at}`,
      })),
      nodes: [{ ...emptyNode('model'), status: 'succeeded' as const }],
    }
    const view = withDetails(heard, details({ nodes: [record('model'), record('more')] }))
    assert.deepEqual(
      view.messages.map(({ text }) => text),
      ['part 1', 'part 2'],
    )
    assert.equal(view.lastEvent, 7)
    assert.deepEqual(
      view.nodes.map(({ path, inputs }) => [path, inputs]),
      [
        ['model', { prompt: 'How?' }],
        ['more', { prompt: 'How?' }],
      ],
    )
  })

  it('does not override newer events of a run in progress', () => {
    const heard = { ...emptyView('run_1'), status: 'running' as const, nodes: [ran('model', 0, 5)] }
    const old = details({ status: 'running', nodes: [record('model', { status: 'running', outputs: null })] })
    const view = withDetails(heard, old)
    assert.equal(view.nodes[0]!.status, 'succeeded')
    assert.deepEqual(view.nodes[0]!.inputs, { prompt: 'How?' })
  })
})

describe('Marks on the canvas', () => {
  const view = { ...emptyView('run_1'), nodes: [ran('a', 0, 5)] }

  it('are equal while only text arrives', () => {
    const written = { ...view, nodes: [{ ...view.nodes[0]!, text: 'more' }] }
    assert.ok(areSameMarks(marksOf(view), marksOf(written)))
  })

  it('differ when a node changes or is added', () => {
    const failed = { ...view, nodes: [{ ...view.nodes[0]!, status: 'failed' as const }] }
    assert.ok(!areSameMarks(marksOf(view), marksOf(failed)))
    const two = { ...view, nodes: [...view.nodes, ran('b', 5, 1)] }
    assert.ok(!areSameMarks(marksOf(view), marksOf(two)))
    assert.ok(!areSameMarks(marksOf(view), marksOf(undefined)))
  })
})

describe('Texts around a run', () => {
  it('are shown in lists without Markdown marks', () => {
    assert.equal(
      plainStart('## Roots\n\nA **banyan** has `roots`:\n\n1. long\n- thick\n'),
      'Roots A banyan has roots: long thick',
    )
    assert.equal(plainStart('snake_case and 2 * 3'), 'snake_case and 2 * 3')
  })

  it('are additional inputs only if they are a JSON object', () => {
    assert.deepEqual(parseInputs('  '), {})
    assert.deepEqual(parseInputs('{"a": 1}'), { a: 1 })
    for (const wrong of ['[1]', '1', 'null', '{"a":', 'city']) assert.equal(parseInputs(wrong), undefined)
  })
})
