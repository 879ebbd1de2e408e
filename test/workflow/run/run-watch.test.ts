import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { MessageBus } from '../../../src/cluster/message-bus.ts'
import type { RunDependencies } from '../../../src/workflow/run/run-context.ts'
import { runEvent } from '../../../src/workflow/run/run-event.ts'
import { RunWatch } from '../../../src/workflow/run/run-relay.ts'
import { openTestDatabase, type TestDatabase } from '../../support/open-test-database.ts'
import { eventsOf, RunWorld, workspace } from '../../support/run-world.ts'
import { chain, model, says } from './run-graphs.ts'

const goesOn = new AbortController().signal

/** The lines of a message with these events. */
const lines = (...numbers: number[]): string =>
  numbers
    .map(number => runEvent(number, 'node.started', { runId: 'r', at: 1, fields: fields() }).line)
    .join('\n')

const fields = () => ({ nodeId: 'n', type: 'llm', path: 'n', iteration: undefined }) as never

describe('the watch of a run on another replica', () => {
  const open = () => {
    let syncs = 0
    const watch = new RunWatch(
      { workspaceId: 'w', runId: 'r' },
      () => void syncs++,
      () => {},
    )
    const read = async (after: number): Promise<number[]> => {
      const seen: number[] = []
      for await (const event of watch.after(after, goesOn)) seen.push(event.seq)
      return seen
    }
    return { watch, read, syncs: () => syncs }
  }

  test('yields events once and in order until the journal has to be read', async () => {
    const { watch, read, syncs } = open()
    const reading = read(2)
    watch.receive(lines(1, 2, 3))
    watch.receive(lines(3, 4))
    await new Promise(setImmediate)
    assert.equal(watch.seen, 4)
    watch.receive('')
    assert.deepEqual([await reading, syncs()], [[3, 4], 0])
  })

  test('asks for what is missing, and does not count it as seen', async () => {
    const { watch, read, syncs } = open()
    const reading = read(0)
    watch.receive(lines(1))
    await new Promise(setImmediate)
    watch.receive(lines(3))
    await new Promise(setImmediate)
    assert.deepEqual([syncs(), watch.seen], [1, 1], 'a poll finds that the journal has more')
    watch.receive(lines(4))
    watch.miss()
    assert.deepEqual(await reading, [1])
    const more = read(4)
    watch.receive(lines(5))
    await new Promise(setImmediate)
    watch.miss()
    assert.deepEqual(await more, [5])
  })

  test('counts events that were dropped for a slow reader as not seen', async () => {
    const { watch, read } = open()
    watch.receive(lines(...Array.from({ length: 5000 }, (_, at) => at + 1)))
    watch.receive(lines(5001))
    assert.deepEqual(await read(0), [], 'the journal has to be read')
    const reading = read(100)
    assert.equal(watch.seen, 100)
    watch.miss()
    assert.deepEqual(await reading, [])
  })
})

/** Opens one end for each worker. `isLost` decides which messages do not reach the others. */
function network(isLost: (topic: string) => boolean): () => RunDependencies['cluster'] {
  const buses: MessageBus[] = []
  return () => {
    const own = new MessageBus()
    buses.push(own)
    return {
      isConnected: true,
      publish: (topic, message = '') => {
        own.deliver(topic, message)
        if (isLost(topic)) return
        for (const other of buses) if (other !== own) setImmediate(() => other.deliver(topic, message))
      },
      subscribe: own.subscribe.bind(own),
    }
  }
}

describe('two workers', () => {
  let opened: TestDatabase
  let world: RunWorld
  before(async () => {
    opened = await openTestDatabase()
  })
  afterEach(() => world.close())
  after(() => opened.cleanup())

  /** A run on one worker that is held after its first text, and another worker. */
  const hold = async (isLost: (topic: string) => boolean = () => false) => {
    world = new RunWorld(opened.database)
    world.script.when('m', async step => {
      step.write('half of ')
      await world.script.gate('held').promise
      for (let piece = 0; piece < 50; piece++) {
        step.write('it ')
        await new Promise(setImmediate)
      }
      return { outputs: {} }
    })
    const connect = network(isLost)
    const [near, far] = [world.worker({ cluster: connect() }), world.worker({ cluster: connect() })]
    const { runId, settled } = await near.start(chain(model('m'), says('o', '{{#m.text#}}')))
    return { near, far, runId, settled }
  }

  test('a subscriber of one gets the events of the other as they happen', async () => {
    const { near, far, runId } = await hold()
    const seen: number[] = []
    let isOpened = false
    for await (const event of far.runs.events(workspace, runId, 0, AbortSignal.timeout(20_000))) {
      seen.push(event.seq)
      // It would never come if it came only with the end.
      if (event.event === 'node.delta' && !isOpened) {
        isOpened = true
        world.script.gate('held').resolve(undefined)
      }
    }
    assert.deepEqual(
      seen,
      (await eventsOf(near, runId)).map(({ seq }) => seq),
    )
  })

  let messages = 0
  const losses: Record<string, (topic: string) => boolean> = {
    'all messages': () => true,
    'all events': topic => topic === 'runs.events',
    'every other message': () => messages++ % 2 === 0,
  }
  for (const [label, isLost] of Object.entries(losses))
    test(`a subscriber gets all events, each once, when ${label} get lost`, async () => {
      const { near, far, runId, settled } = await hold(isLost)
      const reading = eventsOf(far, runId)
      const ended = far.runs.settled(workspace, runId, AbortSignal.timeout(20_000))
      world.script.gate('held').resolve(undefined)
      await settled
      const numbers = (await reading).map(({ seq }) => seq)
      assert.deepEqual(
        numbers,
        (await eventsOf(near, runId)).map(({ seq }) => seq),
      )
      assert.equal((await ended).status, 'succeeded')
    })

  test('both wait for its end only until the signal', { timeout: 20_000 }, async () => {
    const { near, far, runId } = await hold()
    for (const { runs } of [near, far])
      assert.equal((await runs.settled(workspace, runId, AbortSignal.timeout(10))).status, 'running')
  })

  test('one stops the run of the other', async () => {
    const { far, runId, settled } = await hold()
    assert.equal((await far.runs.stop(workspace, runId)).status, 'stopped')
    assert.equal((await settled).run.status, 'stopped')
  })
})
