import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Highlighter } from '../../../src/knowledge/text/highlights.ts'
import { textTerms } from '../../../src/knowledge/text/text-terms.ts'

const highlights = (content: string, terms: string[]) => new Highlighter(terms).rangesIn(content)

const lit = (content: string, question: string): string[] =>
  highlights(content, textTerms(question)).map(([from, to]) => content.slice(from, to))

describe('highlights the terms of a query', () => {
  const cases: [label: string, content: string, question: string, expected: string[]][] = [
    ['whole words', 'The refund takes five days.', 'refund days', ['refund', 'days']],
    ['other forms of a word', 'They were connected.', 'connecting', ['connected']],
    ['words with accents', 'Ein Résumé, bitte', 'resume', ['Résumé']],
    ['accents as combining marks', 'two cafe\u0301s here', 'café', ['cafe\u0301s']],
    ['full-width letters', '型号 ＡＢＣ 的', 'abc', ['ＡＢＣ']],
    ['a full-width code', '型号 ＡＸ－２０４７－Ｂ', 'AX-2047-B', ['ＡＸ－２０４７－Ｂ']],
    ['a code without its marks', 'the AX2047B is', 'AX-2047-B', ['AX2047B']],
    ['a code with its marks', 'the AX-2047-B is', 'ax2047b', ['AX-2047-B']],
    ['traditional characters', '關於資料庫管理', '资料库', ['資料庫']],
    ['simplified characters', '关于资料库管理', '資料庫', ['资料库']],
    ['numbers with their point', 'pi is 3.14 and not 314', '3.14', ['3.14']],
    ['numbers with a comma', 'all 1,234 items', '1234', ['1,234']],
    ['C++', 'Java, C++, Go', 'C++', ['C++']],
    ['a unit after its number', 'within 250ms', 'ms', ['250ms']],
    ['a name in code', 'call getUserName() now', 'user', ['getUserName']],
    ['Korean without its endings', '한국어를 배우다', '한국어', ['한국어']],
    ['Japanese', '東京都に住む', '东京', ['東京']],
    ['Thai', 'เขาพูดสวัสดี', 'สวัสดี', ['สวัสดี']],
    ['one character of a longer run', '我的猫很好', '猫', ['猫']],
    ['one character alone', '猫。狗', '猫', ['猫']],
    ['half-width katakana', 'これはｶﾀｶﾅ。', 'カタカナ', ['ｶﾀｶﾅ']],
    ['Hangul in single letters', '한국어'.normalize('NFD'), '한국어', ['한국어'.normalize('NFD')]],
    ['ligatures', 'the ﬁnance team', 'finance', ['ﬁnance']],
    ['text after emoji and lone surrogates', '🎉\ud800 refund 👩‍👧', 'refund', ['refund']],
    ['characters outside the basic plane', '去𠮷野家吃饭', '𠮷野家', ['𠮷野家']],
    ['text between shorter and longer characters', '𝑥 refund ﬁne', 'refund', ['refund']],
    ['text between a voicing mark and a unit', 'か\u3099 refund ㎏', 'refund', ['refund']],
    ['text between half-width Hangul and a ligature', 'ﾡￂ refund ﬁne', 'refund', ['refund']],
    ['text between Hangul letters and a ligature', 'ㄱㅏ refund ﬁne', 'refund', ['refund']],
    ['a word with spaces', '《会　议　纪　要》 如下', '会议纪要', ['会　议　纪　要']],
    ['words around a word with spaces', '见 ﬁne 采 购 合 同，refund', '合同 refund', ['合 同', 'refund']],
    ['a word written with spaces', '采购合同', '采 购 合 同', ['采购合同']],
    ['neighbouring pairs as one', '区块链技术', '区块链', ['区块链']],
  ]
  for (const [label, content, question, expected] of cases)
    test(label, () => assert.deepEqual(lit(content, question), expected))
})

test('every term of a word highlights it', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9]{1,12}([-_.'][a-zA-Z0-9]{1,8})?$/)
  fc.assert(
    fc.property(word, written => {
      for (const term of textTerms(written)) assert.equal(highlights(`so ${written}, so`, [term])[0]?.[0], 3)
    }),
  )
})

test('highlights nothing without a match', () => {
  assert.deepEqual(highlights('anything at all', []), [])
  assert.deepEqual(lit('', 'refund'), [])
  assert.deepEqual(lit('pi is 314', '3.14'), [])
  assert.deepEqual(lit('🎉🎊。！', '🎉'), [])
})

test('highlights whole characters for a pair that ends within one', () => {
  assert.deepEqual(highlights('去野𠮷家', ['野\ud842']), [[1, 4]])
})

test('marks a code once, from its first character to its last', () => {
  assert.deepEqual(highlights('x AX-2047-B y', textTerms('AX-2047-B')), [[2, 11]])
})

test('returns at most the first hundred ranges', () => {
  const ranges = highlights('word, '.repeat(500), ['word'])
  assert.equal(ranges.length, 100)
  assert.deepEqual(ranges[99], [594, 598])
})

test('handles a million equal characters', () => {
  const million = 1_000_000
  assert.deepEqual(highlights('a'.repeat(million), textTerms('b')), [])
  assert.deepEqual(highlights('-'.repeat(million), ['a']), [])
  assert.deepEqual(highlights('.'.repeat(million), ['a']), [])
  assert.equal(highlights('一'.repeat(million), ['一一'])[0]![1], million)
  assert.equal(highlights(`${'a-'.repeat(million / 2)}`, ['b']).length, 0)
})

test('returns sorted ranges within the content that do not touch and never split a character', () => {
  const words = fc.constantFrom(
    'refund',
    '退款',
    '資料庫',
    'ＡＸ－１',
    'é',
    '𠮷野',
    '🎉',
    ' ',
    '.',
    'C++',
    '\ud800',
    'ｶﾞ',
  )
  const text = fc.array(words, { maxLength: 30 }).map(parts => parts.join(''))
  fc.assert(
    fc.property(text, text, (content, question) => {
      let end = -1
      for (const [from, to] of highlights(content, textTerms(question))) {
        assert.ok(from > end && to > from && to <= content.length)
        end = to
        const isLow = (at: number): boolean => /[\udc00-\udfff]/.test(content.charAt(at))
        const isHigh = (at: number): boolean => /[\ud800-\udbff]/.test(content.charAt(at))
        assert.ok(!(isLow(from) && isHigh(from - 1)), `begins inside a character: ${JSON.stringify(content)}`)
        assert.ok(!(isHigh(to - 1) && isLow(to)), `ends inside a character: ${JSON.stringify(content)}`)
      }
    }),
  )
})

test('highlights at least one range in every text that the query matches', () => {
  const word = fc.constantFrom(
    'refund',
    'Résumé',
    '退款',
    '数据库',
    'ＡＢＣ',
    'AX-2047-B',
    '3.14',
    'C#',
    '한국어',
    'getUserName',
  )
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.nat(7), (words, pick) => {
      const wanted = words[pick % words.length]!
      assert.ok(lit(words.join(' '), wanted).some(range => range.includes(wanted)))
    }),
  )
})
