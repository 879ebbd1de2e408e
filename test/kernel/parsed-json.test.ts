import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsedJson } from '../../src/kernel/parsed-json.ts'

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

test('a JSON text that is invalid or nested too deeply has no value', () => {
  assert.deepEqual(parsedJson('{"a":[1,null]}'), { a: [1, null] })
  assert.deepEqual(
    [parsedJson('{'), parsedJson(''), parsedJson(nested(50_000))],
    [undefined, undefined, undefined],
  )
  assert.deepEqual(parsedJson(nested(66)), JSON.parse(nested(66)))
  assert.equal(parsedJson(nested(67)), undefined)
  assert.equal(parsedJson(`{"a":${nested(66)}}`), undefined)
})
