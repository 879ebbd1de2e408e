import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Block, UnreadPages } from '../../../src/knowledge/ingest/block.ts'
import { readPdf } from '../../../src/knowledge/ingest/readers/pdf/read-pdf.ts'
import {
  makeCidPdf,
  makeCidsPdf,
  makeCompressedPdf,
  makeDamagedPdf,
  makePdf,
  makePdfOfObjects,
  type PdfContent,
  type PdfText,
} from '../../support/documents/make-pdf.ts'
import { assertRefused, blocksOf, textOf } from '../../support/documents/read-blocks.ts'

/** Without the places of the lines. */
const read = async (content: PdfContent): Promise<Block[]> => {
  const blocks = await blocksOf(readPdf(await makePdf(content)))
  return blocks.map(({ lines: _, ...block }) => block)
}

const prose =
  'The quick brown fox jumps over the lazy dog and then it runs away into the deep forest, where nobody has seen it since that day, although many people have looked for it again and again.'

describe('a PDF', () => {
  it('has headings by font size, joined paragraphs and page numbers', async () => {
    const blocks = await read({
      pages: [
        [
          { text: 'Annual report', size: 24 },
          prose,
          { text: 'Sales', size: 16 },
          `First. ${prose}`,
          `Second. ${prose}`,
        ],
        [{ text: 'Costs', size: 16 }, prose],
      ],
    })
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 1, text: 'Annual report', page: 1 },
      { kind: 'paragraph', text: prose, page: 1 },
      { kind: 'heading', level: 2, text: 'Sales', page: 1 },
      { kind: 'paragraph', text: `First. ${prose}`, page: 1 },
      { kind: 'paragraph', text: `Second. ${prose}`, page: 1 },
      { kind: 'heading', level: 2, text: 'Costs', page: 2 },
      { kind: 'paragraph', text: prose, page: 2 },
    ])
  })

  it('keeps list markers', async () => {
    const lines = ['• first thing', '• second thing', '1. counted', '2. counted too']
    const blocks = await read({
      pages: [[prose, ...lines.map((text, index) => ({ text, at: { x: 72, y: 300 + index * 14 } }))]],
    })
    assert.deepEqual(
      blocks.slice(1).map(block => block.kind === 'paragraph' && block.text),
      ['- first thing', '- second thing', '1. counted', '2. counted too'],
    )
  })

  it('joins words that were hyphenated at the end of a line', async () => {
    const lines = [
      'This sentence has a word that is divi-',
      'ded, and one that is well-',
      'Known, as names are.',
    ]
    const blocks = await read({
      pages: [lines.map((text, index) => ({ text, at: { x: 72, y: 100 + index * 13 } }))],
    })
    assert.equal(blocks.length, 1)
    const [block] = blocks
    assert.equal(
      block?.kind === 'paragraph' && block.text.replaceAll('\n', ' '),
      'This sentence has a word that is divided, and one that is well- Known, as names are.',
    )
  })

  it('joins a divided word where a line has a wide gap', async () => {
    const lines = [
      [{ text: 'This sentence has a symbol' }, { text: 'that is not read and a divi-', at: 260 }],
      [{ text: 'ded word, and goes on here to the end of the next line for ano-' }],
      [{ text: 'ther word beside' }, { text: 'a symbol of the same kind.', at: 240 }],
    ]
    const pages = [
      lines.flatMap((parts, index) =>
        parts.map(({ text, at = 72 }) => ({ text, at: { x: at, y: 100 + index * 13 } })),
      ),
    ]
    assert.match(
      await textOf(readPdf(await makePdf({ pages }))),
      /and a divided word, .* another word beside/,
    )
  })

  it('keeps the thin spaces of formulas, whose parts come in any order', async () => {
    const size = 20
    // Of "sin" and "m" in Helvetica.
    const [sine, metre] = [1.278, 0.833].map(width => width * size)
    const beside = (x: number, width: number, gap: number) => ({ x: x + width + gap * size, y: 100 })
    const pages = [
      [
        { text: 'x', size, bold: true, at: beside(72, sine!, 0.13) },
        { text: 'sin', size, at: { x: 72, y: 100 } },
        { text: '2', size, bold: true, at: beside(160, metre!, 0.05) },
        { text: 'm', size, at: { x: 160, y: 100 } },
      ],
    ]
    assert.match(await textOf(readPdf(await makePdf({ pages }))), /^sin x\s+m2$/)
  })

  it('keeps lines of a column apart that a line of the column beside them is near', async () => {
    const lines = (word: string, count: number, x: number, y: number, step: number, size: number) =>
      Array.from({ length: count }, (_, index) => ({
        text: `${word}${index} stands on a line with others`,
        ...{ size, at: { x, y: y + index * step } },
      }))
    const pages = [[...lines('left', 20, 72, 100, 8, 7), ...lines('right', 16, 312, 103, 10, 9)]]
    const words = (await textOf(readPdf(await makePdf({ pages })))).match(
      /\b(?:left|right)\d+(?= stands on a line with others\b)/g,
    )
    const expected = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word}${at}`)
    assert.deepEqual(words, [...expected('left', 20), ...expected('right', 16)])
  })

  it('reads two columns in order, below a title across both', async () => {
    const column = (word: string) => Array.from({ length: 60 }, (_, index) => `${word}${index}`).join(' ')
    const text = await textOf(
      readPdf(
        await makePdf({
          pages: [
            [
              { text: 'A title over both columns of the page', size: 18, at: { x: 72, y: 80 } },
              { text: column('left'), at: { x: 72, y: 130, width: 210 } },
              { text: column('right'), at: { x: 312, y: 130, width: 210 } },
            ],
          ],
        }),
      ),
    )
    assert.equal(text, `A title over both columns of the page\n${column('left')}\n${column('right')}`)
  })

  it('reads two columns before a heading below them, which stands on the left', async () => {
    const column = (word: string) => Array.from({ length: 60 }, (_, index) => `${word}${index}`).join(' ')
    const columns = (left: string, right: string, y: number) => [
      { text: column(left), at: { x: 72, y, width: 210 } },
      { text: column(right), at: { x: 312, y, width: 210 } },
    ]
    const read = async (words: string[], parts: PdfText[]) => {
      const text = await textOf(readPdf(await makePdf({ pages: [parts] })))
      const order = text.match(new RegExp(`\\b(?:${words.join('|')})0?\\b`, 'g'))
      assert.deepEqual(order, words)
    }
    const last =
      'Full sentences that stand across both columns of the page and end it below the last of its titles.'
    await read(
      ['one0', 'two0', 'Second', 'three0', 'four0', 'Third', 'Full'],
      [
        ...columns('one', 'two', 80),
        { text: 'Second', size: 14, at: { x: 72, y: 310 } },
        ...columns('three', 'four', 328),
        { text: 'Third', size: 14, at: { x: 72, y: 560 } },
        { text: last, at: { x: 72, y: 578, width: 480 } },
      ],
    )
    // The right column goes on beside the heading.
    await read(
      ['one0', 'Second', 'three0', 'two0'],
      [
        ...columns('one', 'two', 80).slice(0, 1),
        { text: 'Second', size: 14, at: { x: 72, y: 310 } },
        ...columns('three', 'four', 328).slice(0, 1),
        { text: `${column('two')} ${column('right')} ${column('end')}`, at: { x: 312, y: 80, width: 210 } },
      ],
    )
  })

  it('reads three narrow columns in order, and what is across them between', async () => {
    const column = (word: string) => Array.from({ length: 40 }, (_, index) => `${word}${index}`).join(' ')
    const across =
      'A sentence that stands across all three of the columns and divides the page into two parts.'
    const columns = (names: string[], y: number) =>
      names.map((name, index) => ({ text: column(name), at: { x: 60 + index * 162, y, width: 150 } }))
    const text = await textOf(
      readPdf(
        await makePdf({
          pages: [
            [
              ...columns(['one', 'two', 'three'], 80),
              { text: across, at: { x: 60, y: 330, width: 480 } },
              ...columns(['four', 'five', 'six'], 370),
            ],
          ],
        }),
      ),
    )
    const expected = ['one', 'two', 'three', across, 'four', 'five', 'six']
    assert.equal(
      text.replaceAll('\n', ' '),
      expected.map(part => (part === across ? part : column(part))).join(' '),
    )
  })

  it('reads notes beside the text after it', async () => {
    const main = Array.from({ length: 120 }, (_, index) => `main${index}`).join(' ')
    const note = 'This note in a small font stands beside the text and must not interrupt it.'
    const text = await textOf(
      readPdf(
        await makePdf({
          pages: [
            [
              { text: main, at: { x: 72, y: 100, width: 320 } },
              { text: note, size: 8, at: { x: 420, y: 130, width: 100 } },
            ],
          ],
        }),
      ),
    )
    assert.equal(text, `${main}\n${note}`)
  })

  it('keeps a hyphen that the document has elsewhere', async () => {
    const lines = [
      'A well-known rule is that words are divi-',
      'ded, while this one is so well-',
      'known that its hyphen stays, as this text co\u00ad',
      'operates.',
    ]
    const text = await textOf(
      readPdf(
        await makePdf({
          pages: [lines.map((text, index) => ({ text, at: { x: 72, y: 100 + index * 13 } }))],
        }),
      ),
    )
    assert.match(text.replaceAll('\n', ' '), /words are divided, while this one is so well-known that/)
  })

  it('reads text once that is drawn twice', async () => {
    const twice = (text: string, x: number, y: number) => [
      { text, at: { x, y } },
      { text, at: { x: x + 0.4, y: y + 0.2 } },
    ]
    const letters = [...'BOLD'].flatMap((letter, index) => twice(letter, 72 + index * 8.5, 160))
    const text = await textOf(
      readPdf(await makePdf({ pages: [[...twice('Shadow of a title', 72, 100), ...letters]] })),
    )
    assert.equal(text.replaceAll(' ', ''), 'Shadowofatitle\nBOLD')
  })

  it('joins letters with accents that are drawn above or below them', async () => {
    const content = String.raw`BT /F1 12 Tf 72 700 Td [(Sch\250)445(utze, na\250)306(\001ve)] TJ
      2.7 -20 Td 3 Ts (\250) Tj 0 Ts -2.7 0 Td (Ozalp) Tj
      0 -20 Td [(Age)445(\210ncia de Avia)0(c)417(\270a)445(\230o, it\264s l\264)-50(etat)] TJ ET`
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /dotlessi] >> >>',
    ])
    assert.equal(await textOf(readPdf(bytes)), 'Schütze, naïve\nÖzalp\nAgência de Aviação, it´s l´etat')
  })

  it('separates the marks of footnotes from words', async () => {
    const mark = (text: string) => `) Tj /F1 7 Tf 4 Ts (${text}) Tj 0 Ts /F1 12 Tf (`
    const lines = [
      `Ada Lovelace${mark('1,2')} wrote notes${mark('3')}, 5 m${mark('2')} and the 4${mark('th')}`,
      `${mark('3')}See below`,
    ]
    const content = `BT /F1 12 Tf ${lines.map((line, index) => `1 0 0 1 72 ${700 - index * 40} Tm (${line}) Tj`).join(' ')} ET`
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ])
    assert.equal(
      await textOf(readPdf(bytes)),
      'Ada Lovelace 1,2 wrote notes 3, 5 m2 and the 4th\n3 See below',
    )
  })

  it('reads the ligatures of TeX fonts without a character map', async () => {
    const content = String.raw`BT /F1 12 Tf 72 700 Td (An o\016cial signi\034er, \034rst of \033) Tj ET`
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      `<< /Type /Font /Subtype /Type3 /FontMatrix [0.001 0 0 0.001 0 0] /FontBBox [0 0 0 0] /CharProcs << >> /FirstChar 0 /LastChar 122 /Widths [${Array(123).fill(500).join(' ')}] /Encoding << /Type /Encoding /Differences [14 /a14 27 /a27 /a28 /a29 /a30 /a31] >> >>`,
    ])
    assert.equal(await textOf(readPdf(bytes)), 'An official signifier, first of')
  })

  it('has the words, lines and headings of old TeX documents, whose Type 3 fonts have no size', async () => {
    // Widths are in dots of a printer; TeX moves some letters by a dot.
    const line = (text: string, y: number) =>
      `1 0 0 1 300 ${y} Tm [(${text.replaceAll(' ', ')-14000(').replaceAll('|', ')-1000(')})] TJ`
    const font = (width: number) =>
      `<< /Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /FontBBox [0 0 1 1000] /CharProcs << >> /FirstChar 32 /LastChar 122 /Widths [${Array(91).fill(width).join(' ')}] /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding >> >>`
    const lines = [
      'a numb|er of do|cuments b|e|en read in this line and',
      'the next line has the same font and no more words',
      'than this one which ends here',
    ]
    const drawn = lines.map((text, index) => line(text, 2800 - index * 50)).join('\n')
    const content = `0.24 0 0 0.24 0 0 cm BT /F2 1 Tf ${line('Intro|duction', 3000)} /F1 1 Tf ${drawn} ET`
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      font(20),
      font(34),
    ])
    const blocks = await blocksOf(readPdf(bytes))
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ['heading', 'paragraph'],
    )
    assert.equal(await textOf(readPdf(bytes)), `Introduction\n${lines.join(' ').replaceAll('|', '')}`)
  })

  it('has tables with cells and a box for each row', async () => {
    const rows = [
      ['Name', 'Amount', 'Year'],
      ...Array.from({ length: 6 }, (_, index) => [`Item ${index}`, `${index}00`, '2024']),
    ]
    const cells = rows.flatMap((row, index) =>
      row.map((text, column) => ({ text, at: { x: 72 + column * 150, y: 100 + index * 16 } })),
    )
    const [before, table, after] = await blocksOf(
      readPdf(
        await makePdf({
          pages: [
            [
              { text: 'This sentence is above the table and no part of it at all.', at: { x: 72, y: 60 } },
              ...cells,
              // The rest of a long cell.
              { text: '(estimated)', at: { x: 222, y: 112 + 6 * 16 } },
              { text: 'This sentence is below the table and no part of it.', at: { x: 72, y: 300 } },
            ],
          ],
        }),
      ),
    )
    assert.equal(before?.kind, 'paragraph')
    assert.equal(after?.kind, 'paragraph')
    assert.ok(table?.kind === 'table')
    assert.deepEqual(table.header, rows[0])
    assert.deepEqual(table.rows.slice(0, 5), rows.slice(1, 6))
    assert.deepEqual(table.rows[5], ['Item 5', '500 (estimated)', '2024'])
    assert.equal(table.page, 1)
    assert.deepEqual(table.lines?.map(({ at }) => at).slice(0, 3), [
      0,
      'Name | Amount | Year\n'.length,
      'Name | Amount | Year\nItem 0 | 000 | 2024\n'.length,
    ])
    const [left, top, right, bottom] = table.lines!.at(-1)!.box!
    assert.ok(Math.abs(left - 72) < 2 && right > 380, `${left} to ${right}`)
    assert.ok(Math.abs(top - 196) < 6 && bottom > 205 && bottom < 225, `${top} to ${bottom}`)
  })

  it('has a table whose names are centred above cells that are not', async () => {
    const line = (y: number, ...cells: [text: string, x: number][]) =>
      cells.map(([text, x]) => ({ text, at: { x, y } }))
    const page = [
      ...line(100, ['Stage', 120], ['Price', 440]),
      ...line(112, ['from', 230], ['to', 340]),
      ...line(132, ['First', 72], ['0', 190], ['180', 300], ['2.07', 400]),
      ...line(152, ['Second', 72], ['181', 190], ['260', 300], ['4.07', 400]),
      ...line(172, ['Third', 72], ['261', 190], ['6.07', 400]),
    ]
    const [table] = await read({ pages: [page] })
    assert.ok(table?.kind === 'table')
    assert.deepEqual(
      [table.header, ...table.rows],
      [
        ['Stage', '', '', 'Price'],
        ['', 'from', 'to', ''],
        ['First', '0', '180', '2.07'],
        ['Second', '181', '260', '4.07'],
        ['Third', '261', '', '6.07'],
      ],
    )
  })

  it('joins the rest of the first cell in the last row of a table, but no line below the table', async () => {
    const rows = [
      ['Department', 'Telephone', 'Room'],
      ['IT', '1234-568', 'B2'],
      ['Human resources and', '1234-569', 'C3'],
    ]
    const table = (below: string, step: number) => [
      ...rows.flatMap((row, index) =>
        row.map((text, column) => ({ text, at: { x: 72 + column * 150, y: 100 + index * 20 } })),
      ),
      { text: below, at: { x: 72, y: 140 + step } },
    ]
    const lastRow = async (below: string, step: number) => {
      const [block] = await read({ pages: [table(below, step)] })
      return block?.kind === 'table' && block.rows.at(-1)?.[0]
    }
    assert.equal(await lastRow('payroll', 12), 'Human resources and payroll')
    // As far below as another row, or wider than the column.
    assert.equal(await lastRow('payroll', 17), 'Human resources and')
    assert.equal(await lastRow('The numbers are those of May', 12), 'Human resources and')
  })

  it('goes on with the header of a table on the next page', async () => {
    const header = ['Name', 'Amount', 'Year']
    const row = (index: number) => [`Item ${index}`, `${index}00`, '2024']
    const page = (rows: string[][]) =>
      rows.flatMap((cells, index) =>
        cells.map((text, column) => ({ text, at: { x: 72 + column * 150, y: 200 + index * 16 } })),
      )
    const blocks = await read({ pages: [page([header, row(1), row(2)]), page([row(3), row(4), row(5)])] })
    assert.deepEqual(blocks, [
      { kind: 'table', header, rows: [row(1), row(2)], page: 1 },
      { kind: 'table', header, rows: [row(3), row(4), row(5)], page: 2 },
    ])
  })

  it('has the titles of its outline as headings, whatever their font', async () => {
    const blocks = await read({
      outline: ['Scope', '2 Terms'],
      pages: [['Scope', prose, '2 Terms', prose]],
    })
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ['heading', 'paragraph', 'heading', 'paragraph'],
    )
  })

  it('has bold lines as headings where none are larger', async () => {
    const blocks = await read({
      pages: [[{ text: 'Scope', bold: true }, prose, { text: 'Terms and definitions', bold: true }, prose]],
    })
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 1, text: 'Scope', page: 1 },
      { kind: 'paragraph', text: prose, page: 1 },
      { kind: 'heading', level: 1, text: 'Terms and definitions', page: 1 },
      { kind: 'paragraph', text: prose, page: 1 },
    ])
  })

  it('joins text that runs upwards', async () => {
    const blocks = await read({
      pages: [[{ text: 'The side of the page', turned: true, at: { x: 50, y: 400 } }, prose]],
    })
    assert.deepEqual(
      blocks.map(block => block.kind !== 'table' && block.text),
      [prose, 'The side of the page'],
    )
  })

  it('has the values of form fields', async () => {
    const blocks = await read({
      pages: [
        [
          { text: 'Name:', at: { x: 72, y: 100 } },
          { text: prose, at: { x: 72, y: 200 } },
        ],
      ],
      fields: [{ name: 'name', value: 'Ada Lovelace', x: 120, y: 95 }],
    })
    assert.match(blocks.map(block => block.kind !== 'table' && block.text).join('\n'), /Name:\s+Ada Lovelace/)
  })

  it('has the lines of form fields, and choices as they are shown', async () => {
    const field = (entries: string, top: number) =>
      `<< /Type /Annot /Subtype /Widget /P 3 0 R /F 4 /Rect [72 ${top - 60} 300 ${top}] ${entries} >>`
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R 5 0 R] >> >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [4 0 R 5 0 R] >>',
      field(String.raw`/FT /Tx /Ff 4096 /T (address) /V (1 Main Street\rParis)`, 700),
      field('/FT /Ch /T (planet) /V (3) /Opt [[(2) (Venus)] [(3) (Earth)]]', 600),
    ])
    assert.equal(await textOf(readPdf(bytes)), '1 Main Street Paris\nEarth')
  })

  it('has notes that are written on its pages, also if its objects are compressed', async () => {
    const drawn = 'BT /F1 12 Tf 2 4 Td (Paid in May) Tj ET'
    const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
    const bytes = makeCompressedPdf(
      [
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [4 0 R] >>',
        '<< /Type /Annot /Subtype /FreeText /F 4 /Rect [72 700 272 720] /Contents (Paid in May) /AP << /N 5 0 R >> >>',
      ],
      `<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 ${font} >> >> /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    )
    assert.equal(await textOf(readPdf(bytes)), 'Paid in May')
  })

  it('has what signatures, stamps and buttons show, which may draw each word at its place', async () => {
    const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
    const shown = (text: string) =>
      `<< /Type /XObject /Subtype /Form /BBox [0 0 200 40] /Resources << /Font << /F1 ${font} >> >> /Length ${text.length} >>\nstream\n${text}\nendstream`
    const annotation = (rest: string) => `<< /Type /Annot /F 4 ${rest} >>`
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R 6 0 R] >> >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [4 0 R 5 0 R 6 0 R] >>',
      annotation('/Subtype /Widget /FT /Sig /T (s) /Rect [72 700 272 740] /AP << /N 7 0 R >>'),
      annotation('/Subtype /Stamp /Rect [72 600 272 640] /AP << /N 8 0 R >>'),
      annotation(
        '/Subtype /Widget /FT /Btn /Ff 65536 /T (b) /Rect [72 500 272 540] /MK << >> /AP << /N 9 0 R >>',
      ),
      shown('BT /F1 10 Tf 1 0 0 1 2 24 Tm (Signed by) Tj 0 -12 Td (Jane) Tj 30 0 Td (Doe) Tj ET'),
      shown(
        'BT /F1 10 Tf 2 4 Td (Ap) Tj 12.23 0 Td (proved) Tj ET BT 1 0 0 1 60 4 Tm [(in) -300 (May)] TJ ET',
      ),
      shown('BT /F1 10 Tf 2 4 Td (Submit) Tj ET'),
    ])
    assert.equal(
      (await textOf(readPdf(bytes))).replace(/\s*\n\s*/g, '\n'),
      'Signed by Jane Doe\nApproved in May\nSubmit',
    )
  })

  it('streams long documents, and reports the pages', async () => {
    const bytes = await makePdf({
      pages: Array.from({ length: 120 }, (_, index) => [
        `This is what page ${index + 1} of the document says.`,
      ]),
    })
    const reports: [number, number][] = []
    const blocks = readPdf(bytes, undefined, (done, total) => reports.push([done, total]))
    const first = await blocks.next()
    assert.equal(first.done, false)
    assert.ok(
      reports.length > 1 && reports.length < 120,
      `${reports.length} pages were read before the first block`,
    )
    const rest = await blocksOf(blocks)
    assert.equal(rest.at(-1)?.page, 120)
    assert.equal(rest.length, 119)
    assert.deepEqual(reports.at(-1), [120, 120])
  })

  it('keeps the rows of a table together', async () => {
    const rows = [
      'Name|Amount|Year',
      ...Array.from({ length: 12 }, (_, index) => `Item ${index}|${index}00|2024`),
    ]
    const cells = rows.flatMap((row, index) =>
      row.split('|').map((text, column) => ({ text, at: { x: 72 + column * 150, y: 100 + index * 16 } })),
    )
    const text = await textOf(readPdf(await makePdf({ pages: [cells] })))
    assert.match(text, /Name\tAmount\tYear\nItem 0\t000\t2024\nItem 1\t100\t2024/)
  })

  it('keeps running titles once and drops page numbers, except titles in short documents', async () => {
    const page = (number: number) => [
      { text: 'Company handbook', size: 9, at: { x: 72, y: 30 } },
      { text: `Page ${number} of 5`, size: 9, at: { x: 72, y: 800 } },
      { text: `Chapter text number ${number} is here.`, at: { x: 72, y: 200 } },
    ]
    const chapters = (count: number) =>
      Array.from({ length: count }, (_, index) => `Chapter text number ${index + 1} is here.`)
    const long = await textOf(readPdf(await makePdf({ pages: [1, 2, 3, 4, 5].map(page) })))
    assert.equal(long, ['Company handbook', ...chapters(5)].join('\n'))
    const short = await textOf(readPdf(await makePdf({ pages: [1, 2].map(page) })))
    assert.equal(
      short,
      chapters(2)
        .map(text => `Company handbook\n${text}`)
        .join('\n'),
    )
  })

  it('keeps running titles of two or three pages once, where they would divide a sentence', async () => {
    const page = (number: number) => [
      { text: 'Company handbook', size: 9, at: { x: 72, y: 30 } },
      { text: 'goes on with words until it ends here.', at: { x: 72, y: 100 } },
      { text: `Rule ${number} is that a sentence`, at: { x: 72, y: 400 } },
    ]
    for (const count of [2, 3]) {
      const pages = Array.from({ length: count }, (_, index) => page(index + 1))
      const text = await textOf(readPdf(await makePdf({ pages })))
      assert.equal(text.match(/Company handbook/g)?.length, 1)
      assert.match(text, /Rule 1 is that a sentence\s+goes on with words/)
    }
  })

  it('keeps repeated lines of two or three pages that are part of their text', async () => {
    const texts = ['Name', 'Item', 'Item again'].map((text, index) => ({
      text,
      at: { x: 72, y: 40 + index * 14 },
    }))
    const pages = [1, 2, 3].map(number => [
      ...texts,
      { text: `Other text of page ${number}`, at: { x: 72, y: 300 } },
    ])
    const text = await textOf(readPdf(await makePdf({ pages })))
    assert.equal(text.match(/Name/g)?.length, 3)
  })

  it('drops the titles of chapters, which are on few of all pages', async () => {
    const pages = Array.from({ length: 20 }, (_, index) => [
      { text: `${index < 10 ? 'First' : 'Second'} chapter`, size: 9, at: { x: 72, y: 30 } },
      { text: `Sentence ${index} is here.`, at: { x: 72, y: 200 } },
    ])
    const text = await textOf(readPdf(await makePdf({ pages })))
    assert.equal(text.match(/First chapter/g)?.length, 1)
    assert.equal(text.match(/Second chapter/g)?.length, 1)
    assert.equal(text.match(/Sentence/g)?.length, 20)
  })

  it('keeps rows with numbers at the upper edge of each page', async () => {
    const pages = [310, 47, 512, 68, 90].map(amount => [
      { text: `Amount ${amount}`, at: { x: 72, y: 40 } },
      { text: 'Other text of the page.', at: { x: 72, y: 300 } },
    ])
    const text = await textOf(readPdf(await makePdf({ pages })))
    assert.deepEqual(text.match(/Amount \d+/g), [
      'Amount 310',
      'Amount 47',
      'Amount 512',
      'Amount 68',
      'Amount 90',
    ])
  })

  it('continues a sentence across a page break', async () => {
    const blocks = await read({
      pages: [
        [{ text: prose.slice(0, prose.indexOf(' forest')), at: { x: 72, y: 760 } }],
        [{ text: 'forest and it ends here.', at: { x: 72, y: 80 } }, prose],
      ],
    })
    assert.equal(blocks[0]?.kind === 'paragraph' && /deep forest and it/.test(blocks[0].text), true)
  })

  it('does not modify its input', async () => {
    const bytes = await makePdf({ pages: [['text']] })
    const before = bytes.length
    await blocksOf(readPdf(bytes))
    assert.equal(bytes.length, before)
  })
})

