import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseInPieces } from '../../src/kernel/parse-in-pieces.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { jsonStart, writeInPieces } from '../../src/kernel/write-in-pieces.ts'

const parse = (text: string): unknown => atOnce(parseInPieces(text))
const write = (value: unknown): string | undefined => atOnce(writeInPieces(value, Number.POSITIVE_INFINITY))

/** Long enough for several pieces. */
const filler = 'x'.repeat(40_000)

/** Values that are split at every level: each holds texts of more than half a piece. */
const values = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.jsonValue(),
    fc.array(fc.oneof(tie('value'), fc.constant(filler)), { maxLength: 4 }),
    fc.dictionary(fc.string(), fc.oneof(tie('value'), fc.constant(filler)), { maxKeys: 4 }),
  ),
})).value

test('parses as JSON.parse does', () => {
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 2), (value, space) => {
      const text = JSON.stringify(value, undefined, space)
      assert.deepEqual(parse(text), JSON.parse(text))
    }),
    { numRuns: 100 },
  )
})

test('writes as JSON.stringify does', () => {
  fc.assert(
    fc.property(values, value => assert.equal(write(value), JSON.stringify(value))),
    { numRuns: 100 },
  )
})

test('handles long lists, objects and texts', () => {
  const list = Array.from({ length: 10_000 }, (_, at) => at)
  const object = Object.fromEntries(list.map(at => [`key ${at}`, { at, text: '\ud800"\\\n😀' }]))
  for (const value of [
    list,
    object,
    { list, object, again: [list, [object]] },
    '😀"'.repeat(100_000),
    [],
    {},
  ]) {
    const text = JSON.stringify(value)
    assert.equal(write(value), text)
    assert.deepEqual(parse(text), value)
    assert.deepEqual(parse(` ${JSON.stringify(value, undefined, 4)}\n`), value)
  }
})

test('parses long strings without escape sequences, and rejects control characters in them', () => {
  for (const long of ['x'.repeat(200_000), '榕'.repeat(200_000)]) {
    for (const value of [long, [long], { long, other: 1 }, [long, long, long]])
      assert.deepEqual(parse(JSON.stringify(value)), value)
    for (const at of [0, 100_000, 200_000])
      assert.throws(() => parse(`["${long.slice(0, at)}\n${long.slice(at)}"]`), SyntaxError)
  }
})

test('parses a long string with an escape sequence at every place', () => {
  const escapes = String.raw`\\\\\\\"\u0041\\u\ud83d\ude00\n\\\u00e9`
  for (let start = 65_500; start < 65_540; start++) {
    const text = `["${'x'.repeat(start)}${escapes}${'榕'.repeat(70_000)}${escapes}"]`
    assert.deepEqual(parse(text), JSON.parse(text))
  }
  for (const wrong of ['\\x', '\\u12', '\n', '"', '\\'])
    for (let start = 65_530; start < 65_540; start++) {
      const text = `["${'x'.repeat(start)}${wrong}${filler}"]`
      assert.throws(() => JSON.parse(text), SyntaxError)
      assert.throws(() => parse(text), SyntaxError)
    }
})

test('keeps the order, the last duplicate and __proto__', () => {
  const text = `{"b":1,"a":"${filler}","__proto__":{"x":1},"c":"${filler}","b":2,"2":0}`
  const parsed = parse(text) as object
  assert.deepEqual(Object.entries(parsed), Object.entries(JSON.parse(text)))
  assert.equal(Object.getPrototypeOf(parsed), Object.prototype)
})

test('rejects what JSON.parse rejects', () => {
  const long = `"${filler}","${filler}"`
  for (const text of [
    ...[`[${long},]`, `[,${long}]`, `[${long},,1]`, `[${long}`, `[${long}}`, `[${long}] x`, `[${long}]]`],
    ...[
      `{"a":[${long}]x}`,
      `{"a":[${long}],}`,
      `{"a" [${long}]}`,
      `{a:[${long}]}`,
      `{[${long}]:1}`,
      `{"a":[${long}]`,
    ],
    ...[`[[${long}] 1,2]`, `[${long},x]`, `["${filler}${filler}]`, `{"a":[${long}]]`],
  ]) {
    assert.throws(() => JSON.parse(text), SyntaxError)
    assert.throws(() => parse(text), SyntaxError, text.replaceAll(filler, '…'))
  }
  const at = `[${long},x]`.indexOf('x]')
  assert.throws(() => parse(`[${long},{"a" 1}]`), new RegExp(`position ${at + 5}`))
})

test('stops writing at the maximum', () => {
  assert.equal(
    atOnce(
      writeInPieces(
        Array.from({ length: 9000 }, () => filler),
        1_000_000,
      ),
    ),
    undefined,
  )
  const start = jsonStart(
    Array.from({ length: 9000 }, () => filler),
    100_000,
  )
  assert.ok(start.startsWith('["xx') && start.length < 250_000)
})
