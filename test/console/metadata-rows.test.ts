import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  mergeMetadata,
  metadataOf,
  rowsOf,
  scalarOf,
  textOf,
  typedValueOf,
} from '../../console/src/pages/knowledge/metadata-rows.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  // Characters of the syntax itself are the most likely to be misparsed.
  fc.string({ unit: fc.constantFrom('"', '\\', ',', ' ', '5', 'a', '-', '.', 'e', '\n') }),
  fc.constantFrom('true', 'false', '2026', '-1.5', '1e+21', '1e5', 'NaN', 'Infinity', '12345678901234567890'),
)
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => (value === 0 ? 0 : value))
const scalar = fc.oneof(text, number, fc.integer(), fc.boolean())
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 5 }))

test('a row is parsed to the value it was written for', () => {
  fc.assert(fc.property(value, each => assert.deepEqual(typedValueOf(textOf(each)), each)))
})

test('a single value is parsed to itself, too, for filters', () => {
  fc.assert(fc.property(scalar, each => assert.deepEqual(scalarOf(textOf(each)), each)))
})

test('unedited rows are sent unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.jsonValue()), metadata => {
      assert.deepEqual(metadataOf(rowsOf(metadata)), { ...metadata })
    }),
  )
})

test('values with the members of every object as keys are shown as JSON', () => {
  const odd = { toString: 0, valueOf: false }
  assert.equal(textOf(odd), '{"toString":0,"valueOf":false}')
  assert.equal(textOf([odd, null]), '{"toString":0,"valueOf":false}, null')
})

test('quotes inside of a text are literal', () => {
  assert.equal(typedValueOf('The "Tea" Shop'), 'The "Tea" Shop')
  assert.equal(typedValueOf('5" pipe'), '5" pipe')
  assert.deepEqual(typedValueOf('5" pipe, 2'), ['5" pipe', 2])
  assert.deepEqual(typedValueOf('"a, b", c'), ['a, b', 'c'])
  assert.equal(typedValueOf('"C:\\new"'), 'C:\\new')
})

test('a comma makes a list, also of one value or none', () => {
  assert.deepEqual(typedValueOf('work, 2026'), ['work', 2026])
  assert.deepEqual(typedValueOf('work,'), ['work'])
  assert.deepEqual(typedValueOf(','), [])
  assert.equal(typedValueOf(''), '')
})

test('a long id stays text', () => {
  assert.equal(typedValueOf('12345678901234567890'), '12345678901234567890')
  assert.equal(typedValueOf('12e4'), '12e4')
  assert.equal(typedValueOf('1.50'), 1.5)
})

test('only changed keys are sent: concurrent changes of others are kept', () => {
  const start = { year: 2025, team: 'sales', draft: true }
  const mine = { year: 2026, team: 'sales' }
  const theirs = { year: 2025, team: 'support', draft: true, place: 'Oslo' }
  assert.deepEqual(mergeMetadata(start, mine, theirs), { year: 2026, team: 'support', place: 'Oslo' })
})

test('a key may be named like a member of every object', () => {
  const odd: Record<string, unknown> = JSON.parse('{"constructor": 1, "__proto__": 2}')
  assert.deepEqual(mergeMetadata(odd, {}, odd), {})
  assert.deepEqual(mergeMetadata({}, odd, { place: 'Oslo' }), { place: 'Oslo', ...odd })
  assert.deepEqual(metadataOf(rowsOf(odd)), odd)
})
