import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  assert.deepEqual(factorsOf('申请退款', '申请', '请退', '退款'), [1, 0.7, 1])
  assert.deepEqual(factorsOf('请退，申请退款', '请退'), [1.6 * 0.7])
  assert.equal(queryTerms('申请退款').get('请退')?.unknownFactor, 1)
})

test('what a query repeats counts more, and a Chinese word of two characters is not a repetition', () => {
  assert.deepEqual(factorsOf('refund, refunds and a refund', 'refund', 'and'), [2, 0.2])
  assert.deepEqual(factorsOf('退款。退款要多久', '退款'), [1.6])
  assert.deepEqual(factorsOf('退款', '退款'), [1])
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