describe('a PDF in Chinese, Japanese or Korean without an embedded character map', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le').swap16()
  for (const [encoding, ordering, codes, text] of [
    ['UniGB-UCS2-H', 'GB1', utf16('中文检索 ABC 12'), '中文检索 ABC 12'],
    ['UniGB-UTF16-H', 'GB1', utf16('企业知识库'), '企业知识库'],
    ['UniCNS-UCS2-H', 'CNS1', utf16('繁體中文'), '繁體中文'],
    ['UniJIS-UCS2-H', 'Japan1', utf16('日本語'), '日本語'],
    ['UniKS-UCS2-H', 'Korea1', utf16('한국어'), '한국어'],
    ['GBK-EUC-H', 'GB1', Buffer.from('d6d0cec4204142', 'hex'), '中文 AB'],
    ['ETen-B5-H', 'CNS1', Buffer.from('a4a4a4e5', 'hex'), '中文'],
    ['90ms-RKSJ-H', 'Japan1', Buffer.from('93fa967b8cea', 'hex'), '日本語'],
    ['KSCms-UHC-H', 'Korea1', Buffer.from('c7d1b1b9', 'hex'), '한국'],
  ] as const)
    it(`is read through ${encoding}`, async () => {
      assert.equal(await textOf(readPdf(makeCidPdf(encoding, ordering, codes))), text)
    })

  // Glyph numbers of Adobe's collections.
  for (const [ordering, glyphs, text] of [
    ['GB1', [4559, 3795, 97, 34, 815], '中文、A"'],
    ['Japan1', [3284, 3722, 1952, 842, 925, 638], '日本語ぁァ・'],
    ['CNS1', [661, 726, 34], '中文A'],
    ['Korea1', [3296, 1204, 34], '한국A'],
  ] as const)
    it(`is read by the glyphs of Adobe-${ordering}`, async () => {
      const codes = Buffer.from(Uint16Array.from(glyphs).buffer).swap16()
      assert.equal(await textOf(readPdf(makeCidPdf('Identity-H', ordering, codes))), text)
    })

  it('is read by codes and glyphs in any order, also of characters without a number of Adobe', async () => {
    const glyphs = { encoding: 'Identity-H', ordering: 'GB1', codes: Buffer.from([4559 >> 8, 4559 & 255]) }
    const unicode = { encoding: 'UniGB-UTF16-H', ordering: 'GB1', codes: utf16('文㐀𠀀龥') }
    const charset = { encoding: 'GBK-EUC-H', ordering: 'GB1', codes: Buffer.from('b5c48140', 'hex') }
    const texts = new Map([
      [glyphs, '中'],
      [unicode, '文㐀𠀀龥'],
      [charset, '的丂'],
    ])
    for (const fonts of [
      [glyphs, unicode, charset],
      [charset, glyphs, unicode],
      [unicode, charset, glyphs],
    ])
      assert.equal(
        (await textOf(readPdf(makeCidsPdf(fonts)))).replaceAll(/\s/g, ''),
        fonts.map(font => texts.get(font)).join(''),
      )
  })

  it('has no spaces between the characters of letter-spaced text, but those between its words', async () => {
    const fonts = [0.1, 0.15, 0.4, 0.8].map(spacing => ({
      ...{ encoding: 'UniGB-UCS2-H', ordering: 'GB1', codes: utf16('逐字排版的合同，内容测试') },
      letterSpacing: spacing * 14,
    }))
    const words = ['甲方 乙方', '目 录', '北京 上海 重 庆'].map(text => ({
      ...{ encoding: 'UniGB-UCS2-H', ordering: 'GB1', codes: utf16(text), text },
    }))
    assert.equal(
      (await textOf(readPdf(makeCidsPdf([...fonts, ...words])))).replaceAll('\n', ''),
      [...fonts.map(() => '逐字排版的合同，内容测试'), ...words.map(({ text }) => text)].join(''),
    )
  })

  it('yields no text rather than wrong text for glyphs without a character', async () => {
    await assertRefused(readPdf(makeCidPdf('Identity-H', 'GB1', Buffer.from('5f5a4fc2', 'hex'))), 'no_text')
  })

  // Codes of the private area, and codes that the charset does not have.
  for (const [encoding, ordering, codes, text] of [
    ['HKscs-B5-H', 'CNS1', 'a4a4fa408e40a4e5', '中文'],
    ['ETen-B5-H', 'CNS1', 'a4a4fa40fefea4e5', '中文'],
    ['GBK-EUC-H', 'GB1', 'd6d0aaa1a140cec4', '中文'],
    ['Ext-RKSJ-H', 'Japan1', '93faf0408540967b', '日本'],
    ['KSCms-UHC-H', 'Korea1', 'c7d1c9a1fefeb1b9', '한국'],
  ] as const)
    it(`yields no text rather than wrong text for codes of ${encoding} without a character`, async () => {
      assert.equal(await textOf(readPdf(makeCidPdf(encoding, ordering, Buffer.from(codes, 'hex')))), text)
    })
})

