import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { chunkTerms, textTerms } from '../../../src/knowledge/text/text-terms.ts'

/** The terms of the text that a question would meet. */
const shared = (question: string, text: string): string[] => {
  const terms = new Set(textTerms(text))
  return [...new Set(textTerms(question))].filter(term => terms.has(term))
}

/** Every term of the question stands in the text. */
const finds = (question: string, text: string): void =>
  assert.deepEqual(shared(question, text), [...new Set(textTerms(question))], `${question} finds ${text}`)

const misses = (question: string, text: string): void =>
  assert.deepEqual(shared(question, text), [], `${question} does not find ${text}`)

describe('what meets what', () => {
  test('full width and half width', () => {
    finds('ＡＢＣ１２３', 'abc123')
    finds('abc123', 'ＡＢＣ１２３')
    finds('ｶﾀｶﾅ', 'カタカナ')
    finds('ガイド', 'ｶﾞｲﾄﾞ')
  })

  test('traditional and simplified characters', () => {
    finds('数据库管理', '數據庫管理')
    finds('體驗國際機場', '体验国际机场')
  })

  test('a code in any spelling of its marks', () => {
    const spellings = ['AX-2047-B', 'AX2047B', 'ＡＸ－２０４７－Ｂ', 'ax_2047_b', 'AX.2047/B', 'ax2047b']
    for (const one of spellings)
      for (const other of spellings)
        assert.ok(shared(one, other).includes('ax2047b'), `${one} and ${other} are the same code`)
    finds('2047', 'AX-2047-B')
    finds('2047', 'AX2047B')
    misses('AX-2047-B', '20479')
  })

  test('numbers: a point is part of them, a comma is not', () => {
    misses('3.14', '314')
    misses('314', '3.14')
    finds('3.14', '约等于3.14。')
    finds('1234', '1,234')
    finds('1234567', '1,234,567')
    assert.ok(shared('1,234', '1234').includes('1234'))
    assert.ok(!shared('1,234.5', '12345').includes('12345'), '1,234.5 is not 12345')
    finds('192.168.0.1', 'the host 192.168.0.1.')
  })

  test('C, C++ and C# are told apart', () => {
    finds('C++', 'written in C++, mostly')
    finds('C#', 'written in C#')
    assert.ok(!shared('C++', 'C').includes('c++'))
    assert.ok(!shared('C++', 'C#').includes('c#'))
    finds('c', 'C++')
  })

  test('the parts of names in code', () => {
    finds('user name', 'getUserName()')
    finds('getUserName', 'getUserName()')
    finds('getusername', 'getUserName()')
    finds('max retries', 'max_retries = 3')
    assert.ok(shared('maxretries', 'max_retries').length > 0, 'without its marks')
    finds('example', 'somebody@example.com')
  })

  test('English words by their stem', () => {
    finds('refunds', 'a refund')
    finds('connecting', 'it is connected')
    finds('policies', 'the policy')
    misses('car', 'care')
  })

  test('letters with and without accents', () => {
    finds('resume', 'Résumé')
    finds('Crème Brûlée', 'creme brulee')
    finds('cafe\u0301', 'café')
    finds('ﬁnance', 'finance')
  })

  test('scripts without spaces by their pairs, wherever the words are cut', () => {
    assert.deepEqual(shared('한국어', '한국어를 배우다'), ['한국', '국어'])
    finds('东京', '東京都に住んでいる')
    finds('สวัสดี', 'เขาพูดว่าสวัสดีครับ')
    assert.ok(shared('区块链技术', '基于区块链的技术').length >= 3)
    finds('猫', '我的猫很好')
    finds('ПРИВЕТ', 'привет, мир')
    finds('ΑΘΗΝΑ', 'αθηνα')
  })

  test('mixed text is cut where the script changes', () => {
    finds('GPT 模型', '使用GPT-4模型')
    finds('iPhone15手机', '买了 iPhone15 手机')
  })
})

describe('what has no terms', () => {
  for (const text of [
    '',
    '   \n\t',
    '🎉🎊👩‍👩‍👧',
    '。，！？…',
    '--- === ***',
    '\u0000\u0001',
    '\ud800',
    '\udfff\ud800',
  ])
    test(JSON.stringify(text), () => assert.deepEqual(textTerms(text), []))
})

test('lone surrogates end a word and harm nothing', () => {
  assert.deepEqual(textTerms('a\ud800b'), ['a', 'b'])
  assert.deepEqual(textTerms('中\udc00国'), ['中', '国'])
})

test('characters outside the basic plane are found', () => {
  finds('𠮷野家', '我在𠮷野家吃饭')
  finds('𠮷', '𠮷')
})

test('a question of 4000 characters is read whole', () => {
  const end = 'zebra'
  const text = `${'knowledge base '.repeat(400).slice(0, 4000 - end.length - 1)} ${end}`
  assert.equal(text.length, 4000)
  assert.equal(textTerms(text).at(-1), 'zebra')
  assert.ok(textTerms('知识库'.repeat(1333)).length > 4000)
})

// Whatever takes more than linear time does not come to an end here.
test('a million of the same', () => {
  const million = 1_000_000
  assert.equal(textTerms('a'.repeat(million)).length, 1)
  for (const mark of ['.', '-', '+', ',', '_', '·']) assert.deepEqual(textTerms(mark.repeat(million)), [])
  assert.equal(textTerms('a.'.repeat(million / 2)).length, million / 2)
  assert.equal(textTerms('a-'.repeat(million / 2)).length, million / 2)
  assert.equal(textTerms('1,'.repeat(million / 2)).length, million / 2)
  assert.equal(textTerms('aB'.repeat(million / 2)).length, 1)
  assert.equal(textTerms(`a${'\u0301'.repeat(million)}`).length, 1)
  assert.ok(textTerms('一'.repeat(million)).length >= million)
})

test('no term is longer than 64 characters, whatever it ends in', () => {
  for (const text of ['a'.repeat(9000), `${'a'.repeat(9000)}+`, `${'a'.repeat(9000)}#`, 'é'.repeat(900)])
    for (const term of textTerms(text)) assert.ok(term.length <= 64, `a term of ${term.length} characters`)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), text => {
      for (const term of textTerms(text)) assert.ok(term.length > 0 && term.length <= 64, term)
    }),
  )
})

test('every text finds itself, also in capital letters and in the other normal forms', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), text => {
      finds(text, text)
      finds(text.normalize('NFD'), text)
      finds(text.normalize('NFC'), text.normalize('NFD'))
    }),
  )
})

test('a chunk is found by its words and its headings, the first also by the name of its document', () => {
  const chunk = { content: 'twenty days', heading: ['Leave', '休假'], position: 0 }
  const first = new Set(chunkTerms(chunk, 'Employee-handbook.pdf'))
  for (const term of ['twenti', 'dai', 'leav', '休假', 'handbook', 'employe'])
    assert.ok(first.has(term), `${term} in ${[...first].join(' ')}`)
  assert.ok(!first.has('pdf'), 'not by the ending of the name')
  const second = new Set(chunkTerms({ ...chunk, position: 1 }, 'Employee-handbook.pdf'))
  assert.ok(second.has('leav') && !second.has('handbook'))
})
