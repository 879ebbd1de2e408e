import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { chunkTerms, subjectTerms, textTerms } from '../../../src/knowledge/text/text-terms.ts'

/** The terms of the text that a query matches. */
const shared = (question: string, text: string): string[] => {
  const terms = new Set(textTerms(text))
  return [...new Set(textTerms(question))].filter(term => terms.has(term))
}

/** Whether every term of the query occurs in the text. */
const finds = (question: string, text: string): void =>
  assert.deepEqual(shared(question, text), [...new Set(textTerms(question))], `${question} matches ${text}`)

const misses = (question: string, text: string): void =>
  assert.deepEqual(shared(question, text), [], `${question} does not match ${text}`)

describe('term matching', () => {
  test('treats full width and half width as equal', () => {
    finds('ＡＢＣ１２３', 'abc123')
    finds('abc123', 'ＡＢＣ１２３')
    finds('ｶﾀｶﾅ', 'カタカナ')
    finds('ガイド', 'ｶﾞｲﾄﾞ')
  })

  test('treats traditional and simplified characters as equal', () => {
    finds('数据库管理', '數據庫管理')
    finds('體驗國際機場', '体验国际机场')
  })

  test('matches a code in any punctuation', () => {
    const spellings = ['AX-2047-B', 'AX2047B', 'ＡＸ－２０４７－Ｂ', 'ax_2047_b', 'AX.2047/B', 'ax2047b']
    for (const one of spellings)
      for (const other of spellings)
        assert.ok(shared(one, other).includes('ax2047b'), `${one} and ${other} are the same code`)
    finds('2047', 'AX-2047-B')
    finds('2047', 'AX2047B')
    misses('AX-2047-B', '20479')
  })

  test('keeps the decimal point of numbers and ignores the thousands separator', () => {
    misses('3.14', '314')
    misses('314', '3.14')
    finds('3.14', '约等于3.14。')
    finds('1234', '1,234')
    finds('1234567', '1,234,567')
    assert.ok(shared('1,234', '1234').includes('1234'))
    assert.ok(!shared('1,234.5', '12345').includes('12345'), '1,234.5 is not 12345')
    finds('192.168.0.1', 'the host 192.168.0.1.')
  })

  test('distinguishes C, C++ and C#', () => {
    finds('C++', 'written in C++, mostly')
    finds('C#', 'written in C#')
    assert.ok(!shared('C++', 'C').includes('c++'))
    assert.ok(!shared('C++', 'C#').includes('c#'))
    finds('c', 'C++')
  })

  test('matches the parts of identifiers in code', () => {
    finds('user name', 'getUserName()')
    finds('getUserName', 'getUserName()')
    finds('getusername', 'getUserName()')
    finds('max retries', 'max_retries = 3')
    assert.ok(shared('maxretries', 'max_retries').length > 0, 'without punctuation')
    finds('example', 'somebody@example.com')
  })

  test('matches English words by their stem', () => {
    finds('refunds', 'a refund')
    finds('connecting', 'it is connected')
    finds('policies', 'the policy')
    misses('car', 'care')
  })

  test('ignores accents', () => {
    finds('resume', 'Résumé')
    finds('Crème Brûlée', 'creme brulee')
    finds('cafe\u0301', 'café')
    finds('ﬁnance', 'finance')
  })

  test('matches scripts without spaces by character pairs, whatever the word boundaries', () => {
    assert.deepEqual(shared('한국어', '한국어를 배우다'), ['한국', '국어'])
    finds('东京', '東京都に住んでいる')
    finds('สวัสดี', 'เขาพูดว่าสวัสดีครับ')
    assert.ok(shared('区块链技术', '基于区块链的技术').length >= 3)
    finds('猫', '我的猫很好')
    finds('ПРИВЕТ', 'привет, мир')
    finds('ΑΘΗΝΑ', 'αθηνα')
  })

  test('matches Chinese words with spaces between their characters', () => {
    finds('会议纪要', '会　议　纪　要')
    finds('采购合同', '采 购 合 同')
    finds('采 购 合 同', '采购合同')
    finds('姓名', '姓　名：李　明　　职务：经理')
    finds('李明', '姓　名：李　明　　职务：经理')
    finds('甲方', '甲 方：上海')
    misses('购合', '采购 合同')
    assert.ok(!textTerms('我 北京').includes('我北'))
  })

  test('splits mixed text where the script changes', () => {
    finds('GPT 模型', '使用GPT-4模型')
    finds('iPhone15手机', '买了 iPhone15 手机')
  })
})