describe('a PDF with damaged pages', () => {
  const readPages = async (kids: string) => {
    const unread: UnreadPages[] = []
    const blocks = await blocksOf(
      readPdf(makeDamagedPdf(kids), undefined, undefined, each => void unread.push(each)),
    )
    const texts = blocks.map(block => block.kind !== 'table' && `${block.page} ${block.text}`)
    return { texts, damaged: unread.find(({ reason }) => reason === 'damaged')?.pages }
  }

  it('is read without them, and names them', async () => {
    assert.deepEqual(await readPages('4 0 R 5 0 R 6 0 R'), {
      texts: ['1 First page.', '3 Last page.'],
      damaged: [2],
    })
    assert.deepEqual(await readPages('4 0 R 6 0 R'), {
      texts: ['1 First page.', '2 Last page.'],
      damaged: [],
    })
    // There is no object 99, and the library finds no page behind it.
    assert.deepEqual(await readPages('4 0 R 99 0 R 6 0 R'), { texts: ['1 First page.'], damaged: [2] })
  })

  it('is damaged if no other page has text', async () => {
    await assertRefused(readPdf(makeDamagedPdf('5 0 R')), 'broken_file')
  })
})

describe('a PDF that cannot be read', () => {
  it('is reported as encrypted if it needs a password', async () => {
    const bytes = await makePdf({ pages: [['secret']], userPassword: 'open sesame' })
    await assertRefused(readPdf(bytes), 'encrypted', /password/)
  })

  it('is refused at the first page with too many pieces of text', async () => {
    const stream = (content: string, entries = '') =>
      `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`
    const page = (content: number) =>
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${content} 0 R /Resources 7 0 R >>`
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
      page(5),
      page(6),
      stream('BT /F 12 Tf 72 750 Td (First page.) Tj ET'),
      stream('/X Do '.repeat(600)),
      '<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> /XObject << /X 8 0 R >> >>',
      stream(
        `BT /F 12 Tf ${'1 0 0 1 72 750 Tm (a) Tj 1 0 0 1 272 50 Tm (b) Tj '.repeat(500)} ET`,
        '/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources 7 0 R',
      ),
    ])
    await assertRefused(readPdf(bytes), 'too_large', /^Page 2 .*500,000 pieces/)
  })

  it('is read if only changing it needs a password', async () => {
    const bytes = await makePdf({ pages: [['open to all']], ownerPassword: 'owner' })
    assert.equal(await textOf(readPdf(bytes)), 'open to all')
  })

  it('without text is reported as a scan', async () => {
    await assertRefused(readPdf(await makePdf({ pages: [[], []] })), 'no_text', /scan.*OCR/)
  })

  it('that is empty, truncated or another format is damaged', async () => {
    const bytes = await makePdf({ pages: [['some text']] })
    for (const broken of [
      new Uint8Array(0),
      Buffer.from('%PDF-1.7'),
      Buffer.from('hello'),
      bytes.subarray(0, 100),
    ])
      await assertRefused(readPdf(broken), 'broken_file')
  })

  it('with too many pages is rejected before they are read', async () => {
    const kids = Array.from({ length: 5001 }, () => '3 0 R').join(' ')
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${kids}] /Count 5001 >>`,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] >>',
    ])
    await assertRefused(readPdf(bytes), 'too_large', /5001 pages/)
  })

  it('reports that it is being read while one page draws the same text again and again', async () => {
    const levels = 8
    const form = (resources: string, content: string) =>
      `<< /Subtype /Form /BBox [0 0 99 99] /Resources << ${resources} >> /Length ${content.length} >>\nstream\n${content}\nendstream`
    const doubled = Array.from({ length: levels }, (_, at) =>
      form(`/XObject << /X ${at + 5} 0 R >>`, '/X Do /X Do'),
    )
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
      ...doubled,
      form('/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>', 'BT /F 9 Tf (a) Tj ET'),
    ])
    let reports = 0
    assert.equal(await textOf(readPdf(bytes, undefined, () => reports++)), 'a')
    assert.ok(reports > 2, `${reports} reports`)
  })

  it('prints nothing', async context => {
    const written: unknown[] = []
    for (const method of ['log', 'warn', 'error', 'info'] as const)
      context.mock.method(console, method, (...values: unknown[]) => written.push(values))
    const bytes = await makePdf({ pages: [['some text']] })
    await blocksOf(readPdf(bytes.subarray(0, bytes.length - 300))).catch(() => {})
    await blocksOf(readPdf(makeCidPdf('No-Such-Map', 'GB1', Buffer.from('0041', 'hex')))).catch(() => {})
    assert.deepEqual(written, [])
  })
})
