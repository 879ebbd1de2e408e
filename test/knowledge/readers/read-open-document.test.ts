import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { readOpenDocument } from '../../../src/knowledge/ingest/readers/office/read-open-document.ts'
import { makeOdt } from '../../support/documents/make-odt.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { assertRefused, blocksOf } from '../../support/documents/read-blocks.ts'

const read = (body: string, styles = ''): Promise<Block[]> =>
  blocksOf(readOpenDocument(makeOdt(body, { styles }), 'odt'))
const cell = (text: string, attributes = '') =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`
const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`

describe('an OpenDocument text', () => {
  it('yields its blocks in document order', async () => {
    const blocks = await read(
      `<text:h text:outline-level="2">标题</text:h>
       <text:p>One  <text:s text:c="2"/>two<text:line-break/>three<text:tab/>four
         five</text:p>
       <text:list text:style-name="L"><text:list-item><text:p>first</text:p><text:p>more</text:p></text:list-item><text:list-item><text:p>second</text:p></text:list-item></text:list>
       <text:list><text:list-item><text:p>dot</text:p></text:list-item></text:list>
       <table:table>${row(cell('A') + cell('B'))}${row(cell('1') + cell('2'))}</table:table>`,
      '<text:list-style style:name="L"><text:list-level-style-number text:level="1"/></text:list-style>',
    )
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 2, text: '标题' },
      { kind: 'paragraph', text: 'One   two\nthree\tfour five' },
      { kind: 'paragraph', text: '1. first' },
      { kind: 'paragraph', text: 'more' },
      { kind: 'paragraph', text: '2. second' },
      { kind: 'paragraph', text: '- dot' },
      { kind: 'table', header: ['A', 'B'], rows: [['1', '2']] },
    ])
  })

  it('numbers lists and headings as they are shown', async () => {
    const level = (number: number, attributes: string) =>
      `<text:list-level-style-number text:level="${number}" ${attributes}/>`
    const styles =
      `<text:list-style style:name="L">${level(1, 'style:num-format="1" style:num-suffix=")"')}${level(2, 'style:num-format="a" text:display-levels="2"')}</text:list-style>` +
      `<text:list-style style:name="C">${level(1, 'style:num-format="一, 二, 三, ..." style:num-prefix="第" style:num-suffix="条"')}</text:list-style>` +
      `<text:outline-style>${[1, 2].map(number => `<text:outline-level-style text:level="${number}" style:num-format="1" text:display-levels="${number}"/>`).join('')}</text:outline-style>` +
      '<style:style style:name="P" style:family="paragraph" style:list-style-name="C"/>'
    const item = (...content: string[]) => `<text:list-item>${content.join('')}</text:list-item>`
    const list = (content: string, attributes = 'text:style-name="L"') =>
      `<text:list ${attributes}>${content}</text:list>`
    const heading = (number: number, text: string) =>
      `<text:h text:outline-level="${number}">${text}</text:h>`
    const p = (text: string, style = 'N') => `<text:p text:style-name="${style}">${text}</text:p>`
    const blocks = await read(
      heading(1, 'One') +
        heading(2, 'Below') +
        list(item(p('a'), list(item(p('b')) + item(p('c')), '')) + item(p('')) + item(p('d'))) +
        heading(1, 'Two') +
        list(item(p('e')), 'text:style-name="L" text:continue-numbering="true"') +
        list(item(p('f'))) +
        list(item(p('g', 'P')) + item(p('h', 'P')), ''),
      styles,
    )
    assert.deepEqual(
      blocks.map(block => block.kind !== 'table' && block.text),
      [
        '1 One',
        '1.1 Below',
        '1) a',
        '1.a b',
        '1.b c',
        '3) d',
        '2 Two',
        '4) e',
        '1) f',
        '第一条 g',
        '第二条 h',
      ],
    )
  })

  it('numbers levels, letters and restarts as LibreOffice does', async () => {
    const level = (number: number, attributes: string) =>
      `<text:list-level-style-number text:level="${number}" ${attributes}/>`
    const style = (name: string, levels: string, attributes = '') =>
      `<text:list-style style:name="${name}" ${attributes}>${levels}</text:list-style>`
    const styles =
      style('L', level(1, 'style:num-format="1" style:num-suffix="."')) +
      style('Upper', level(1, 'style:num-format="A"')) +
      style('Letters', level(1, 'style:num-format="a" text:start-value="27"')) +
      style('Sync', level(1, 'style:num-format="A" text:start-value="27" style:num-letter-sync="true"')) +
      style(
        'Prefix',
        level(1, 'style:num-format="" style:num-prefix="Note: "') +
          level(2, 'style:num-format="1" text:display-levels="2"'),
      ) +
      style(
        'Together',
        level(1, 'style:num-format="1"') + level(2, 'style:num-format="1" loext:num-list-format="%2%"'),
        'text:consecutive-numbering="true"',
      )
    const item = (content: string, attributes = '') =>
      `<text:list-item ${attributes}>${content}</text:list-item>`
    const list = (name: string, content: string) =>
      `<text:list text:style-name="${name}">${content}</text:list>`
    const p = (text: string) => `<text:p>${text}</text:p>`
    const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body>${p('note')}${list('L', item(p('in note')))}</text:note-body></text:note>`
    const below = (...texts: string[]) =>
      `<text:list>${texts.map(text => item(p(text))).join('')}</text:list>`
    const numbered = (text: string, depth: number) =>
      `<text:numbered-paragraph text:list-id="n" text:style-name="L" text:level="${depth}">${p(text)}</text:numbered-paragraph>`
    const blocks = await read(
      list('Letters', item(p('a')) + item(p('b'))) +
        list('Sync', item(p('c')) + item(p('d'))) +
        list('Prefix', item(p('e') + below('f'))) +
        list('Together', item(p('g') + below('h', 'i')) + item(p('j'))) +
        list('L', item(p('k'), 'text:style-override="Upper"') + item(p(`l${note}`)) + item(p('m'))) +
        list('L', item(below('below'), 'text:start-value="4"') + item(p('five'))) +
        numbered('n', 1) +
        p('between') +
        numbered('o', 1),
      styles,
    )
    assert.deepEqual(
      blocks.map(block => block.kind === 'paragraph' && block.text),
      [
        ...['aa a', 'ab b', 'AA c', 'BB d', 'Note: e', '1 f', '1 g', '2 h', '3 i', '4 j'],
        ...[
          'A k',
          '2. l[1]',
          '[1] note',
          '1. in note',
          '3. m',
          '- below',
          '5. five',
          '1. n',
          'between',
          '2. o',
        ],
      ],
    )
  })

  it('numbers headings in lists, after empty ones and below levels without numbers', async () => {
    const outline = (formats: string[]) =>
      formats
        .map(
          (format, index) =>
            `<text:outline-level-style text:level="${index + 1}" style:num-format="${format}" text:display-levels="${index + 1}"/>`,
        )
        .join('')
    const headings = (formats: string[], ...parts: string[]) =>
      read(
        parts.join(''),
        `<text:outline-style style:name="Outline">${outline(formats)}</text:outline-style>`,
      )
    const h = (level: number, text: string, attributes = '') =>
      `<text:h text:outline-level="${level}" ${attributes}>${text}</text:h>`
    const inList = (content: string) => `<text:list-item>${content}</text:list-item>`
    const outer = (content: string) => `<text:list text:style-name="Outline">${content}</text:list>`
    const texts = (blocks: Block[]) => blocks.map(block => block.kind === 'heading' && block.text)
    const listed = await headings(
      ['1', '1'],
      outer(inList(h(1, 'Goal'))),
      outer(inList(`<text:list>${inList(h(2, 'Scope'))}</text:list>`)),
      h(1, ''),
      h(1, 'Terms'),
      h(1, 'Again', 'text:restart-numbering="true" text:start-value="-1"'),
    )
    assert.deepEqual(texts(listed), ['1 Goal', '1.1 Scope', '3 Terms', '1 Again'])
    const unnumbered = await headings(
      ['', '1', '1', ''],
      ...[h(1, 'Book'), h(2, 'One'), h(4, 'Aside'), h(3, 'Part'), h(2, 'Two'), h(1, 'Next'), h(2, 'First')],
    )
    assert.deepEqual(texts(unnumbered), ['Book', '1 One', 'Aside', '1.1 Part', '2 Two', 'Next', '1 First'])
  })

  it('leaves out readings of characters and scripts', async () => {
    const blocks = await read(
      '<text:p><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>です<text:script>run()</text:script></text:p>',
    )
    assert.deepEqual(blocks, [{ kind: 'paragraph', text: '漢字です' }])
  })

  it('reads notes, comments and text boxes after their paragraph and omits tracked changes', async () => {
    const blocks = await read(
      `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
       <text:p>be<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>the note</text:p></text:note-body></text:note>fore<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026-01-01</dc:date><text:p>really?</text:p></office:annotation><draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>`,
    )
    assert.deepEqual(
      blocks.map(block => block.kind === 'paragraph' && block.text),
      ['be[1]fore', '[1] the note', 'Comment by Ann: really?', 'boxed'],
    )
  })

  it('has its headers and footers once, after the text', async () => {
    const header = '<style:header><text:p>ACME <text:span>handbook</text:span></text:p></style:header>'
    const masterStyles = `<office:document-styles><office:master-styles><style:master-page>${header}<style:footer><text:p><text:page-number>1</text:page-number></text:p></style:footer></style:master-page><style:master-page>${header}</style:master-page></office:master-styles></office:document-styles>`
    const blocks = await blocksOf(readOpenDocument(makeOdt('<text:p>Text</text:p>', { masterStyles }), 'odt'))
    assert.deepEqual(blocks, [
      { kind: 'paragraph', text: 'Text' },
      { kind: 'paragraph', text: 'Header: ACME handbook' },
    ])
  })

  it('has its formulas in their sentences, embedded charts and sheets as tables, and the texts of drawings', async () => {
    const object = (name: string) =>
      `<draw:frame><draw:object xlink:href="./${name}"/><draw:image xlink:href="./ObjectReplacements/${name}"/></draw:frame>`
    const math = (content: string) =>
      `<math xmlns="m"><semantics><mrow>${content}</mrow><annotation>E = m cdot c^2</annotation></semantics></math>`
    const bytes = makeOdt(
      `<text:p>Energy is ${object('Object 1')} here.</text:p><text:p>${object('Object 2')}</text:p><text:p>Inline <draw:object>${math('<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>')}</draw:object></text:p><text:p>${object('Object 3')}${object('Object 4')}${object('Missing')}</text:p>`,
      {
        parts: {
          'Object 1/content.xml': math(
            '<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup><mo>+</mo><msqrt><msub><mi>x</mi><mi>k</mi></msub></msqrt>',
          ),
          'Object 2/content.xml': `<office:document-content><chart:chart><chart:title><text:p>Sales</text:p></chart:title><table:table>${row(cell('Year') + cell('Sum'))}${row(cell('2025') + cell('12'))}</table:table></chart:chart></office:document-content>`,
          'Object 3/content.xml': '<math><mi>cut',
          'Object 4/content.xml':
            '<office:document-content><draw:page draw:master-page-name="M"><draw:rect><text:p>Pump</text:p></draw:rect><draw:rect><text:p>Tank</text:p></draw:rect></draw:page></office:document-content>',
        },
      },
    )
    assert.deepEqual(await blocksOf(readOpenDocument(bytes, 'odt')), [
      { kind: 'paragraph', text: 'Energy is E=mc²+√(x_k) here.' },
      { kind: 'paragraph', text: 'Sales' },
      { kind: 'table', header: ['Year', 'Sum'], rows: [['2025', '12']] },
      { kind: 'paragraph', text: 'Inline (a+b)/2' },
      { kind: 'paragraph', text: 'Pump' },
      { kind: 'paragraph', text: 'Tank' },
    ])
  })

  it('repeats merged cells in each of their rows', async () => {
    const covered = (attributes = '') => `<table:covered-table-cell ${attributes}/>`
    const [table] = await read(
      `<table:table>${row(cell('Group') + cell('Place') + cell('Sum'))}
       ${row(cell('East', 'table:number-rows-spanned="3"') + cell('Both', 'table:number-columns-spanned="2" table:number-rows-spanned="2"') + covered())}
       ${row(covered('table:number-columns-repeated="3"'))}
       ${row(covered() + cell('Ulm') + cell('2'))}${row(cell('West') + cell('Wide', 'table:number-columns-spanned="2"') + covered())}
       ${row(covered() + cell('a') + cell('4'))}</table:table>`,
    )
    assert.deepEqual(table?.kind === 'table' && table.rows, [
      ['East', 'Both', ''],
      ['East', 'Ulm', '2'],
      ['West', 'Wide', ''],
      ['', 'a', '4'],
    ])
  })

  it('has formulas with elements of any name and any number of cells', async () => {
    const math = (content: string) => `<text:p><draw:object><math>${content}</math></draw:object></text:p>`
    const strange = ['constructor', 'toString', '__proto__'].map(name => `<${name}><mi>x</mi></${name}>`)
    const wide = `<mtr>${Array.from({ length: 150_000 }, (_, at) => `<mtd>${at}</mtd>`).join('')}</mtr>`
    const blocks = await read(math(strange.join('')) + math(wide))
    const texts = blocks.map(block => block.kind === 'paragraph' && block.text.slice(0, 5))
    assert.deepEqual(texts, ['xxx', '0 1 2'])
  })

  it('has the alternative texts of images, and raised numbers as such', async () => {
    const image = (title: string, desc: string) =>
      `<draw:frame><draw:image/><svg:title>${title}</svg:title><svg:desc>${desc}</svg:desc></draw:frame>`
    const position = (name: string, value: string, more = '') =>
      `<style:style style:name="${name}" style:family="text" ${more}><style:text-properties style:text-position="${value}"/></style:style>`
    const blocks = await read(
      `<text:p>10<text:span text:style-name="Up">6</text:span> m<text:span text:style-name="Up">2</text:span>, H<text:span text:style-name="Down">2</text:span>O, 1<text:span text:style-name="Up">st</text:span> <text:span text:style-name="None">5</text:span> of <text:title>Annual report</text:title>${image('Chart of sales', 'Sales rise.')}${image('', 'C:\\photos\\cat.jpg')}</text:p>
       <table:table>${row(cell('A'))}${row(cell(image('', 'In a cell')))}</table:table>`,
      position('Up', 'super 58%') + position('Down', '-33% 100%') + position('None', '0% 100%'),
    )
    assert.deepEqual(
      blocks.map(block => (block.kind === 'table' ? block.rows.flat() : block.text)),
      ['10⁶ m², H₂O, 1st 5 of Annual report', 'Image: Chart of sales\nSales rise.', ['Image: In a cell']],
    )
  })

  it('keeps the text of nested tables in their cell', async () => {
    const nested = `<table:table-cell><text:p>outer</text:p><table:table>${row(cell('x') + cell('y'))}</table:table></table:table-cell>`
    const blocks = await read(
      `<table:table>${row(cell('A') + cell('B'))}${row(nested + cell('2'))}</table:table>`,
    )
    assert.deepEqual(blocks, [{ kind: 'table', header: ['A', 'B'], rows: [['outer x y', '2']] }])
  })

  it('bounds repeated cells', async () => {
    const repeated = 'table:number-columns-repeated="1000000000"'
    const blocks = await read(
      `<table:table>${row(cell('A', repeated), 'table:number-rows-repeated="1000000000"')}</table:table>`,
    )
    assert.ok(blocks.every(block => block.kind === 'table' && block.rows.length <= 64))
    const many = `<table:table>${row(cell('A', repeated), 'table:number-rows-repeated="1000"')}</table:table>`
    await assertRefused(readOpenDocument(makeOdt(many.repeat(500)), 'odt'), 'too_large')
  })

  it('with a password is detected by its manifest', async () => {
    const manifest =
      '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
    await assertRefused(readOpenDocument(makeOdt('', { manifest }), 'odt'), 'encrypted')
  })

  it('without content is not an OpenDocument file', async () => {
    await assertRefused(
      readOpenDocument(makeZip({ a: 'b' }), 'odt'),
      'broken_file',
      /not an OpenDocument file/,
    )
  })
})

describe('an OpenDocument spreadsheet', () => {
  const sheet = (name: string, rows: string) => `<table:table table:name="${name}">${rows}</table:table>`
  const readSheets = (body: string) => blocksOf(readOpenDocument(makeOdt(body, { kind: 'ods' }), 'ods'))

  it('is read sheet by sheet, with values as displayed', async () => {
    const blocks = await readSheets(
      sheet(
        '表一',
        row(cell('Day') + cell('Sum') + cell('Share')) +
          row(
            cell('29. Feb.', 'office:value-type="date" office:date-value="2024-02-29"') +
              cell('1.234,5', 'office:value-type="float" office:value="1234.5"') +
              cell('12%', 'office:value-type="percentage" office:value="0.12"'),
          ) +
          row(
            '<table:table-cell table:number-columns-repeated="16384"/>',
            'table:number-rows-repeated="1048570"',
          ),
      ) + sheet('Empty', row('<table:table-cell/>')),
    )
    assert.deepEqual(blocks, [
      {
        kind: 'table',
        header: ['Day', 'Sum', 'Share'],
        rows: [['29. Feb.', '1.234,5', '12%']],
        sheet: '表一',
      },
    ])
  })

  it('repeats cells merged over rows, and has comments and text boxes after the cells', async () => {
    const box =
      '<draw:frame><draw:text-box><text:p>Only an </text:p><text:p>estimate</text:p></draw:text-box></draw:frame>'
    const comment =
      '<office:annotation><dc:creator>Li</dc:creator><dc:date>2024-01-01T00:00:00</dc:date><text:p>Checked</text:p><text:p>twice</text:p></office:annotation>'
    const blocks = await readSheets(
      sheet(
        'S',
        `<table:shapes>${box}</table:shapes>` +
          row(cell('Region') + cell('City')) +
          row(
            cell('华东', 'table:number-rows-spanned="3"') +
              `<table:table-cell>${comment}<text:p>上海</text:p></table:table-cell>`,
          ) +
          row(`<table:covered-table-cell/>${cell('杭州')}`) +
          row('<table:covered-table-cell/><table:table-cell/>') +
          row(cell('华南') + cell('深圳')),
      ) + sheet('T', row(cell('other'))),
    )
    assert.deepEqual(blocks, [
      {
        kind: 'table',
        header: ['Region', 'City'],
        rows: [
          ['华东', '上海'],
          ['华东', '杭州'],
        ],
        sheet: 'S',
      },
      { kind: 'table', header: undefined, rows: [['华南', '深圳']], sheet: 'S' },
      { kind: 'paragraph', text: 'Only an', sheet: 'S' },
      { kind: 'paragraph', text: 'estimate', sheet: 'S' },
      { kind: 'paragraph', text: 'Comment B2: Checked\ntwice', sheet: 'S' },
      { kind: 'paragraph', text: 'other', sheet: 'T' },
    ])
  })

  it('has the titles of its charts, whose values are in cells', async () => {
    const chart =
      '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/></draw:frame>'
    const values = `<table:table>${row(cell('1'))}</table:table>`
    const title = (text: string) => `<chart:title><text:p>${text}</text:p></chart:title>`
    const bytes = makeOdt(
      sheet('S', `<table:shapes>${chart.repeat(2)}</table:shapes>${row(cell('1'))}`) +
        sheet('T', row(`<table:table-cell><text:p>2</text:p>${chart.replace('1', '2')}</table:table-cell>`)),
      {
        kind: 'ods',
        parts: {
          'Object 1/content.xml': `<office:document-content><chart:chart>${title('Sales <text:s/>2026')}<chart:plot-area><chart:axis>${title('Month')}</chart:axis></chart:plot-area>${values}</chart:chart></office:document-content>`,
          'Object 2/content.xml': '<office:document-content><chart:chart>',
        },
      },
    )
    assert.deepEqual(await blocksOf(readOpenDocument(bytes, 'ods')), [
      { kind: 'paragraph', text: '1', sheet: 'S' },
      ...['Sales  2026', 'Month', 'Sales  2026', 'Month'].map(text => ({
        kind: 'paragraph',
        text,
        sheet: 'S',
      })),
      { kind: 'paragraph', text: '2', sheet: 'T' },
    ])
  })

  it('bounds repeated content', async () => {
    const repeated = row(
      cell('x', 'table:number-columns-repeated="100000"'),
      'table:number-rows-repeated="100000"',
    )
    const bytes = makeOdt(sheet('S', repeated.repeat(10)), { kind: 'ods' })
    await assertRefused(readOpenDocument(bytes, 'ods'), 'too_large')
    const paragraphs = Array.from({ length: 200_000 }, (_, at) => `<text:p>${at}</text:p>`).join('')
    const boxes = await readSheets(
      sheet('S', `<table:shapes><draw:rect>${paragraphs}</draw:rect></table:shapes>`),
    )
    assert.equal(boxes.length, 10_000)
  })
})

describe('an OpenDocument presentation', () => {
  it('has page numbers, titles as headings, and notes', async () => {
    const frame = (kind: string, text: string) =>
      `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
    const page = (content: string) => `<draw:page draw:master-page-name="M">${content}</draw:page>`
    const body =
      page(
        frame('title', '第一页') +
          frame('outline', 'point') +
          `<presentation:notes>${frame('notes', 'say this')}${frame('page-number', '9')}</presentation:notes>`,
      ) + page(frame('title', 'Second'))
    assert.deepEqual(await blocksOf(readOpenDocument(makeOdt(body, { kind: 'odp' }), 'odp')), [
      { kind: 'heading', level: 2, text: '第一页', page: 1 },
      { kind: 'paragraph', text: 'point', page: 1 },
      { kind: 'paragraph', text: 'Notes: say this', page: 1 },
      { kind: 'heading', level: 2, text: 'Second', page: 2 },
    ])
  })
})
