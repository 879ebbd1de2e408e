import { Fragment, memo, type ReactNode, useMemo } from 'react'
import { defineWords } from '../words.ts'
import { inlineSpans, markedSpans, type PassageBlock, passageBlocks, type Span } from './passage-blocks.ts'
import './passage-text.css'

const useWords = defineWords({ table: 'Table' }, { table: '表格' })

interface PassageTextProps {
  text: string
  /** The headings above the passage. */
  headings?: readonly string[]
  /** Ranges to mark, in UTF-16 units of the text, in any order. */
  marks?: readonly (readonly number[])[]
  /** Shows headings by their level, and as headings for screen readers: for whole documents. */
  hasHeadings?: boolean
}

const noMarks: readonly (readonly number[])[] = []

/** The text of a passage with its tables, lists and headings. Nothing in it becomes HTML. */
export const PassageText = memo(function PassageText(props: PassageTextProps) {
  const { text, headings, marks = noMarks, hasHeadings = false } = props
  const blocks = useMemo(() => passageBlocks(text, headings), [text, headings])
  const sorted = useMemo(
    () => marks.map(([from = 0, to = 0]) => ({ from, to })).sort((one, other) => one.from - other.from),
    [marks],
  )
  return (
    <div className="passage-text">
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text have no other identity
        <Block key={at} block={block} text={text} marks={sorted} hasHeadings={hasHeadings} />
      ))}
    </div>
  )
})

interface BlockProps {
  block: PassageBlock
  text: string
  marks: readonly Span[]
  hasHeadings: boolean
}

function Block({ block, text, marks, hasHeadings }: BlockProps): ReactNode {
  const words = useWords()
  const inline = (span: Span): ReactNode => <Inline span={span} text={text} marks={marks} />
  if (block.kind === 'table') return <PassageTable rows={block.rows} label={words.table} inline={inline} />
  if (block.kind === 'list')
    return (
      <ul>
        {block.items.map(item => (
          <li key={item.from}>
            <span aria-hidden="true">{item.marker}</span>
            <span>{inline(item)}</span>
          </li>
        ))}
      </ul>
    )
  if (block.kind === 'code')
    return (
      <pre>
        <Marked span={block} text={text} marks={marks} />
      </pre>
    )
  if (block.kind === 'paragraph') return <p>{inline(block)}</p>
  if (!hasHeadings) return <p className="is-heading">{inline(block)}</p>
  // All headings have one level for screen readers, because a part of a document may begin at any level, and gaps would
  // suggest missing parts.
  return <h3 className={`is-heading of-level-${Math.min(block.level, 4)}`}>{inline(block)}</h3>
}

interface PassageTableProps {
  rows: readonly Span[][]
  label: string
  inline: (span: Span) => ReactNode
}

function PassageTable({ rows: [header = [], ...rows], label, inline }: PassageTableProps) {
  const columns = Math.max(header.length, ...rows.map(({ length }) => length))
  const cells = (row: readonly Span[], Cell: 'th' | 'td'): ReactNode[] =>
    Array.from({ length: columns }, (_, at) => {
      const cell = row[at]
      // An empty head cell would be announced as a header without a name.
      const Kind = cell && cell.to > cell.from ? Cell : 'td'
      // biome-ignore lint/suspicious/noArrayIndexKey: cells are known by their column
      return <Kind key={at}>{cell && inline(cell)}</Kind>
    })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard
    <section className="passage-table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>{cells(header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are known by their place
            <tr key={at}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface PartProps {
  span: Span
  text: string
  marks: readonly Span[]
}

function Inline({ span, text, marks }: PartProps): ReactNode {
  return inlineSpans(text, span).map(part => {
    const content = <Marked span={part} text={text} marks={marks} />
    if (part.kind === 'strong') return <strong key={part.from}>{content}</strong>
    if (part.kind === 'code') return <code key={part.from}>{content}</code>
    return <Fragment key={part.from}>{content}</Fragment>
  })
}

const Marked = ({ span, text, marks }: PartProps): ReactNode =>
  markedSpans(span, marks).map(({ from, to, isMarked }) => {
    const part = text.slice(from, to)
    return isMarked ? <mark key={from}>{part}</mark> : <Fragment key={from}>{part}</Fragment>
  })