describe('text without terms', () => {
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

test('ends a word at a lone surrogate', () => {
  assert.deepEqual(textTerms('a\ud800b'), ['a', 'b'])
  assert.deepEqual(textTerms('中\udc00国'), ['中', '国'])
})

test('matches characters outside the basic plane', () => {
  finds('𠮷野家', '我在𠮷野家吃饭')
  finds('𠮷', '𠮷')
})

test('uses all 4000 characters of a long query', () => {
  const end = 'zebra'
  const text = `${'knowledge base '.repeat(400).slice(0, 4000 - end.length - 1)} ${end}`
  assert.equal(text.length, 4000)
  assert.equal(textTerms(text).at(-1), 'zebra')
  assert.ok(textTerms('知识库'.repeat(1333)).length > 4000)
})

// Anything above linear time would not finish here.
test('handles a million equal characters', () => {
  const million = 1_000_000
  assert.equal(textTerms('a'.repeat(million)).length, 1)
  for (const mark of ['.', '-', '+', ',', '_', '·']) assert.deepEqual(textTerms(mark.repeat(million)), [])
  assert.equal(textTerms('a.'.repeat(million / 2)).length, million / 2)
  assert.equal(textTerms('a-'.repeat(million / 2)).length, million / 2)
  assert.equal(textTerms('1,'.repeat(million / 2)).length, million / 2)
  assert.equal(textTerms('aB'.repeat(million / 2)).length, 1)
  assert.equal(textTerms(`a${'\u0301'.repeat(million)}`).length, 1)
  assert.ok(textTerms('一'.repeat(million)).length >= million)
  assert.ok(textTerms('一 '.repeat(million / 2)).length >= million / 2)
})

test('limits terms to 64 characters, whatever the last character', () => {
  for (const text of ['a'.repeat(9000), `${'a'.repeat(9000)}+`, `${'a'.repeat(9000)}#`, 'é'.repeat(900)])
    for (const term of textTerms(text)) assert.ok(term.length <= 64, `a term of ${term.length} characters`)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), text => {
      for (const term of textTerms(text)) assert.ok(term.length > 0 && term.length <= 64, term)
    }),
  )
})

test('matches every text with itself, also in capital letters and other normal forms', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), text => {
      finds(text, text)
      finds(text.normalize('NFD'), text)
      finds(text.normalize('NFC'), text.normalize('NFD'))
    }),
  )
})

test('matches a chunk by its words and headings, and the first chunk also by the document name', () => {
  const chunk = { content: 'twenty days', heading: ['Leave', '休假'], position: 0 }
  const first = new Set(chunkTerms(chunk, 'Employee-handbook.pdf'))
  for (const term of ['twenti', 'dai', 'leav', '休假', 'handbook', 'employe'])
    assert.ok(first.has(term), `${term} in ${[...first].join(' ')}`)
  assert.ok(!first.has('pdf'), 'not by the file extension')
  const second = new Set(chunkTerms({ ...chunk, position: 1 }, 'Employee-handbook.pdf'))
  assert.ok(second.has('leav') && !second.has('handbook'))
})

test('matches a chunk by the single characters of words with spaces, which may be words of their own', () => {
  const terms = chunkTerms({ content: '男 女', heading: [], position: 1 }, 'a.txt')
  assert.deepEqual([...new Set(terms)].sort(), ['女', '男', '男女'].sort())
})

test('counts the name and the title of a document twice, in its first chunk', () => {
  const count = (terms: string[], term: string): number => terms.filter(each => each === term).length
  const chunk = { content: 'Wing flutter\n\nMeasured at low speed.', heading: [], position: 0 }
  const terms = chunkTerms(chunk, 'report.txt')
  for (const [term, times] of [
    ['flutter', 2],
    ['report', 2],
    ['speed', 1],
  ] as const)
    assert.equal(count(terms, term), times, term)
  assert.equal(
    count(chunkTerms({ ...chunk, position: 1 }, 'report.txt'), 'flutter'),
    1,
    'not in later chunks',
  )
  const headed = { ...chunk, heading: ['Wing flutter'] }
  assert.equal(count(chunkTerms(headed, 'report.txt'), 'flutter'), 2, 'a heading is not counted once more')
  const sentence = { ...chunk, content: `Wing flutter ${'and so on '.repeat(20)}\nMore` }
  assert.equal(count(chunkTerms(sentence, 'report.txt'), 'flutter'), 1, 'a long first line is no title')
})

describe('the subject of a query', () => {
  const cases: [query: string, expected: string[]][] = [
    ['關島有四分之三的土地？', ['关岛', '四分', '分之', '之三', '四分之三', '土地']],
    ['什么时候申请退款', ['申请', '请退', '退款']],
    ['这张专辑的目的是什么', ['张专', '专辑', '目的', '张']],
    ['几何是什么', ['几何']],
    ['How do I get a refund?', ['get', 'refund']],
    ['什么是', []],
  ]
  for (const [query, expected] of cases)
    test(`${query}: ${expected.join(' ') || 'nothing'}`, () =>
      assert.deepEqual([...subjectTerms(query)].sort(), expected.sort()))
})
