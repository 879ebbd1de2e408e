import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  inlineSpans,
  markedSpans,
  type PassageBlock,
  passageBlocks,
} from '../../console/src/ui/passage/passage-blocks.ts'

/** The blocks of a text with the text of their parts. */
const shown = (text: string, headings: string[] = []) =>
  passageBlocks(text, headings).map((block: PassageBlock) => {
    const cut = ({ from, to }: { from: number; to: number }) => text.slice(from, to)
    if (block.kind === 'table') return { table: block.rows.map(row => row.map(cut)) }
    if (block.kind === 'list') return { list: block.items.map(item => `${item.marker} ${cut(item)}`) }
    return { [block.kind]: cut(block) }
  })

describe('the blocks of a passage', () => {
  it('are tables where readers wrote rows, also with empty and missing cells', () => {
    assert.deepEqual(shown('Before.\n\nItem | Price | Note\nTea | 3\nCake |  | sweet\n\nAfter.'), [
      { paragraph: 'Before.' },
      {
        table: [
          ['Item', 'Price', 'Note'],
          ['Tea', '3'],
          ['Cake', '', 'sweet'],
        ],
      },
      { paragraph: 'After.' },
    ])
  })

  it('are tables of Markdown without the row of dashes', () => {
    assert.deepEqual(shown('Prices:\n| A | B |\n|---|:-:|\n| 1 | 2 |'), [
      { paragraph: 'Prices:' },
      {
        table: [
          ['A', 'B'],
          ['1', '2'],
        ],
      },
    ])
  })

  it('leave a single line with a bar and indented code as text', () => {
    assert.deepEqual(shown('cat file | grep x'), [{ paragraph: 'cat file | grep x' }])
    assert.deepEqual(shown('type A =\n  | B\n  | C'), [{ paragraph: 'type A =\n  | B\n  | C' }])
  })

  it('are lists, headings and code', () => {
    const text = 'Leave\n\n- One\n\n- Two\nmore\n\n1. First\n\n# Rules\n\n```\na = 1\n\nb = 2\n```\n\nEnd'
    assert.deepEqual(shown(text, ['Leave']), [
      { heading: 'Leave' },
      { list: ['• One', '• Two\nmore', '1. First'] },
      { heading: 'Rules' },
      { code: 'a = 1\n\nb = 2' },
      { paragraph: 'End' },
    ])
  })

  it('accept any text', () => {
    for (const text of [
      '',
      '\n\n',
      '|',
      '||',
      ' | ',
      '```',
      '- ',
      '#',
      '-\n-',
      'a | b\nc | d',
      '\ta | b\n\tc | d',
    ])
      assert.doesNotThrow(() => shown(text))
  })
})

describe('the parts of a line', () => {
  it('are bold text and code, but not arithmetic', () => {
    const text = '**Never** use `rm` or 2**3**4 or ** this **'
    const parts = inlineSpans(text, { from: 0, to: text.length })
    assert.deepEqual(
      parts.map(({ kind, from, to }) => [kind, text.slice(from, to)]),
      [
        ['strong', 'Never'],
        ['text', ' use '],
        ['code', 'rm'],
        ['text', ' or 2**3**4 or ** this **'],
      ],
    )
  })

  it('are cut at marks, which may overlap and reach beyond them', () => {
    const marks = [
      { from: 0, to: 3 },
      { from: 2, to: 5 },
      { from: 8, to: 20 },
    ]
    assert.deepEqual(markedSpans({ from: 1, to: 10 }, marks), [
      { from: 1, to: 3, isMarked: true },
      { from: 3, to: 5, isMarked: true },
      { from: 5, to: 8, isMarked: false },
      { from: 8, to: 10, isMarked: true },
    ])
  })
})
