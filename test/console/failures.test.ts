import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureFrom } from '../../console/src/api/api-failure.ts'

const reasonOf = (body: unknown, status: number): string => failureFrom(body, { status }).reason

test('what a proxy answers while the server is away means that it cannot be reached', () => {
  for (const status of [502, 503, 504])
    assert.equal(reasonOf(undefined, status), 'unreachable', String(status))
  assert.equal(reasonOf('<html>', 502), 'unreachable')
  assert.equal(reasonOf({ message: 'no upstream' }, 503), 'unreachable')
})

test("the server's own reasons stay what they are", () => {
  assert.equal(reasonOf({ code: 50301, data: { reason: 'unavailable' } }, 503), 'unavailable')
  assert.equal(reasonOf({ code: 50301, reason: 'unavailable' }, 503), 'unavailable')
  assert.equal(reasonOf({ code: 41301, data: { reason: 'too_large' } }, 413), 'too_large')
  const { message, status } = failureFrom({ code: 1, message: 'The disk is full', data: {} }, { status: 507 })
  assert.deepEqual([message, status], ['The disk is full', 507])
})

test('what a proxy finds too large has words of its own', () => {
  assert.equal(reasonOf(undefined, 413), 'too_large_on_the_way')
  assert.equal(reasonOf(null, 500), 'unknown')
})
