import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOtherNumerals } from '../../../src/knowledge/text/numerals.ts'
import { queryTerms } from '../../../src/knowledge/text/query-terms.ts'
import { textTerms } from '../../../src/knowledge/text/text-terms.ts'

const factorsOf = (query: string, ...terms: string[]) =>
  terms.map(term => queryTerms(query).get(term)?.factor)

test('a query has the terms that a text has, each once', () => {
  for (const query of [
    'How do I back up AX-2047-B?',
    '怎么申请退款 refund',
    '知识库里的知识库',
    'ファイルの検索',
    '',
  ])
    assert.deepEqual([...queryTerms(query).keys()].sort(), [...new Set(textTerms(query))].sort())
})

test('words count fully, function words a fifth, and particles half', () => {
  assert.deepEqual(factorsOf('how do I get a refund', 'refund', 'how', 'a'), [1, 0.2, 0.2])
  assert.deepEqual(factorsOf('退款的流程是什么', '退款', '流程', '的', '是', '什么'), [1, 1, 0.5, 0.5, 0.2])
})

test('a pair of characters across two words counts less than one in a word', () => {
  assert.deepEqual(factorsOf('申请退款', '申请', '请退', '退款'), [1, 0.5, 1])
  assert.deepEqual(factorsOf('客户请退，申请退款', '请退'), [1.6 * 0.5])
  assert.equal(queryTerms('申请退款').get('请退')?.unknownFactor, 1)
})

test('a long Chinese word counts half, since its pairs count as well', () => {
  assert.deepEqual(factorsOf('共和国', '共和国', '共和', '和国'), [0.5, 1, 1])
  assert.deepEqual(factorsOf('为什么', '为什么'), [0.2])
  assert.equal(queryTerms('共和国').get('共和国')?.unknownFactor, 1)
})

test('containing a term counts in questions of scripts without spaces', () => {
  const presenceOf = (query: string) => [
    ...new Set(Array.from(queryTerms(query).values(), term => term.presence)),
  ]
  assert.deepEqual(presenceOf('AX-2047 怎么退款，第30条'), [0.15])
  assert.deepEqual(presenceOf('how do I get a refund'), [undefined])
})

test('what a query repeats counts more, and a Chinese word of two characters is not a repetition', () => {
  assert.deepEqual(factorsOf('refund, refunds and a refund', 'refund', 'and'), [2, 0.2])
  assert.deepEqual(factorsOf('退款。退款要多久', '退款'), [1.6])
  assert.deepEqual(factorsOf('退款', '退款'), [1])
})

test('a word with spaces between its characters counts fully, and the characters half', () => {
  assert.deepEqual(factorsOf('茶 酒', '茶酒', '茶', '酒'), [1, 0.5, 0.5])
  assert.equal(queryTerms('茶 酒').get('茶')?.isOtherForm, true)
  assert.equal(queryTerms('第 三 十 条').get('30')?.isOtherForm, true)
})

test('other forms of an English word count half of it', () => {
  const others = (query: string) =>
    [...queryTerms(query)].flatMap(([term, { isOtherForm }]) => (isOtherForm ? term : [])).sort()
  assert.deepEqual(others('children'), ['child'])
  assert.deepEqual(others('Who is writing?'), ['written', 'wrote'])
  assert.deepEqual(others('organisation'), textTerms('organization'))
  assert.deepEqual(others('color'), ['colour'])
  assert.deepEqual(others('viruses and analyses'), [
    ...textTerms('analysis'),
    'analyz',
    ...textTerms('virus'),
  ])
  assert.deepEqual(others('a child and other children, 退款'), [], 'what the query contains anyway')
  assert.deepEqual(others('has gone to AX-2047-B'), [])
  assert.deepEqual(factorsOf('mice, mice and a mouse', 'mice', 'mous'), [1.6, 1])
  assert.deepEqual(factorsOf('mice and mice', 'mous'), [0.8])
})

test('words with ß, œ and æ are also searched in the other spelling', () => {
  const others = (query: string) =>
    [...queryTerms(query)].flatMap(([term, { isOtherForm }]) => (isOtherForm ? term : []))
  for (const [one, other] of [
    ['Straße', 'STRASSE'],
    ['Größen', 'Grössen'],
    ['Weißenseestraße', 'Weissenseestrasse'],
    ['Fußballschlusses', 'Fussballschlußes'],
    ['cœurs', 'coeurs'],
    ['Encyclopædia', 'encyclopaedia'],
  ] as const) {
    assert.ok(others(`${one}?`).includes(textTerms(other)[0]!), `${other} for ${one}`)
    assert.ok(others(`Mercedes-${other}`).includes(textTerms(one)[0]!), `${one} for ${other}`)
  }
  assert.deepEqual(factorsOf('Grüße', 'große', 'gruße', 'gruss'), [undefined, 1, 0.5])
  assert.deepEqual(others('ssssssss'), [])
})

test('numerals are also searched as they are written otherwise', () => {
  for (const [digits, chinese] of [
    ['第30条', '第三十条'],
    ['12个月', '十二个月'],
    ['第3章第105条', '第三章第一百零五条'],
    ['110号', '一百一十号'],
    ['365天', '三百六十五天'],
  ] as const) {
    assert.equal(withOtherNumerals(digits), chinese)
    assert.equal(withOtherNumerals(chinese), digits)
  }
  assert.equal(withOtherNumerals('二〇二四年'), '2024年')
  assert.equal(withOtherNumerals('一千零一夜'), '1001夜')
  for (const text of ['2024年', '十分', '一个', '百度', '3.5元', 'GB 18030标准', 'C919', 'room 30'])
    assert.equal(withOtherNumerals(text), text)
  assert.deepEqual(factorsOf('第３０条', '三十', '十条', '30'), [0.5, 0.5, 1])
  assert.deepEqual(factorsOf('第三十条', '30'), [0.5])
})
