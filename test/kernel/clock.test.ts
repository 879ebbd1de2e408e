import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { isoTime } from '../../src/kernel/clock.ts'

test('times are written as the engine writes them, with a numeric offset', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), milliseconds => {
      assert.equal(isoTime(milliseconds), new Date(milliseconds).toISOString().replace('Z', '+00:00'))
    }),
    { numRuns: 2000 },
  )
  for (const day of ['1970-01-01', '2000-02-29', '2024-02-29', '2100-02-28', '2100-03-01', '2026-12-31'])
    assert.equal(isoTime(Date.parse(day)), `${day}T00:00:00.000+00:00`)
})
