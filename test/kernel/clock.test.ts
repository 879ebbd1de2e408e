import assert from 'node:assert/strict'
import test from 'node:test'
import { isoTime } from '../../src/kernel/clock.ts'

test('isoTime writes UTC with milliseconds and a numeric offset', () => {
  assert.equal(isoTime(0), '1970-01-01T00:00:00.000+00:00')
  assert.equal(isoTime(Date.UTC(2024, 1, 29, 23, 59, 59, 7)), '2024-02-29T23:59:59.007+00:00')
})
