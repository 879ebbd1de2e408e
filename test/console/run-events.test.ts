import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type RunEvent, watchRun, withReply } from '../../console/src/editor/runs/apply-run-event.ts'
import { emptyView, marksOf, type RunView } from '../../console/src/editor/runs/run-view.ts'

/** Events with the numbers and times that the server adds. */
const numbered = (events: [string, Record<string, unknown>][], from = 1): RunEvent[] =>
  events.map(([event, fields], at) => ({
    event,
    data: { run_id: 'run_1', seq: from + at, at: new Date(1000 * (from + at)).toISOString(), ...fields },
  }))

const watchAll = (events: readonly RunEvent[], view: RunView = emptyView()): RunView =>
  events.reduce(watchRun, view)

const answered = numbered([
  ['run.started', { workflow_id: 'ask', version: 3, inputs: { query: 'How?' } }],
  ['node.started', { node_id: 'input', kind: 'input', title: '', attempt: 1 }],
  ['node.finished', { node_id: 'input', status: 'succeeded', outputs: { query: 'How?' }, elapsed_ms: 2 }],
  ['node.started', { node_id: 'model', kind: 'llm', title: 'Thinks', attempt: 1 }],
  ['node.delta', { node_id: 'model', text: 'Slow' }],
  ['node.delta', { node_id: 'say', text: 'Slow', message_id: 'msg_1' }],
  ['node.delta', { node_id: 'model', text: 'ly.' }],
  ['node.delta', { node_id: 'say', text: 'ly.', message_id: 'msg_1' }],
  [
    'node.finished',
    {
      node_id: 'model',
      status: 'succeeded',
      outputs: { text: 'Slowly.' },
      elapsed_ms: 700,
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    },
  ],
  ['node.skipped', { node_id: 'other' }],
  ['message', { message_id: 'msg_1', node_id: 'say', data_type: 'text', content: 'Slowly.', file_list: [] }],
  [
    'run.finished',
    {
      status: 'succeeded',
      answer: 'Slowly.',
      outputs: { text: 'Slowly.' },
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      elapsed_ms: 800,
      error: null,
    },
  ],
])

const texts = (view: RunView): string[] => view.messages.map(({ by, text }) => `${by}: ${text}`)

describe('Watching a run', () => {
  it('shows how far a running node is', () => {
    const [started, input] = answered as [RunEvent, RunEvent]
    const after = (fields: Record<string, unknown>): string =>
      [
        ...watchAll([
          started,
          input,
          ...numbered([['node.progress', { node_id: 'input', ...fields }]], 3),
        ]).nodes.values(),
      ][0]!.progress
    assert.equal(after({ progress: 2, total: 5, message: 'Reading' }), '2 / 5 · Reading')
    assert.equal(after({ progress: 2 }), '2')
  })

  it('shows the question, the answer, every node and the totals', () => {
    const view = watchAll(answered)
    assert.equal(view.runId, 'run_1')
    assert.equal(view.status, 'succeeded')
    assert.deepEqual(texts(view), ['user: How?', 'run: Slowly.'])
    assert.equal(view.tokens, 7)
    assert.equal(view.elapsedMs, 800)
    const found = view.nodes.map(({ nodeId, status, tokens, elapsedMs }) => [
      nodeId,
      status,
      tokens,
      elapsedMs,
    ])
    assert.deepEqual(found, [
      ['input', 'succeeded', 0, 2],
      ['model', 'succeeded', 7, 700],
      ['other', 'skipped', 0, undefined],
    ])
    assert.deepEqual(view.nodes[1]!.outputs, { text: 'Slowly.' })
    assert.equal(view.nodes[1]!.title, 'Thinks')
  })

  it('has the beginning of the answer while it is streamed', () => {
    const view = watchAll(answered.slice(0, 6))
    assert.equal(view.status, 'running')
    assert.deepEqual(view.messages.at(-1), {
      id: 'msg_1',
      by: 'run',
      text: 'Slow',
      dataType: 'text',
      files: [],
      isComplete: false,
    })
    assert.equal(view.nodes.find(({ nodeId }) => nodeId === 'model')?.text, 'Slow')
  })

  it('has the same result when events are repeated after a reconnect', () => {
    const whole = watchAll(answered)
    const breaks = fc.array(fc.tuple(fc.nat(answered.length), fc.nat(answered.length)))
    fc.assert(
      fc.property(breaks, pairs => {
        // Each break: events up to one number, then again from an earlier one.
        let view = emptyView()
        let heard = 0
        for (const [to, back] of pairs) {
          const from = Math.max(0, heard - back)
          const end = Math.max(from, Math.min(answered.length, Math.max(heard, to)))
          view = watchAll(answered.slice(from, end), view)
          heard = Math.max(heard, end)
        }
        assert.deepEqual(watchAll(answered.slice(heard), view), whole)
        assert.deepEqual(watchAll(answered, view), whole)
      }),
    )
  })

  it('never shortens a text, except for a reset', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constant(null)), { maxLength: 30 }), pieces => {
        const events = numbered(
          pieces.map(piece => [
            'node.delta',
            { node_id: 'say', message_id: 'm', text: piece ?? '', ...(piece === null && { reset: true }) },
          ]),
        )
        const rest = pieces.slice(pieces.lastIndexOf(null) + 1).join('')
        assert.equal(watchAll(events).messages[0]?.text ?? '', rest)
      }),
    )
  })

  it('discards the output of a failed attempt, and keeps the number of attempts', () => {
    const view = watchAll(
      numbered([
        ['node.started', { node_id: 'model', kind: 'llm', title: '', attempt: 1 }],
        ['node.delta', { node_id: 'model', text: 'Half an' }],
        [
          'node.failed',
          { node_id: 'model', reason: 'model_failed', message: 'It broke off', attempt: 1, will_retry: true },
        ],
        ['node.delta', { node_id: 'model', text: '', reset: true }],
        ['node.delta', { node_id: 'model', text: 'Whole' }],
      ]),
    )
    assert.equal(view.nodes[0]!.text, 'Whole')
    assert.equal(view.nodes[0]!.status, 'running')
    assert.equal(view.nodes[0]!.attempts, 2)
    assert.equal(view.nodes[0]!.error?.message, 'It broke off')
  })

  it('shows which node failed and stops concurrent nodes', () => {
    const failure = { reason: 'model_failed', message: 'Check the key', node_id: 'model' }
    const view = watchAll(
      numbered([
        ['node.started', { node_id: 'model', kind: 'llm', title: '', attempt: 1 }],
        ['node.started', { node_id: 'slow', kind: 'code', title: '', attempt: 1 }],
        ['node.failed', { ...failure, attempt: 3, will_retry: false }],
        ['error', failure],
        [
          'run.finished',
          { status: 'failed', answer: '', usage: { total_tokens: 0 }, elapsed_ms: 9, error: failure },
        ],
      ]),
    )
    assert.equal(view.status, 'failed')
    assert.deepEqual(view.error, { reason: 'model_failed', message: 'Check the key', path: 'model' })
    assert.deepEqual(
      view.nodes.map(({ status, attempts }) => [status, attempts]),
      [
        ['failed', 3],
        ['stopped', 1],
      ],
    )
    assert.equal(marksOf(view).get('model')?.error, 'Check the key')
  })

  it('keeps its messages when it is stopped', () => {
    const stopped = {
      status: 'stopped',
      answer: 'Slow',
      usage: { total_tokens: 0 },
      elapsed_ms: 5,
      error: null,
    }
    const view = watchAll(numbered([['run.finished', stopped]], 7), watchAll(answered.slice(0, 6)))
    assert.equal(view.status, 'stopped')
    assert.deepEqual(texts(view), ['user: How?', 'run: Slow'])
    assert.equal(view.messages.at(-1)?.isComplete, true)
    assert.equal(view.nodes.find(({ nodeId }) => nodeId === 'model')?.status, 'stopped')
  })
})

