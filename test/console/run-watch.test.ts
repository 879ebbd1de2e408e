import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiFailure } from '../../console/src/api/api-failure.ts'
import type { RunEvent } from '../../console/src/editor/runs/apply-run-event.ts'
import type { RunServer } from '../../console/src/editor/runs/run-server.ts'
import type { RunDetails } from '../../console/src/editor/runs/run-view.ts'
import { RunWatch } from '../../console/src/editor/runs/run-watch.ts'

const event = (seq: number, name: string, fields: Record<string, unknown> = {}): RunEvent => ({
  event: name,
  data: { run_id: 'run_1', seq, at: new Date(seq).toISOString(), ...fields },
})
const piece = (seq: number, text: string) =>
  event(seq, 'node.delta', { node_id: 'say', text, message_id: 'm' })
const finished = (seq: number, status = 'succeeded') =>
  event(seq, 'run.finished', { status, answer: '', usage: { total_tokens: 1 }, elapsed_ms: 1, error: null })
const waiting = (seq: number) =>
  event(seq, 'run.waiting', { node_id: 'ask', question: 'Which?', options: [] })

const details = (status: RunDetails['status']): RunDetails =>
  ({
    run_id: 'run_1',
    status,
    answer: '',
    nodes: [],
    usage: { total_tokens: 1 },
    elapsed_ms: 1,
    created_at: new Date(0).toISOString(),
    error: null,
    waiting: status === 'waiting' ? { node_id: 'ask', question: 'Which?', options: [] } : null,
    inputs: { query: '' },
    outputs: null,
  }) as unknown as RunDetails

const broken = () => new ApiFailure('gone', { reason: 'unreachable' })
type Part = RunEvent | Error

/** A server whose connections each emit scripted events, and end or break there. */
function scripted(connections: Part[][], stands: RunDetails['status'] = 'succeeded') {
  const asked: string[] = []
  const pauses: number[] = []
  async function* next(label: string) {
    asked.push(label)
    for (const part of connections.shift() ?? [broken()]) {
      if (part instanceof Error) throw part
      yield part
    }
  }
  const server: RunServer = {
    start: () => next('start'),
    events: (_, after) => next(`events after ${after}`),
    resume: (_, answer) => next(`resume ${answer}`),
    stop: async () => ({ status: 'stopped' }),
    details: async () => details(stands),
    pause: async milliseconds => void pauses.push(milliseconds),
  }
  return { server, asked, pauses, watch: new RunWatch(server) }
}

const message = (watch: RunWatch) => watch.state().view?.messages.map(({ text }) => text)

describe('Following a run', () => {
  it('resumes after the last event when the connection breaks, without repeated text', async () => {
    const { watch, asked } = scripted([
      [event(1, 'run.started', { inputs: {} }), piece(2, 'Slow'), broken()],
      [piece(2, 'Slow'), piece(3, 'ly'), broken()],
      [finished(4)],
    ])
    await watch.start(() => ({ id: 'ask' }))
    assert.deepEqual(asked, ['start', 'events after 2', 'events after 3'])
    assert.deepEqual(message(watch), ['Slowly'])
    assert.equal(watch.state().view?.status, 'succeeded')
    assert.equal(watch.state().connection, 'idle')
  })

  it('resumes when the stream ends before the run', async () => {
    const { watch, asked } = scripted([[event(1, 'run.started', { inputs: {} })], [finished(2)]])
    await watch.start(() => ({ id: 'ask' }))
    assert.deepEqual(asked, ['start', 'events after 1'])
    assert.equal(watch.state().view?.status, 'succeeded')
  })

  it('repeats the same start request while no run is known', async () => {
    const { watch, asked } = scripted([[broken()], [event(1, 'run.started', { inputs: {} }), finished(2)]])
    await watch.start(() => ({ id: 'ask' }))
    assert.deepEqual(asked, ['start', 'start'])
  })

  it('waits longer each time, and reports when it gives up', async () => {
    const { watch, pauses } = scripted([[event(1, 'run.started', { inputs: {} }), broken()]])
    await watch.start(() => ({ id: 'ask' }))
    assert.equal(watch.state().connection, 'lost')
    assert.ok(pauses.length >= 5)
    assert.deepEqual(
      pauses,
      pauses.toSorted((one, other) => one - other),
    )
  })

  it('starts nothing when the preparation fails', async () => {
    const { watch, asked } = scripted([])
    const failure = new Error('It cannot be saved')
    await watch.start(() => Promise.reject(failure))
    assert.deepEqual(asked, [])
    assert.equal(watch.state().failure, failure)
    assert.equal(watch.state().view, undefined)
  })

  it('does not retry rejected requests', async () => {
    const refused = new ApiFailure('Not runnable', { reason: 'invalid', status: 400 })
    const { watch, asked } = scripted([[refused]])
    await watch.start(() => ({ id: 'ask' }))
    assert.deepEqual(asked, ['start'])
    assert.equal(watch.state().failure, refused)
  })

  it('reports once that there is a run, and not when there is none', async () => {
    const begun: string[] = []
    const good = scripted([[broken()], [event(1, 'run.started', { inputs: {} }), piece(2, 'a'), finished(3)]])
    await good.watch.start(
      () => ({ id: 'ask' }),
      () => begun.push('good'),
    )
    const bad = scripted([[new ApiFailure('Not runnable', { reason: 'invalid', status: 400 })]])
    await bad.watch.start(
      () => ({ id: 'ask' }),
      () => begun.push('bad'),
    )
    assert.deepEqual(begun, ['good'])
  })

  it('ignores a run when another one is started', async () => {
    const { watch } = scripted([
      [event(1, 'run.started', { inputs: {} }), piece(2, 'old'), finished(3)],
      [event(1, 'run.started', { inputs: {} }), piece(2, 'new'), finished(3)],
    ])
    await Promise.all([watch.start(() => ({ id: 'ask' })), watch.start(() => ({ id: 'ask' }))])
    assert.equal(message(watch)?.length, 1)
  })
})

describe('Answering a run that waits', () => {
  const asks = [event(1, 'run.started', { inputs: {} }), waiting(2)]

  it('continues with the following events', async () => {
    const { watch, asked } = scripted([asks, [piece(3, 'Done'), finished(4)]], 'succeeded')
    await watch.start(() => ({ id: 'ask' }))
    assert.equal(watch.state().view?.waiting?.question, 'Which?')
    await watch.reply('this one')
    assert.deepEqual(asked, ['start', 'resume this one'])
    assert.deepEqual(message(watch), ['this one', 'Done'])
  })

  it('keeps asking, with the reason, when the answer did not arrive', async () => {
    const failure = broken()
    const { watch, asked } = scripted([asks, [failure]], 'waiting')
    await watch.start(() => ({ id: 'ask' }))
    await watch.reply('this one')
    assert.deepEqual(asked, ['start', 'resume this one'])
    assert.equal(watch.state().view?.status, 'waiting')
    assert.equal(watch.state().failure, failure)
  })

  it('can be stopped instead', async () => {
    const { watch } = scripted([asks], 'stopped')
    await watch.start(() => ({ id: 'ask' }))
    await watch.stop()
    assert.equal(watch.state().view?.status, 'stopped')
    assert.equal(watch.state().view?.waiting, undefined)
  })
})
