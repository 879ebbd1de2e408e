import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Highlighter } from '../../../src/knowledge/text/highlights.ts'
import { withoutRadicals } from '../../../src/knowledge/text/radicals.ts'
import { textTerms } from '../../../src/knowledge/text/text-terms.ts'

test('radicals become the characters they stand for', () => {
  assert.equal(withoutRadicals('刹⻋片 ⽤于 ⻢ ⼀ ⺀ ⿰'), '刹车片 用于 马 一 ⺀ ⿰')
})

test('a text with radicals is found by its characters, and the other way round', () => {
  for (const [text, query] of [
    ['更换刹⻋片', '刹车片'],
    ['更换刹车片', '刹⻋片'],
    ['⾞門', '车门'],
  ] as const) {
    const terms = textTerms(query)
    assert.ok(
      terms.every(term => textTerms(text).includes(term)),
      text,
    )
    const [from, to] = new Highlighter(terms).rangesIn(text)[0]!
    assert.equal(text.slice(from, to).length, query.length)
  }
})
