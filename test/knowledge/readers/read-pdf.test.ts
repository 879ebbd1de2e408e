import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { readPdf } from '../../../src/knowledge/ingest/readers/pdf/read-pdf.ts'
import { makeCidPdf, makePdf, makePdfOfObjects, type PdfContent } from '../../support/documents/make-pdf.ts'
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

  it('drops running titles and page numbers, except in short documents', async () => {
    const page = (number: number) => [
      { text: 'Company handbook', size: 9, at: { x: 72, y: 30 } },
      { text: `Page ${number} of 5`, size: 9, at: { x: 72, y: 800 } },
      { text: `Chapter text number ${number} is here.`, at: { x: 72, y: 200 } },
    ]
    const long = await textOf(readPdf(await makePdf({ pages: [1, 2, 3, 4, 5].map(page) })))
    assert.equal(long, [1, 2, 3, 4, 5].map(number => `Chapter text number ${number} is here.`).join('\n'))
    const short = await textOf(readPdf(await makePdf({ pages: [1, 2].map(page) })))
    assert.match(short, /Company handbook/)
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

  it('yields no text rather than wrong text if the glyph table is missing', async () => {
    await assertRefused(readPdf(makeCidPdf('Identity-H', 'GB1', Buffer.from('0f5a05c2', 'hex'))), 'no_text')
  })
})

describe('a PDF that cannot be read', () => {
  it('is reported as encrypted if it needs a password', async () => {
    const bytes = await makePdf({ pages: [['secret']], userPassword: 'open sesame' })
    await assertRefused(readPdf(bytes), 'encrypted', /password/)
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
