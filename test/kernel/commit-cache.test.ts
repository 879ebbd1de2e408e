import assert from 'node:assert/strict'
import test from 'node:test'
import { CommitCache } from '../../src/kernel/commit-cache.ts'

/** Sets a value twice: the first call only records the demand. */
function keep<Value>(cache: CommitCache<Value>, key: string, value: Value, size = 1): void {
  for (let time = 0; time < 2; time++) cache.set(key, value, size, cache.generation())
}

test('keeps a value until the next commit', () => {
  let generation = 1
  const cache = new CommitCache<string>(() => generation, 100)
  cache.set('a', 'first', 1, 1)
  assert.equal(cache.get('a'), undefined, 'requested once')
  cache.set('a', 'first', 1, 1)
  assert.equal(cache.get('a'), 'first')
  generation = 2
  assert.equal(cache.get('a'), undefined)
  cache.set('a', 'second', 1, 2)
  assert.equal(cache.get('a'), 'second', 'the demand is known from before')
})

test('does not keep a value read before a commit', () => {
  let generation = 1
  const cache = new CommitCache<string>(() => generation, 100)
  cache.set('a', 'old', 1, 1)
  generation = 2
  cache.set('a', 'old', 1, 1)
  assert.equal(cache.get('a'), undefined)
})

test('keeps nothing where commits cannot be observed', () => {
  const cache = new CommitCache<string>(() => undefined, 100)
  keep(cache, 'a', 'value')
  assert.equal(cache.get('a'), undefined)
})

test('limits the total size, and one large value does not evict the others', () => {
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
