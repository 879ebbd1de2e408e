import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause } from '../../src/kernel/pause.ts'
import { WakeLoop } from '../../src/kernel/wake-loop.ts'

const long = 60_000

test('a pause ends early, without an error, when its signal is aborted', async () => {
  const ended = new AbortController()
  const pausing = pause(long, ended.signal)
  ended.abort()
  await pausing
  await pause(long, ended.signal)
})

test('a round whose pause was woken is followed by the next, until the signal', async () => {
  const loop = new WakeLoop()
  const stopping = new AbortController()
  let rounds = 0
  await loop.run(stopping.signal, async woken => {
    rounds += 1
    // A message that arrives while the round looks for work must not get lost.
    if (rounds < 3) loop.wake()
    else if (rounds === 3) setImmediate(() => loop.wake())
    else setImmediate(() => stopping.abort())
    await pause(long, woken)
  })
  assert.equal(rounds, 4)
})

test('the end of a round ends the pause that it did not wait for', async () => {
  const stopping = new AbortController()
  let left: Promise<void> | undefined
  await new WakeLoop().run(stopping.signal, async woken => {
    if (left) {
      await left
      stopping.abort()
    }
    left = pause(long, woken)
  })
})
