import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runEvent } from '../../../src/workflow/run/run-event.ts'
import { RunWatch } from '../../../src/workflow/run/run-relay.ts'

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

  test('counts what was dropped for a slow reader as not seen', async () => {
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
