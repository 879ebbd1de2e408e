import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CopyFinder, demoteCopies } from '../../../src/knowledge/search/copies.ts'

const english =
  'Before a journey the employee fills in the form of the travel policy. The head of the department approves it, and the finance team keeps a copy. Tickets are booked by the office in the second class, unless the journey takes more than a night. Hotels may cost what the list of cities says; breakfast is included. After the return, receipts are handed in within ten working days, and the refund is paid with the next salary.'
const chinese =
  '员工出差前应当填写申请表，由部门负责人批准后交财务部备案；返回后十个工作日内凭发票报销交通费、住宿费和补贴。'.repeat(
    2,
  )

const isCopy = (first: string, second: string): boolean => {
  const finder = new CopyFinder()
  assert.equal(finder.add(first), 0)
  return finder.add(second) === 1
}

describe('a copy', () => {
  const cases: [label: string, first: string, second: string, expected: boolean][] = [
    ['is the same text', english, english, true],
    ['is the same text in Chinese', chinese, chinese, true],
    ['may have other line breaks', english, english.replaceAll('. ', '.\n\n'), true],
    ['may have a few other words', english, english.replace('travel policy', 'travel rules'), true],
    ['is not a text that has half of it', english, english.slice(0, english.length / 2), false],
    ['is not a text with another number', `${english} 2025`, `${english} 2026`, false],
    ['is not another text', english, chinese, false],
    ['is not a short text', 'A row of a table', 'A row of a table', false],
  ]
  for (const [label, first, second, expected] of cases)
    test(label, () => assert.equal(isCopy(first, second), expected))
})

test('copies are counted for each text', () => {
  const finder = new CopyFinder()
  const counts = [english, chinese, english, chinese, english].map(text => finder.add(text))
  assert.deepEqual(counts, [0, 0, 1, 1, 2])
})

test('copies move down, each further one more, but not below the threshold', () => {
  const items = [
    { id: 1, score: 0.9, copy: 0 },
    { id: 2, score: 0.9, copy: 1 },
    { id: 3, score: 0.9, copy: 2 },
    { id: 4, score: 0.9, copy: 9 },
    { id: 5, score: 0.7, copy: 0 },
  ]
  const demoted = demoteCopies(items, 0.3).map(({ id, score }) => [id, score.toFixed(3)])
  assert.deepEqual(demoted, [
    [1, '0.900'],
    [2, '0.720'],
    [5, '0.700'],
    [3, '0.576'],
    [4, '0.300'],
  ])
})
