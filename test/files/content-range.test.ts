import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { contentRange } from '../../src/http/content-headers.ts'

describe('content range', () => {
  for (const [header, size, expected] of [
    ['bytes=0-', 10, { start: 0, end: 9 }],
    ['bytes=0-0', 10, { start: 0, end: 0 }],
    ['bytes=3-9', 10, { start: 3, end: 9 }],
    ['bytes=3-99', 10, { start: 3, end: 9 }],
    ['bytes=9-', 10, { start: 9, end: 9 }],
    ['bytes=-5', 10, { start: 5, end: 9 }],
    ['bytes=-50', 10, { start: 0, end: 9 }],
    ['Bytes=1-2', 10, { start: 1, end: 2 }],
    [' bytes=1-2 ', 10, { start: 1, end: 2 }],
    ['bytes=1-99999999999999999999999999', 10, { start: 1, end: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=10-20', 10, 'unsatisfiable'],
    ['bytes=99999999999999999999999999-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-0', 0, 'unsatisfiable'],
    ['bytes=-5', 0, undefined],
    [undefined, 10, undefined],
    ['', 10, undefined],
    ['bytes', 10, undefined],
    ['bytes=', 10, undefined],
    ['bytes=-', 10, undefined],
    ['bytes=5-3', 10, undefined],
    ['bytes=a-b', 10, undefined],
    ['bytes=--5', 10, undefined],
    ['bytes=1.5-3', 10, undefined],
    ['bytes=0x1-3', 10, undefined],
    ['bytes=+1-3', 10, undefined],
    ['bytes=0-1,3-4', 10, undefined],
    ['bytes=0-1,', 10, undefined],
    ['items=0-5', 10, undefined],
    ['0-5', 10, undefined],
    ['bytes=٣-٥', 10, undefined],
  ] as const)
    it(`${JSON.stringify(header)} of ${size} bytes is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(contentRange(header, size), expected)
    })

  const position = fc.nat({ max: 40 })

  it('selects the same bytes as a naive implementation', () => {
    fc.assert(
      fc.property(
        fc.option(position, { nil: undefined }),
        fc.option(position, { nil: undefined }),
        fc.integer({ min: 1, max: 30 }),
        (first, last, size) => {
          const all = Array.from({ length: size }, (_, index) => index)
          const result = contentRange(`bytes=${first ?? ''}-${last ?? ''}`, size)
          const malformed = first === undefined ? last === undefined : last !== undefined && first > last
          if (malformed) return assert.equal(result, undefined)
          const wanted =
            first === undefined
              ? all.filter(index => index >= size - last!)
              : all.filter(index => index >= first && (last === undefined || index <= last))
          const selected =
            result === 'unsatisfiable'
              ? []
              : all.filter(index => index >= result!.start && index <= result!.end)
          assert.deepEqual(selected, wanted)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('is within the resource whatever the header', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (junk, size) => {
        for (const header of [junk, `bytes=${junk}`]) {
          const range = contentRange(header, size)
          if (typeof range === 'object')
            assert.ok(0 <= range.start && range.start <= range.end && range.end < size)
        }
      }),
    )
  })
})
