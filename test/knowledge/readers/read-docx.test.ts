import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { readDocx } from '../../../src/knowledge/ingest/readers/office/read-docx.ts'
import { readDocument } from '../../../src/knowledge/ingest/readers/read-document.ts'
import { makeDocx } from '../../support/documents/make-docx.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { assertRefused, blocksOf } from '../../support/documents/read-blocks.ts'

/** A document with this body and optional further parts. */
const withBody = (body: string, parts: Record<string, string> = {}): Uint8Array =>
  makeZip({ 'word/document.xml': `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`, ...parts })

const read = (body: string, parts?: Record<string, string>): Promise<Block[]> =>
  blocksOf(readDocx(withBody(body, parts)))

const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
const paragraph = (text: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`
const mathRun = (text: string) =>
  `<m:r><w:rPr><w:rFonts/></w:rPr><m:t xml:space="preserve">${text}</m:t></m:r>`
const fraction = (above: string, below: string) =>
  `<m:f><m:num>${mathRun(above)}</m:num><m:den>${below.startsWith('<') ? below : mathRun(below)}</m:den></m:f>`
const texts = (blocks: Block[]) => blocks.map(block => (block.kind === 'table' ? block.rows : block.text))

const relations = (...kinds: string[]) =>
  `<Relationships>${kinds.map(kind => `<Relationship Id="${kind}" Type="http://x/${kind}" Target="${kind}.xml"/>`).join('')}</Relationships>`

describe('a Word document', () => {
  it('has the alternative texts of images, and raised numbers as such', async () => {
    const raised = (text: string, position: string) =>
      `<w:r><w:rPr><w:vertAlign w:val="${position}"/></w:rPr><w:t>${text}</w:t></w:r>`
    const image = (descr: string) =>
      `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="${descr}"/></wp:inline></w:drawing></w:r>`
    const blocks = await read(
      `<w:p>${run('10')}${raised('-6', 'superscript')}${run(' m, H')}${raised('2', 'subscript')}${run('O, the 1')}${raised('st', 'superscript')}${image('A pump&#10;&#10;Description automatically generated')}${image('水泵&#10;&#10;AI 生成的内容可能不正确。')}${image('K:\\pics\\nature.gif')}${image('')}</w:p>`,
    )
    assert.deepEqual(texts(blocks), ['10⁻⁶ m, H₂O, the 1st', 'Image: A pump', 'Image: 水泵'])
  })

  it('has formulas on one line', async () => {
    const cases: [formula: string, line: string][] = [
      [fraction('1', '2'), '1/2'],
      [`${mathRun('10')}<m:sSup><m:e>${mathRun('x')}</m:e><m:sup>${mathRun('6')}</m:sup></m:sSup>`, '10x⁶'],
      [fraction('a+b', fraction('c', '4')), '(a+b)/(c/4)'],
      [
        `<m:sSubSup><m:sSubSupPr><m:ctrlPr><w:rPr><w:i/></w:rPr></m:ctrlPr></m:sSubSupPr><m:e>${mathRun('x')}</m:e><m:sub>${mathRun('i')}</m:sub><m:sup>${mathRun('2')}</m:sup></m:sSubSup>`,
        'x_i²',
      ],
      [`<m:d><m:e>${mathRun('a')}</m:e><m:e>${mathRun('b')}</m:e></m:d>`, '(a|b)'],
      [
        `<m:d><m:dPr><m:begChr m:val="["/><m:sepChr m:val=","/><m:endChr m:val=""/></m:dPr><m:e>${mathRun('a')}</m:e><m:e>${mathRun('b')}</m:e></m:d>`,
        '[a,b',
      ],
      [
        `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${mathRun('2')}</m:e></m:rad><m:rad><m:deg>${mathRun('3')}</m:deg><m:e>${mathRun('a b')}</m:e></m:rad>`,
        '√2³√(a b)',
      ],
      [
        `<m:nary><m:naryPr><m:chr m:val="∑"/><m:limLoc m:val="undOvr"/></m:naryPr><m:sub>${mathRun('i=1')}</m:sub><m:sup>${mathRun('n')}</m:sup><m:e>${mathRun('i')}</m:e></m:nary><m:nary><m:sub/><m:sup/><m:e>${mathRun('x dx')}</m:e></m:nary>`,
        '∑_(i=1)^n i∫ x dx',
      ],
      [
        `<m:limLow><m:e>${mathRun('lim')}</m:e><m:lim>${mathRun('n→∞')}</m:lim></m:limLow><m:acc><m:accPr><m:chr m:val="→"/></m:accPr><m:e>${mathRun('v')}</m:e></m:acc>`,
        'lim_(n→∞)v',
      ],
      [
        `<m:d><m:e><m:m><m:mPr><m:mcs/></m:mPr><m:mr><m:e>${mathRun('1')}</m:e><m:e>${mathRun('0')}</m:e></m:mr><m:mr><m:e>${mathRun('0')}</m:e><m:e>${mathRun('1')}</m:e></m:mr></m:m></m:e></m:d>`,
        '(1 0; 0 1)',
      ],
      [`<w:del>${mathRun('9')}</w:del>${mathRun('8')}`, '8'],
    ]
    const blocks = await read(
      cases
        .map(([formula]) => `<w:p>${run('Use ')}<m:oMath>${formula}</m:oMath>${run(' now')}</w:p>`)
        .join(''),
    )
    assert.deepEqual(
      texts(blocks),
      cases.map(([, line]) => `Use ${line} now`),
    )
  })

  it('yields its blocks in document order', async () => {
    const bytes = makeDocx([
      { title: '年度报告' },
      { heading: 'Sales 销售', level: 1 },
      'The first paragraph.',
      { heading: 'East', level: 2 },
      { bullets: ['one', 'two'] },
      { numbers: ['first', 'second'] },
      {
        table: [
          ['Region', '数量'],
          ['East', '12'],
          ['West', '7'],
        ],
      },
      { text: 'With a note', footnote: 'The note itself.' },
    ])
    assert.deepEqual(await blocksOf(readDocx(bytes)), [
      { kind: 'heading', level: 1, text: '年度报告' },
      { kind: 'heading', level: 1, text: 'Sales 销售' },
      { kind: 'paragraph', text: 'The first paragraph.' },
      { kind: 'heading', level: 2, text: 'East' },
      { kind: 'paragraph', text: '- one' },
      { kind: 'paragraph', text: '- two' },
      { kind: 'paragraph', text: '1. first' },
      { kind: 'paragraph', text: '2. second' },
      {
        kind: 'table',
        header: ['Region', '数量'],
        rows: [
          ['East', '12'],
          ['West', '7'],
        ],
      },
      { kind: 'paragraph', text: 'With a note[1]' },
      { kind: 'paragraph', text: '[1] The note itself.' },
    ])
  })

  it('has page numbers if it records page breaks', async () => {
    const blocks = await blocksOf(readDocx(makeDocx(['one', 'page break', 'two', 'page break', 'three'])))
    assert.deepEqual(
      blocks.map(block => block.page),
      [1, 2, 3],
    )
  })

  it('counts a page break once that is both requested and rendered', async () => {
    const blocks = await read(
      `${paragraph('one')}<w:p><w:r><w:br w:type="page"/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>`,
    )
    assert.deepEqual(
      blocks.map(block => block.page),
      [1, 2],
    )
  })

  it('finds headings by base style, by Chinese style name, and by outline level', async () => {
    const styles = `<w:styles xmlns:w="w">
      <w:style w:styleId="a"><w:name w:val="标题 2"/></w:style>
      <w:style w:styleId="mine"><w:name w:val="My own"/><w:basedOn w:val="base"/></w:style>
      <w:style w:styleId="base"><w:name w:val="Base"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
      <w:style w:styleId="loop"><w:name w:val="Loop"/><w:basedOn w:val="loop"/></w:style></w:styles>`
    const blocks = await read(
      paragraph('二级', '<w:pStyle w:val="a"/>') +
        paragraph('third', '<w:pStyle w:val="mine"/>') +
        paragraph('first', '<w:outlineLvl w:val="0"/>') +
        paragraph('none', '<w:pStyle w:val="loop"/>'),
      { 'word/styles.xml': styles, 'word/_rels/document.xml.rels': relations('styles') },
    )
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 2, text: '二级' },
      { kind: 'heading', level: 3, text: 'third' },
      { kind: 'heading', level: 1, text: 'first' },
      { kind: 'paragraph', text: 'none' },
    ])
  })

  it('keeps tracked insertions and drops deletions and moved text', async () => {
    const blocks = await read(
      `<w:p>${run('a')}<w:ins>${run('b')}</w:ins><w:del>${run('c')}<w:r><w:delText>d</w:delText></w:r></w:del><w:moveFrom>${run('e')}</w:moveFrom><w:moveTo>${run('f')}</w:moveTo></w:p>` +
        `<w:tbl><w:tr><w:tc>${paragraph('x')}</w:tc><w:tc>${paragraph('y')}</w:tc></w:tr><w:tr><w:trPr><w:del/></w:trPr><w:tc>${paragraph('gone')}</w:tc></w:tr></w:tbl>`,
    )
    assert.deepEqual(texts(blocks), ['abf', [['x', 'y']]])
  })

  it('has the current formatting, not that from before a tracked change', async () => {
    const change = (element: string, former: string) =>
      `<w:${element}Change w:id="1"><w:${element}>${former}</w:${element}></w:${element}Change>`
    const heading = (level: number) => `<w:pStyle w:val="Heading${level}"/>`
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`
    const blocks = await read(
      paragraph('Scope', `${heading(1)}${change('pPr', heading(2))}`) +
        paragraph('Text', change('pPr', `${heading(1)}<w:numPr><w:numId w:val="1"/></w:numPr>`)) +
        `<w:p><w:r><w:rPr>${change('rPr', '<w:vertAlign w:val="superscript"/>')}</w:rPr><w:t>10</w:t></w:r></w:p>` +
        `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('', change('tcPr', '<w:vMerge/><w:gridSpan w:val="2"/>'))}${cell('c')}</w:tr></w:tbl>`,
    )
    assert.deepEqual(
      blocks.map(block => (block.kind === 'table' ? block.rows : `${block.kind} ${block.text}`)),
      ['heading Scope', 'paragraph Text', 'paragraph 10', [['', 'c']]],
    )
    assert.deepEqual(blocks[0], { kind: 'heading', level: 1, text: 'Scope' })
  })

  it('has whole words and sentences where a paragraph continues in the next one', async () => {
    const dropCap = (text: string) => paragraph(text, '<w:framePr w:dropCap="drop" w:lines="3"/>')
    const joined = (text: string) => paragraph(text, '<w:rPr><w:del w:id="1"/></w:rPr>')
    const cell = (content: string) => `<w:tc>${content}</w:tc>`
    const blocks = await read(
      `<w:body>${dropCap('O')}${paragraph('nce upon a time')}` +
        joined('The rent ') +
        joined('') +
        paragraph('is due', '<w:pStyle w:val="Heading1"/>') +
        joined('before') +
        `<w:tbl><w:tr>${cell(joined('a'))}${cell(paragraph('b'))}</w:tr></w:tbl>` +
        `${paragraph('after')}${joined('end')}</w:body>`,
    )
    assert.deepEqual(texts(blocks), [
      'Once upon a time',
      'The rent is due',
      'before',
      [['a', 'b']],
      'after',
      'end',
    ])
    assert.equal(blocks[1]!.kind, 'heading')
  })

  it('keeps columns below each other where a row of a table begins further right', async () => {
    const row = (properties: string, ...cells: [text: string, properties?: string][]) =>
      `<w:tr><w:trPr>${properties}</w:trPr>${cells.map(([text, more = '']) => `<w:tc><w:tcPr>${more}</w:tcPr>${paragraph(text)}</w:tc>`).join('')}</w:tr>`
    const wide = '<w:gridSpan w:val="2"/>'
    const blocks = await read(
      `<w:tbl>${row('', ['Item', wide], ['Price'], ['Stock'])}${row('<w:gridBefore w:val="1"/>', ['Bolt'], ['4'], ['none', '<w:vMerge w:val="restart"/>'])}${row('', ['Nut', wide], ['2'], ['', '<w:vMerge/>'])}</w:tbl>`,
    )
    assert.deepEqual(blocks, [
      {
        kind: 'table',
        header: ['Item', '', 'Price', 'Stock'],
        rows: [
          ['', 'Bolt', '4', 'none'],
          ['Nut', '', '2', 'none'],
        ],
      },
    ])
  })

  it('reads a text box once, after its anchor paragraph', async () => {
    const box = `<w:txbxContent>${paragraph('boxed')}</w:txbxContent>`
    const blocks = await read(
      `<w:p>${run('be')}<w:r><mc:AlternateContent><mc:Choice>${box}</mc:Choice><mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:r>${run('fore')}</w:p>`,
    )
    assert.deepEqual(texts(blocks), ['before', 'boxed'])
  })

  it('numbers articles with the characters of contracts', async () => {
    const numbering =
      '<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="9"/><w:numFmt w:val="chineseLegalSimplified"/><w:lvlText w:val="第%1条"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
    const article = paragraph('付款', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    const blocks = await read(article.repeat(3), {
      'word/_rels/document.xml.rels': relations('numbering'),
      'word/numbering.xml': numbering,
    })
    assert.deepEqual(texts(blocks), ['第玖条 付款', '第壹拾条 付款', '第壹拾壹条 付款'])
  })

  it('numbers lists and headings as Word shows them', async () => {
    const level = (number: number, format: string, text: string, more = '') =>
      `<w:lvl w:ilvl="${number}">${more || '<w:start w:val="1"/>'}<w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`
    const numbering =
      `<w:numbering><w:abstractNum w:abstractNumId="7">${level(0, 'upperRoman', '%1)')}${level(1, 'decimal', '%1.%2', '<w:start w:val="3"/><w:isLgl/>')}${level(2, 'bullet', '·')}</w:abstractNum>` +
      `<w:abstractNum w:abstractNumId="8">${level(0, 'chineseCounting', '第%1章', '<w:start w:val="1"/><w:pStyle w:val="chapter"/>')}${level(1, 'lowerLetter', '(%2)')}${level(2, 'none', 'Note:')}${level(3, 'decimal', '%3.%4')}</w:abstractNum>` +
      '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num><w:num w:numId="3"><w:abstractNumId w:val="8"/></w:num></w:numbering>'
    const styles =
      '<w:styles><w:style w:styleId="chapter"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style></w:styles>'
    const item = (text: string, list: number, number = 0) =>
      paragraph(text, `<w:numPr><w:ilvl w:val="${number}"/><w:numId w:val="${list}"/></w:numPr>`)
    const blocks = await read(
      paragraph('Start', '<w:pStyle w:val="chapter"/>') +
        item('a', 1) +
        item('b', 1, 1) +
        item('c', 1, 1) +
        item('d', 1, 2) +
        item('e', 1) +
        item('f', 2) +
        item('g', 3, 1) +
        item('h', 3, 2) +
        item('i', 3, 3) +
        paragraph('End', '<w:pStyle w:val="chapter"/>'),
      {
        'word/styles.xml': styles,
        'word/numbering.xml': numbering,
        'word/_rels/document.xml.rels': relations('styles', 'numbering'),
      },
    )
    assert.deepEqual(texts(blocks), [
      ...['第一章 Start', 'I) a', '1.3 b', '1.4 c', '- d', 'II) e', 'IX) f', '(a) g', 'Note: h', '1 i'],
      '第二章 End',
    ])
  })

  it('has comments with their authors after the paragraph', async () => {
    const comments = `<w:comments><w:comment w:id="4" w:author="李明">${paragraph('Is this')}${paragraph('right?')}</w:comment><w:comment w:id="5">${paragraph('no author')}</w:comment></w:comments>`
    const refer = (id: number) => `<w:r><w:commentReference w:id="${id}"/></w:r>`
    const blocks = await read(
      `<w:p>${run('one')}${refer(4)}${run(' two')}</w:p><w:p>${run('three')}${refer(5)}${refer(6)}</w:p>`,
      { 'word/comments.xml': comments, 'word/_rels/document.xml.rels': relations('comments') },
    )
    assert.deepEqual(texts(blocks), [
      ...['one two', 'Comment by 李明: Is this\nright?', 'three', 'Comment: no author'],
    ])
  })

  it('has the values of charts and the texts of diagrams after the paragraph', async () => {
    const points = (...values: string[]) =>
      values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('')
    const chart = `<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:ser><c:tx>${points('2025')}</c:tx><c:cat>${points('East', 'West')}</c:cat><c:val>${points('12', '7.199999999999')}</c:val></c:ser></c:chart></c:chartSpace>`
    const blocks = await read(
      `<w:p>${run('See')}<w:r><w:drawing><c:chart r:id="chart"/></w:drawing></w:r><w:r><dgm:relIds r:dm="diagramData"/></w:r></w:p>`,
      {
        'word/chart.xml': chart,
        'word/diagramData.xml': '<dgm:t><a:p><a:r><a:t>Step one</a:t></a:r></a:p></dgm:t>',
        'word/_rels/document.xml.rels': relations('chart', 'diagramData'),
      },
    )
    assert.deepEqual(blocks, [
      { kind: 'paragraph', text: 'See' },
      { kind: 'paragraph', text: 'Sales' },
      {
        kind: 'table',
        header: ['', '2025'],
        rows: [
          ['East', '12'],
          ['West', '7.2'],
        ],
      },
      { kind: 'paragraph', text: 'Step one' },
    ])
  })

  it('has its headers and footers once, after the text', async () => {
    const part = (element: string, content: string) => `<w:${element}>${content}</w:${element}>`
    const one = (id: number, kind: string, file: string) =>
      `<Relationship Id="r${id}" Type="http://x/${kind}" Target="${file}.xml"/>`
    const blocks = await read(paragraph('Text'), {
      'word/h1.xml': part('hdr', paragraph('ACME') + paragraph('Handbook')),
      'word/h2.xml': part('hdr', paragraph('ACME Handbook')),
      'word/f1.xml': part('ftr', paragraph('12')),
      'word/f2.xml': part('ftr', paragraph('Version 3')),
      'word/_rels/document.xml.rels': `<Relationships>${one(1, 'header', 'h1')}${one(2, 'header', 'h2')}${one(3, 'footer', 'f1')}${one(4, 'footer', 'f2')}</Relationships>`,
    })
    assert.deepEqual(texts(blocks), ['Text', 'Header: ACME Handbook', 'Footer: Version 3'])
  })

  it('keeps tabs and breaks, the text of links, and no field codes', async () => {
    const blocks = await read(
      `<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>${run('a')}<w:r><w:tab/></w:r><w:hyperlink>${run('link')}</w:hyperlink><w:r><w:instrText>PAGE</w:instrText><w:br/></w:r>${run('b')}</w:p>`,
    )
    assert.deepEqual(texts(blocks), ['a\tlink\nb'])
  })

  it('shows symbols, check boxes and lists of forms, and WordArt as text', async () => {
    const field = (settings: string, shown = '') =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="F"/>${settings}</w:ffData></w:fldChar></w:r><w:r><w:instrText>FORM</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${shown}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
    const box = (content: string) => field(`<w:checkBox><w:sizeAuto/>${content}</w:checkBox>`)
    const list = (content: string, shown?: string) =>
      field(`<w:ddList>${content}<w:listEntry w:val="Berlin"/><w:listEntry w:val="上海"/></w:ddList>`, shown)
    const symbol = (font: string, char: string) => `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`
    const blocks = await read(
      [
        `${box('<w:default w:val="0"/>')}${run('no ')}${box('<w:default w:val="1"/>')}${run('yes ')}${box('<w:default w:val="1"/><w:checked w:val="0"/>')}${run('off ')}${box('<w:checked/>')}${run('on')}`,
        `${list('<w:result w:val="1"/>')}${run(', ')}${list('<w:default w:val="0"/>')}${run(', ')}${list('<w:result w:val="1"/>', run('上海'))}`,
        `${symbol('Wingdings', 'F0FE')}${run(' sent, 5 ')}${symbol('Symbol', 'F06D')}${run('m ')}${symbol('Symbol', '00B3')}${run(' 3 ')}${symbol('MS Gothic', '2612')}${symbol('Webdings', 'F061')}${symbol('Symbol', 'x')}`,
        `<w:r><w:pict><v:shape><v:textpath string="BULLETIN"/></v:shape></w:pict></w:r>${run('below')}`,
      ]
        .map(content => `<w:p>${content}</w:p>`)
        .join(''),
    )
    assert.deepEqual(texts(blocks), [
      '☐no ☒yes ☐off ☒on',
      '上海, Berlin, 上海',
      '☑ sent, 5 μm ≥ 3 ☒',
      'below',
      'BULLETIN',
    ])
  })

  it('has the files that programs insert instead of converting them, at their place', async () => {
    const relationship = (id: string, target: string) =>
      `<Relationship Id="${id}" Type="http://x/aFChunk" Target="/word/${target}"/>`
    const insert = (id: string) => `<w:altChunk r:id="${id}"/>`
    const bytes = withBody(
      `${paragraph('before')}${insert('page')}${paragraph('between')}${insert('mail')}<w:tbl><w:tr><w:tc>${insert('page')}</w:tc></w:tr></w:tbl>${insert('broken')}`,
      {
        'word/_rels/document.xml.rels': `<Relationships>${relationship('page', 'a.html')}${relationship('mail', 'b.mht')}${relationship('broken', 'c.docx')}</Relationships>`,
        'word/a.html': '<html><body><h2>年假</h2><p>三十天</p></body></html>',
        'word/b.mht':
          'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Caf=C3=A9</p>',
        'word/c.docx': 'PK damaged',
      },
    )
    const mimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    const blocks = await blocksOf(readDocument({ name: 'a.docx', mimeType, bytes }))
    assert.deepEqual(blocks.slice(0, 5), [
      { kind: 'paragraph', text: 'before' },
      { kind: 'heading', level: 2, text: '年假' },
      { kind: 'paragraph', text: '三十天' },
      { kind: 'paragraph', text: 'between' },
      { kind: 'paragraph', text: 'Café' },
    ])
    assert.deepEqual(texts(blocks.slice(5)), [
      '年假 三十天',
      '(c.docx: not read. The file is damaged: its list of entries is missing.)',
    ])
  })

  it('flattens tables inside tables and keeps columns in line', async () => {
    const cell = (content: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`
    const inner = `<w:tbl><w:tr>${cell(paragraph('in'))}${cell(paragraph('ner'))}</w:tr></w:tbl>`
    const blocks = await read(
      `<w:tbl><w:tr>${cell(paragraph('A'))}${cell(paragraph('B'))}${cell(paragraph('C'))}</w:tr>` +
        `<w:tr>${cell(paragraph('wide'), '<w:gridSpan w:val="2"/>')}${cell(paragraph('before') + inner)}</w:tr></w:tbl>`,
    )
    assert.deepEqual(blocks, [
      { kind: 'table', header: ['A', 'B', 'C'], rows: [['wide', '', 'before in ner']] },
    ])
  })

  it('follows relationships, but never to external targets', async () => {
    const bytes = makeZip({
      '_rels/.rels':
        '<Relationships><Relationship Id="1" Type="http://x/officeDocument" Target="/odd/place.xml"/></Relationships>',
      'odd/place.xml': `<w:document><w:body>${paragraph('found')}</w:body></w:document>`,
      'odd/_rels/place.xml.rels':
        '<Relationships><Relationship Id="1" Type="http://x/styles" Target="http://127.0.0.1:1/s.xml" TargetMode="External"/><Relationship Id="2" Type="http://x/footnotes" Target="../../../../etc/passwd"/></Relationships>',
    })
    assert.deepEqual(texts(await blocksOf(readDocx(bytes))), ['found'])
  })

  it('repeats merged cells in each of their rows', async () => {
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`
    const first = '<w:vMerge w:val="restart"/>'
    const rows = [
      cell('Group') + cell('Place') + cell('Sum'),
      cell('East', first) + cell('Both', `<w:gridSpan w:val="2"/>${first}`),
      cell('', '<w:vMerge/>') + cell('', '<w:gridSpan w:val="2"/><w:vMerge w:val="continue"/>'),
      cell('', '<w:vMerge/>') + cell('Ulm') + cell('2'),
      cell('', '<w:vMerge/>') + cell('') + cell('3'),
      cell('x'.repeat(201), first) + cell('a') + cell('4'),
      cell('', '<w:vMerge/>') + cell('b') + cell('5'),
      cell('West', first) + cell('c') + cell('6'),
    ]
    const deleted = `<w:trPr><w:del/></w:trPr>${cell('', first)}${cell('')}${cell('')}`
    rows.push(deleted, cell('', '<w:vMerge/>') + cell('d') + cell('7'))
    const [table] = await read(`<w:tbl>${rows.map(row => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`)
    assert.deepEqual(table?.kind === 'table' && table.rows, [
      ['East', 'Both', ''],
      ['East', 'Ulm', '2'],
      ['East', '', '3'],
      ['x'.repeat(201), 'a', '4'],
      ['', 'b', '5'],
      ['West', 'c', '6'],
      ['', 'd', '7'],
    ])
  })

  it('splits long tables into blocks that each have the header', async () => {
    const rows = Array.from({ length: 1201 }, (_, index) => [`${index}`, 'x'])
    const blocks = await blocksOf(readDocx(makeDocx([{ table: [['Number', 'Letter'], ...rows] }])))
    assert.deepEqual(
      blocks.map(block => block.kind === 'table' && [block.header, block.rows.length]),
      [500, 500, 201].map(length => [['Number', 'Letter'], length]),
    )
  })

  it('without a main part is not a Word document', async () => {
    await assertRefused(readDocx(makeZip({ 'other.xml': '<a/>' })), 'broken_file', /not a Word document/)
  })

  it('yields nothing if it is empty', async () => {
    assert.deepEqual(await read(''), [])
  })

  it('is rejected if it is truncated', async () => {
    const parts = unzipSync(makeDocx(['some text', 'more text']))
    const xml = strFromU8(parts['word/document.xml']!)
    parts['word/document.xml'] = strToU8(xml.slice(0, xml.indexOf('more')))
    await assertRefused(readDocx(zipSync(parts)), 'broken_file')
  })
})
