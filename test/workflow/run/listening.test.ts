import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { EventHub, type RunEvent, runEvent } from '../../../src/workflow/run/run-event.ts'
import {
  eachRunWorld,
  eventsOf,
  type RunWorld,
  receivedText,
  type TestWorker,
  workspace,
} from '../../support/run-world.ts'
import { chain, model, says, work } from './run-graphs.ts'

describe('subscribing to a run', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  const seqs = (events: readonly RunEvent[]): number[] => events.map(({ seq }) => seq)
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

  test('subscribers from the start, from a number and after the end see the same events', async () => {
    const graph = chain(model('m', { write: ['a', 'b', 'c'] }), says('o', '{{#m.text#}}'))
    const { run } = await worker.run(graph)
    const all = await eventsOf(worker, run.id)
    assert.deepEqual(seqs(all), upTo(all.length))
    assert.deepEqual([all[0]?.event, all.at(-1)?.event], ['run.started', 'run.finished'])
    assert.deepEqual(await eventsOf(worker, run.id, 5), all.slice(5))
    assert.deepEqual(await eventsOf(world.worker(), run.id), all)
    assert.deepEqual(await eventsOf(worker, run.id, all.length), [])
    await assert.rejects(eventsOf(worker, 'run_none'), /There is no run/)
  })

  test('a subscriber that joins a running run misses no recent event', async () => {
    world.script.when('m', async step => {
      step.write('early')
      await world.script.gate('gate').promise
      step.write('late')
      return { outputs: { text: 'earlylate' } }
    })
    const { runId, settled } = await worker.start(chain(model('m')))
    while (world.script.countOf('m') === 0) await sleep(0)
    const subscribers = [eventsOf(worker, runId), eventsOf(worker, runId, 3), eventsOf(worker, runId)]
    await sleep(10)
    world.script.open('gate')
    await settled
    const [first, second, third] = await Promise.all(subscribers)
    assert.deepEqual(seqs(first!), upTo(first!.length))
    assert.equal(receivedText(first!, 'm', false), 'earlylate')
    assert.deepEqual([seqs(second!), seqs(third!)], [seqs(first!).slice(3), seqs(first!)])
  })

  test('a subscriber in another process reads the journal', async () => {
    const { runId, settled } = await worker.start(chain(work('a', { hold: 'gate' })))
    const elsewhere = eventsOf(world.worker(), runId)
    await sleep(150)
    world.script.open('gate')
    await settled
    assert.deepEqual(seqs(await elsewhere), seqs(await eventsOf(worker, runId)))
  })

  test('when the last event is published, the run is stored with that status', async () => {
    const live = await worker.start(chain(work('a')))
    let seen = ''
    for await (const { event } of live.events(new AbortController().signal))
      if (event === 'run.finished') seen = (await world.store.find(workspace, live.runId))!.status
    assert.equal(seen, 'succeeded')
  })

  test('a slow subscriber continues from the journal and delays no other', async () => {
    const pieces = 5000
    world.script.when('m', async step => {
      for (let index = 0; index < pieces; index += 1) step.write('x')
      return { outputs: { text: 'x'.repeat(pieces) } }
    })
    const { runId, settled } = await worker.start(chain(work('a', { hold: 'gate' }), model('m')))
    const slow = worker.runs.events(workspace, runId, 0, AbortSignal.timeout(20_000))
    const taken: RunEvent[] = [(await slow.next()).value!]
    world.script.open('gate')
    assert.equal((await settled).run.status, 'succeeded')
    for await (const event of slow) taken.push(event)
    assert.deepEqual(seqs(taken), upTo(taken.length))
    assert.equal(receivedText(taken, 'm', false).length, pieces)
  })

  test('a feed that falls behind ends after its queued events, and the others continue', async () => {
    const hub = new EventHub()
    const { signal } = new AbortController()
    const [slow, quick] = [hub.subscribe(signal), hub.subscribe(signal)]
    const reader = quick[Symbol.asyncIterator]()
    for (let seq = 1; seq <= 5000; seq += 1) {
      hub.publish(
        runEvent(seq, 'node.skipped', { runId: 'r', at: 0, fields: { node_id: 'n', kind: 'k', title: '' } }),
      )
      assert.equal((await reader.next()).value?.seq, seq)
    }
    const kept: number[] = []
    for await (const { seq } of slow) kept.push(seq)
    assert.deepEqual([kept.length, kept[0], slow.isBehind, quick.isBehind], [4096, 1, true, false])
    hub.close()
    assert.equal((await reader.next()).done, true)
  })

  test('a subscriber may leave at any time', async () => {
    const { runId, settled } = await worker.start(chain(work('a', { hold: 'gate' })))
    const leaving = new AbortController()
    const received: RunEvent[] = []
    for await (const event of worker.runs.events(workspace, runId, 0, leaving.signal)) {
      received.push(event)
      leaving.abort()
    }
    assert.ok(received.length >= 1)
    for await (const event of worker.runs.events(workspace, runId, 0, new AbortController().signal)) {
      received.push(event)
      break
    }
    world.script.open('gate')
    assert.equal((await settled).run.status, 'succeeded')
  })
})
