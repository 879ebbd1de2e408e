import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureFrom } from '../../console/src/api/api-failure.ts'

const reasonOf = (body: unknown, status: number): string => failureFrom(body, { status }).reason

test('a gateway error of a proxy means that the server is unreachable', () => {
  for (const status of [502, 503, 504])
    assert.equal(reasonOf(undefined, status), 'unreachable', String(status))
  assert.equal(reasonOf('<html>', 502), 'unreachable')
  assert.equal(reasonOf({ message: 'no upstream' }, 503), 'unreachable')
})

test('reasons of the server are kept', () => {
  assert.equal(reasonOf({ code: 50301, data: { reason: 'unavailable' } }, 503), 'unavailable')
  assert.equal(reasonOf({ code: 50301, reason: 'unavailable' }, 503), 'unavailable')
  assert.equal(reasonOf({ code: 41301, data: { reason: 'too_large' } }, 413), 'too_large')
  const { message, status } = failureFrom({ code: 1, message: 'The disk is full', data: {} }, { status: 507 })
  assert.deepEqual([message, status], ['The disk is full', 507])
})

test('a proxy’s size limit has its own reason', () => {
  assert.equal(reasonOf(undefined, 413), 'too_large_on_the_way')
  assert.equal(reasonOf(null, 500), 'unknown')
})
