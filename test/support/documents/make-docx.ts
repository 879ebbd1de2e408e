import {
  Document,
  type FileChild,
  FootnoteReferenceRun,
  HeadingLevel,
  Packer,
  PageBreak,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from 'docx'

export type DocxPart =
  | string
  | { heading: string; level: 1 | 2 | 3 }
  | { title: string }
  | { bullets: string[] }
  | { numbers: string[] }
  | { table: string[][] }
  | { text: string; footnote: string }
  | 'page break'

const levels = { 1: HeadingLevel.HEADING_1, 2: HeadingLevel.HEADING_2, 3: HeadingLevel.HEADING_3 }

const makeTable = (rows: string[][]): Table =>
  new Table({
    rows: rows.map(
      row => new TableRow({ children: row.map(text => new TableCell({ children: [new Paragraph(text)] })) }),
    ),
  })

/** A Word document as the docx package writes it. */
export const makeDocx = async (parts: DocxPart[]): Promise<Uint8Array> => {
  const footnotes: Record<string, { children: Paragraph[] }> = {}
  const makePart = (part: DocxPart): FileChild[] => {
    if (part === 'page break') return [new Paragraph({ children: [new PageBreak()] })]
    if (typeof part === 'string') return [new Paragraph(part)]
    if ('heading' in part) return [new Paragraph({ text: part.heading, heading: levels[part.level] })]
    if ('title' in part) return [new Paragraph({ text: part.title, heading: HeadingLevel.TITLE })]
    if ('table' in part) return [makeTable(part.table)]
    if ('bullets' in part) return part.bullets.map(text => new Paragraph({ text, bullet: { level: 0 } }))
    if ('numbers' in part)
      return part.numbers.map(text => new Paragraph({ text, numbering: { reference: 'numbers', level: 0 } }))
    const id = Object.keys(footnotes).length + 1
    footnotes[id] = { children: [new Paragraph(part.footnote)] }
    return [new Paragraph({ children: [new TextRun(part.text), new FootnoteReferenceRun(id)] })]
  }
  const children = parts.flatMap(makePart)
  const numbering = {
    config: [{ reference: 'numbers', levels: [{ level: 0, format: 'decimal' as const, text: '%1.' }] }],
  }
  return new Uint8Array(
    await Packer.toBuffer(new Document({ sections: [{ children }], footnotes, numbering })),
  )
}
