import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readRtf } from '../../../src/knowledge/ingest/readers/rtf/read-rtf.ts'
import { assertRefused, blocksOf } from '../../support/documents/read-blocks.ts'

const read = (body: string) => blocksOf(readRtf(Buffer.from(`{\\rtf1\\ansi\\ansicpg1252${body}}`, 'latin1')))

describe('Rich Text Format', () => {
  it('has headings by style, paragraphs and tables', async () => {
    const blocks = await read(
      '{\\fonttbl{\\f0 Arial;}}{\\stylesheet{\\s1 heading 1;}{\\s2 Normal;}}{\\info{\\title Hidden}}' +
        '\\pard\\s1 Report\\par\\pard\\s2 First {\\b bold} line.\\par ' +
        '\\trowd\\pard\\intbl Name\\cell Sum\\cell\\row\\trowd\\pard\\intbl A\\par b\\cell 5\\cell\\row\\pard After\\par',
    )
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 1, text: 'Report' },
      { kind: 'paragraph', text: 'First bold line.' },
      { kind: 'table', header: ['Name', 'Sum'], rows: [['A b', '5']] },
      { kind: 'paragraph', text: 'After' },
    ])
  })

  it('decodes Unicode with its repetition, code pages of fonts, and symbols', async () => {
    const blocks = await read(
      "{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset134 S;}{\\f2\\fcharset204 C;}}\\uc1\\u26126?\\u22825\\'3f caf\\'e9 \\f1\\'d6\\'d0\\'b9\\'fa\\f2  \\'cc\\'e8\\'f0\\f0\\emdash \\{x\\}\\~y\\par",
    )
    assert.deepEqual(blocks, [{ kind: 'paragraph', text: '明天 café 中国 Мир—{x}\u00a0y' }])
  })

  it('keeps numbers above and below the line apart from those before them', async () => {
    const blocks = await read(
      '\\pard 10{\\super 6} H\\sub 2\\nosupersub O, 1{\\super st}, x\\super 2\\plain  106\\par',
    )
    assert.deepEqual(blocks, [{ kind: 'paragraph', text: '10⁶ H₂O, 1st, x² 106' }])
  })

  it('leaves out instructions, pictures, deletions and ignorable groups, and keeps notes', async () => {
    const blocks = await read(
      '{\\*\\generator Word;}{\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt link}} text{\\footnote The note.}' +
        '{\\pict\\bin4 }{}\\} {\\deleted gone\\par}{\\v hidden}{\\i0\\*\\cs7 kept}\\par',
    )
    assert.deepEqual(blocks, [
      { kind: 'paragraph', text: 'link text[1] kept' },
      { kind: 'paragraph', text: '[1] The note.' },
    ])
  })

  it('has its headers and footers once, after the text', async () => {
    const blocks = await read(
      '{\\header ACME \\cell Handbook\\par}{\\headerf ACME Handbook}{\\footer\\pard Page {\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}\\par}Text\\par',
    )
    assert.deepEqual(blocks, [
      { kind: 'paragraph', text: 'Text' },
      { kind: 'paragraph', text: 'Header: ACME Handbook' },
      { kind: 'paragraph', text: 'Footer: Page 1' },
    ])
  })

  it('is refused if it is something else, or nested too deeply', async () => {
    await assertRefused(readRtf(Buffer.from('hello')), 'broken_file')
    await assertRefused(readRtf(Buffer.from(`{\\rtf1 ${'{'.repeat(2000)}`)), 'too_complex')
  })
})
