import assert from 'node:assert/strict'
import test from 'node:test'
import { CommitCache } from '../../src/kernel/commit-cache.ts'

/** Sets a value twice: the first time only tells that it is wanted. */
function keep<Value>(cache: CommitCache<Value>, key: string, value: Value, size = 1): void {
  for (let time = 0; time < 2; time++) cache.set(key, value, size, cache.generation())
}

test('a value is kept until anything is committed', () => {
  let generation = 1
  const cache = new CommitCache<string>(() => generation, 100)
  cache.set('a', 'first', 1, 1)
  assert.equal(cache.get('a'), undefined, 'asked for once')
  cache.set('a', 'first', 1, 1)
  assert.equal(cache.get('a'), 'first')
  generation = 2
  assert.equal(cache.get('a'), undefined)
})

test('what was read before a commit is not kept after it', () => {
  let generation = 1
  const cache = new CommitCache<string>(() => generation, 100)
  cache.set('a', 'old', 1, 1)
  generation = 2
  cache.set('a', 'old', 1, 1)
  assert.equal(cache.get('a'), undefined)
})

test('nothing is kept where commits cannot be seen', () => {
  const cache = new CommitCache<string>(() => undefined, 100)
  keep(cache, 'a', 'value')
  assert.equal(cache.get('a'), undefined)
})

test('the sum of sizes is bounded, and one large value does not push out the others', () => {
  const cache = new CommitCache<string>(() => 1, 160)
  keep(cache, 'small', 'value', 1)
  keep(cache, 'large', 'value', 11)
  assert.deepEqual([cache.get('small'), cache.get('large')], ['value', undefined])
  for (let at = 0; at < 50; at++) keep(cache, `many ${at}`, 'value', 10)
  const kept = Array.from({ length: 50 }, (_, at) => cache.get(`many ${at}`)).filter(
    value => value !== undefined,
  )
  assert.ok(kept.length >= 1 && kept.length <= 16)
})
