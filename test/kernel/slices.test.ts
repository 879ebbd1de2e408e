import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices, type Pausable } from '../../src/kernel/slices.ts'

/** Each step takes a fifth of a slice or, beside other load, more: that many steps always take some slices. */
function* compute(steps: number, log?: () => void): Pausable<string> {
  for (let step = 0; step < steps; step++) {
    log?.()
    for (const end = performance.now() + 2; performance.now() < end; );
    yield
  }
  return 'done'
}

test('returns the result of a short computation at once', () => {
  assert.equal(inSlices(compute(0)), 'done')
})

test('yields to other work', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const result = inSlices(compute(50))
  assert.ok(result instanceof Promise)
  assert.equal(await result, 'done')
  clearInterval(timer)
  assert.ok(turns >= 3, `${turns} turns`)
})

test('alternates between computations', async () => {
  const order: string[] = []
  const named = (name: string) => inSlices(compute(30, () => order.at(-1) === name || order.push(name)))
  await Promise.all([named('a'), named('b')])
  assert.ok(order.join('').startsWith('abab'), order.join(''))
})

test('fails with the error of the computation', async () => {
  function* failing(): Pausable<void> {
    yield* compute(30)
    throw new Error('broken')
  }
  await assert.rejects(Promise.resolve(inSlices(failing())), /broken/)
  assert.equal(await inSlices(compute(30)), 'done')
})

test('stops when its caller is aborted', async () => {
  const controller = new AbortController()
  const result = inSlices(compute(60_000), controller)
  controller.abort(new Error('too long'))
  await assert.rejects(Promise.resolve(result), /too long/)
})
