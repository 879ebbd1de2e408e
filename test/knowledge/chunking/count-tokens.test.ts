import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { countTokens } from '../../../src/kernel/count-tokens.ts'
import { text } from './random-blocks.ts'

describe('countTokens', () => {
  const counts: [text: string, tokens: number, why: string][] = [
    ['', 0, 'nothing'],
    [' \n\t\u3000', 0, 'white space is free'],
    ['上海人口', 4, 'one per Han character'],
    ['カタカナとひらがな', 9, 'one per kana'],
    ['한국어', 3, 'one per syllable'],
    ['你好，世界。', 6, 'Chinese punctuation is one each'],
    ['the cat sat', 3, 'short words are one each'],
    ['internationalization', 4, 'long words are more'],
    ['HTTP', 2, 'capitals are rarer in vocabularies'],
    ['2487', 2, 'digits go by three'],
    ['3.14', 3, 'a decimal number is two numbers and a point'],
    ['------------', 3, 'a rule is few tokens'],
    ['a, b; c.', 6, 'punctuation is one each'],
    ['👍', 2, 'an emoji is about two'],
  ]
  for (const [text, tokens, why] of counts)
    it(`counts ${tokens} for ${JSON.stringify(text)}: ${why}`, () => assert.equal(countTokens(text), tokens))

  it('is close to 1.3 tokens per English word', () => {
    const prose =
      'It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want ' +
      'of a wife. However little known the feelings or views of such a man may be on his first entering a ' +
      'neighbourhood, this truth is so well fixed in the minds of the surrounding families.'
    const words = prose.split(' ').length
    assert.ok(countTokens(prose) > words * 1.1 && countTokens(prose) < words * 1.5)
  })

  it('is zero only for white space', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        assert.equal(countTokens(text) === 0, text.trim() === '')
      }),
    ))

  it('never counts more for joined texts than for their sum', () =>
    fc.assert(
      fc.property(text, fc.nat(), (text, at) => {
        const middle = at % (text.length + 1)
        const apart = countTokens(text.slice(0, middle)) + countTokens(text.slice(middle))
        assert.ok(countTokens(text) <= apart)
      }),
    ))
})
