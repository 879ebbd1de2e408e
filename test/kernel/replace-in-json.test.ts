import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type JsonChanges, replaceInJson } from '../../src/kernel/replace-in-json.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { rounds, seed } from '../support/rounds.ts'

const changesOf = (entries: object): JsonChanges =>
  new Map(
    Object.entries(entries).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : changesOf(value),
    ]),
  )

test('replaces values and leaves everything else as it is', () => {
  const text = ' {"a" : [1.0, {"b\\u0021":"x\\"}" , "c":9007199254740993}],\n "d":{"a":null}, "e" : true }'
  assert.equal(
    atOnce(replaceInJson(text, changesOf({ a: { 1: { 'b!': '"y"' } }, e: 'false' }))),
    ' {"a" : [1.0, {"b\\u0021":"y" , "c":9007199254740993}],\n "d":{"a":null}, "e" : false }',
  )
  assert.equal(atOnce(replaceInJson(text, changesOf({ d: '[]' }))), text.replace('{"a":null}', '[]'))
  assert.equal(atOnce(replaceInJson(text, changesOf({ z: '1', a: { 7: '1' }, d: { a: { x: '1' } } }))), text)
  assert.equal(atOnce(replaceInJson('[[],{},""]', changesOf({ 2: '0' }))), '[[],{},0]')
})

test('gives the value that an assignment would give', () => {
  const places = (value: unknown, path: string[] = []): string[][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => places(each, [...path, key]))
      : path.length > 0
        ? [path]
        : []
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.nat(),
      fc.integer({ min: 0, max: 2 }),
      (value, pick, indent) => {
        const found = places(value)
        const path = found[pick % Math.max(found.length, 1)]
        if (!path) return
        const nested = path.reduceRight<JsonChanges | string>(
          (inner, key) => new Map([[key, inner]]),
          '"new"',
        )
        const expected = structuredClone(value) as Record<string, unknown>
        let inner = expected
        for (const key of path.slice(0, -1)) inner = inner[key] as Record<string, unknown>
        Object.defineProperty(inner, path.at(-1)!, { value: 'new', enumerable: true })
        const replaced = atOnce(replaceInJson(JSON.stringify(value, null, indent), nested as JsonChanges))
        assert.equal(JSON.stringify(JSON.parse(replaced)), JSON.stringify(expected))
      },
    ),
    { numRuns: rounds(500), seed },
  )
})
