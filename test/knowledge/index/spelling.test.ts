import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BlockWriter } from '../../../src/knowledge/index/postings.ts'
import { blocksNear, entriesNear } from '../../../src/knowledge/index/spelling.ts'

const blocksOf = (terms: string[]) => {
  const writer = new BlockWriter()
  for (const term of [...new Set(terms)].sort()) writer.add(term, 1, Uint8Array.of(0))
  writer.finish()
  return writer
}

/** All that one edit makes of a word. */
function editsOf(word: string, alphabet: string[]): Set<string> {
  const edits = new Set([word])
  for (let at = 1; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    for (const letter of alphabet) {
      edits.add(before + letter + after)
      if (after !== '') edits.add(before + letter + after.slice(1))
    }
    edits.add(before + after.slice(1))
    if (after.length > 1) edits.add(before + after[1] + after[0] + after.slice(2))
  }
  return edits
}

test('the near entries are those that one edit behind the first letter makes of the word', () => {
  const alphabet = ['a', 'b', '款']
  const words = ['']
  for (const word of words) if (word.length < 4) words.push(...alphabet.map(letter => word + letter))
  words.shift()
  const { blocks } = blocksOf(words)
  for (const word of words) {
    const found = blocks.flatMap(block => entriesNear(block, word).map(({ term }) => term))
    const expected = [...editsOf(word, alphabet)].filter(each => words.includes(each))
    assert.deepEqual(found, expected.sort(), word)
  }
})

test('in a large segment the blocks with more of the same beginning are read', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const triples = letters.flatMap(one => letters.flatMap(two => letters.map(three => one + two + three)))
  const { firstTerms, blocks } = blocksOf(triples.map(triple => triple + 'x'.repeat(30)))
  const near = blocksNear(firstTerms, 'mnotxx')
  assert.ok(near.length <= 8 && near.length > 0, `${near.length} of ${blocks.length}`)
  const terms = near.flatMap(at => entriesNear(blocks[at]!, `mno${'x'.repeat(29)}`).map(({ term }) => term))
  assert.deepEqual(terms, [`mno${'x'.repeat(30)}`])
  assert.deepEqual(blocksNear([], 'mnotxx'), [])
})
