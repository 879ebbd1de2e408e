import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withBoundedSpace, withoutBlankStart } from '../../../src/knowledge/ingest/chunking/document-text.ts'
import { splitSentences } from '../../../src/knowledge/ingest/chunking/split-text.ts'
import { readJson } from '../../../src/knowledge/ingest/readers/data/read-json.ts'

/** A pattern that keeps a stack overflows it on a text of this length. */
const length = 20_000_000

test('shortens endless white space', () => {
  assert.equal(withBoundedSpace(`a${' '.repeat(length)}b`).length, 42)
  assert.equal(withBoundedSpace(`a${'\n'.repeat(length)}b`), 'a\n\n\nb')
  assert.equal(withBoundedSpace('a\n \n\n b\n\nc'), 'a\n \n\n b\n\nc')
  assert.equal(withoutBlankStart(`${'\n'.repeat(length)}  a`), '  a')
})

test('reads endless numbers and data', () => {
  const [block] = readJson(`{"a":"x","b":${'1'.repeat(length / 2)}}`)
  assert.ok(block)
  assert.doesNotMatch(JSON.stringify([...readJson(`{"a":"x","b":"${'QUJD'.repeat(length / 8)}=="}`)]), /QUJD/)
})

test('splits endless references', () => {
  const [first] = splitSentences(`One.${'[1]'.repeat(2_000_000)} Two.`)
  assert.ok(first!.startsWith('One.[1][1]'))
})
