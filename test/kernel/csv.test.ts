import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvRow, parseCsv } from '../../src/kernel/csv.ts'

test('records of delimited text have the numbers of their lines, and their cells as written', () => {
  const text = '\ufeffquestion;answer\r\n"a ""b""\r\nc"; d \n\n;\n=1;\'=2\n'
  assert.deepEqual(
    [...parseCsv(text)],
    [
      { line: 1, cells: ['question', 'answer'] },
      { line: 2, cells: ['a "b"\r\nc', ' d '] },
      { line: 6, cells: ['=1', '=2'] },
    ],
  )
})

test('a quote that is not closed does not hide the records after it', () => {
  const records = [...parseCsv('question,answer\n"open,1\nnext,2\n')]
  assert.deepEqual(records.at(-1), { line: 3, cells: ['next', '2'] })
})

test('what is written is read', () => {
  const cells = ['=x', 'a,"b"\nc', '\ttab', '', '7']
  assert.deepEqual([...parseCsv(csvRow(['1', '2', '3', '4', '5']) + csvRow(cells))][1]?.cells, cells)
})