describe('A run that asks', () => {
  const asking = numbered([
    ['node.started', { node_id: 'size', kind: 'question', title: '', attempt: 1 }],
    [
      'message',
      { message_id: 'q', node_id: 'size', data_type: 'text', content: 'Which size?', file_list: [] },
    ],
    ['run.waiting', { node_id: 'size', question: 'Which size?', options: ['small', 'large'] }],
  ])
  const goingOn = numbered(
    [
      ['node.started', { node_id: 'size', kind: 'question', title: '', attempt: 1 }],
      [
        'node.finished',
        { node_id: 'size', status: 'succeeded', outputs: { answer: 'large' }, elapsed_ms: 4 },
      ],
    ],
    4,
  )

  it('waits with its question and its options', () => {
    const view = watchAll(asking)
    assert.equal(view.status, 'waiting')
    assert.deepEqual(view.waiting, { path: 'size', question: 'Which size?', options: ['small', 'large'] })
    assert.equal(view.nodes[0]!.status, 'waiting')
  })

  it('shows the reply once, whether it was sent here or elsewhere', () => {
    const wanted = ['run: Which size?', 'user: large']
    const here = watchAll(goingOn, withReply(watchAll(asking), 'large'))
    assert.deepEqual(texts(here), wanted)
    assert.deepEqual(texts(watchAll(goingOn, watchAll(asking))), wanted)
    assert.equal(here.waiting, undefined)
    assert.equal(here.status, 'running')
  })
})

describe('Nested nodes', () => {
  const view = watchAll(
    numbered([
      ['node.started', { node_id: 'each', kind: 'iteration', title: '', attempt: 1 }],
      ['node.started', { node_id: 'each/0/an~1swer', kind: 'llm', title: '', attempt: 1 }],
      ['node.started', { node_id: 'a~1b~0c', kind: 'llm', title: '', attempt: 1 }],
    ]),
  )

  it('are known by their own id and depth', () => {
    const found = view.nodes.map(({ nodeId, depth }) => [nodeId, depth])
    assert.deepEqual(found, [
      ['each', 0],
      ['an/swer', 1],
      ['a/b~c', 0],
    ])
  })

  it('are not marked on the canvas of the outer workflow', () => {
    assert.deepEqual([...marksOf(view).keys()], ['each', 'a/b~c'])
  })
})
