import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readPptx } from '../../../src/knowledge/ingest/readers/office/read-pptx.ts'
import { makePptx } from '../../support/documents/make-pptx.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { assertRefused, blocksOf, textOf } from '../../support/documents/read-blocks.ts'

const shape = (type: string, text: string) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`

const withSlide = (content: string): Uint8Array =>
  makeZip({
    'ppt/presentation.xml':
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="a"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels':
      '<Relationships><Relationship Id="a" Type="http://x/slide" Target="slides/slide1.xml"/></Relationships>',
    'ppt/slides/slide1.xml': `<p:sld>${content}</p:sld>`,
  })

describe('a presentation', () => {
  it('has the text of placeholders that are called like members of objects', async () => {
    assert.equal(await textOf(readPptx(withSlide(shape('constructor', 'kept')))), 'Slide 1\nkept')
  })

  it('repeats merged cells in each of their rows', async () => {
    const cell = (text: string, attributes = '') =>
      `<a:tc ${attributes}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`
    const rows = [
      cell('Group') + cell('Place'),
      cell('East', 'rowSpan="2"') + cell('Ulm'),
      cell('', 'vMerge="1"') + cell('Bonn'),
      cell('West', 'gridSpan="2"') + cell('', 'hMerge="1"'),
    ]
    const table = `<a:tbl>${rows.map(row => `<a:tr>${row}</a:tr>`).join('')}</a:tbl>`
    const [, read] = await blocksOf(readPptx(withSlide(table)))
    assert.deepEqual(read?.kind === 'table' && read.rows, [
      ['East', 'Ulm'],
      ['East', 'Bonn'],
      ['West', ''],
    ])
  })

  it('has formulas on one line', async () => {
    const run = (text: string) => `<m:r><a:rPr/><m:t>${text}</m:t></m:r>`
    const formula = `<a14:m><m:oMathPara><m:oMath><m:f><m:num>${run('3')}</m:num><m:den>${run('4')}</m:den></m:f></m:oMath></m:oMathPara></a14:m>`
    const slide = `<p:sp><p:txBody><a:p><a:r><a:t>Take </a:t></a:r>${formula}<a:r><a:t> of it</a:t></a:r></a:p></p:txBody></p:sp>`
    assert.equal(await textOf(readPptx(withSlide(slide))), 'Slide 1\nTake 3/4 of it')
  })

  it('is read slide by slide: title, text, table, notes', async () => {
    const bytes = await makePptx([
      { title: '产品介绍', texts: ['First point', '第二点'], notes: 'Speak slowly' },
      { texts: ['No title here'] },
      {
        title: 'Numbers',
        table: [
          ['Year', 'Sum'],
          ['2024', '10'],
          ['2025', '12'],
        ],
      },
    ])
    assert.deepEqual(await blocksOf(readPptx(bytes)), [
      { kind: 'heading', level: 2, text: '产品介绍', page: 1 },
      { kind: 'paragraph', text: 'First point', page: 1 },
      { kind: 'paragraph', text: '第二点', page: 1 },
      { kind: 'paragraph', text: 'Notes: Speak slowly', page: 1 },
      { kind: 'heading', level: 2, text: 'Slide 2', page: 2 },
      { kind: 'paragraph', text: 'No title here', page: 2 },
      { kind: 'heading', level: 2, text: 'Numbers', page: 3 },
      {
        kind: 'table',
        header: ['Year', 'Sum'],
        rows: [
          ['2024', '10'],
          ['2025', '12'],
        ],
        page: 3,
      },
    ])
  })

  it('follows the presentation order and has what repeats on every slide once', async () => {
    const bytes = makeZip({
      'ppt/presentation.xml':
        '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="b"/><p:sldId id="257" r:id="a"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels':
        '<Relationships><Relationship Id="a" Type="http://x/slide" Target="slides/slide1.xml"/><Relationship Id="b" Type="http://x/slide" Target="slides/slide2.xml"/></Relationships>',
      'ppt/slides/slide1.xml': `<p:sld>${shape('title', 'second')}${shape('sldNum', '2')}${shape('ftr', 'footer')}</p:sld>`,
      'ppt/slides/slide2.xml': `<p:sld>${shape('body', 'text')}${shape('title', 'first')}${shape('ftr', 'footer')}${shape('sldNum', '1')}</p:sld>`,
    })
    assert.equal(await textOf(readPptx(bytes)), 'first\ntext\nsecond\nFooter: footer')
  })

  it('has the alternative texts of images, and raised numbers as such', async () => {
    const bytes = makeZip({
      'ppt/presentation.xml':
        '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="a"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels':
        '<Relationships><Relationship Id="a" Type="http://x/slide" Target="slides/slide1.xml"/></Relationships>',
      'ppt/slides/slide1.xml':
        '<p:sld><p:pic><p:nvPicPr><p:cNvPr id="2" name="Picture 1" descr="Map of the plant"/></p:nvPicPr></p:pic><p:sp><p:txBody><a:p><a:r><a:t>CO</a:t></a:r><a:r><a:rPr baseline="-25000"/><a:t>2</a:t></a:r><a:r><a:t> 1</a:t></a:r></a:p></p:txBody></p:sp></p:sld>',
    })
    assert.equal(await textOf(readPptx(bytes)), 'Slide 1\nImage: Map of the plant\nCO₂ 1')
  })

  it('has automatic numbers, charts and comments', async () => {
    const item = (level: number, number: string, text: string) =>
      `<a:p><a:pPr lvl="${level}"><a:buAutoNum ${number}/></a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`
    const roman = 'type="romanUcPeriod" startAt="3"'
    const letter = 'type="alphaLcParenBoth"'
    const point = (value: string) => `<c:pt idx="0"><c:v>${value}</c:v></c:pt>`
    const relation = (type: string, target: string) =>
      `<Relationship Id="${type}" Type="http://x/${type}" Target="${target}.xml"/>`
    const bytes = makeZip({
      'ppt/presentation.xml':
        '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="slide"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': `<Relationships>${relation('slide', 's')}${relation('commentAuthors', 'authors')}</Relationships>`,
      'ppt/s.xml': `<p:sld><p:grpSp><p:sp><p:txBody>${item(0, roman, 'a')}${item(1, letter, 'b')}${item(1, letter, 'c')}${item(0, roman, 'd')}${item(1, letter, 'e')}</p:txBody></p:sp></p:grpSp></p:sld>`,
      'ppt/_rels/s.xml.rels': `<Relationships>${relation('chart', 'c')}${relation('comments', 'k')}</Relationships>`,
      'ppt/c.xml': `<c:ser><c:tx>${point('Sales')}</c:tx><c:cat>${point('East')}</c:cat><c:val>${point('12')}</c:val></c:ser>`,
      'ppt/authors.xml': '<p:cmAuthor id="0" name="Ann"/>',
      'ppt/k.xml': '<p:cm authorId="0"><p:text>Check this</p:text></p:cm>',
    })
    assert.equal(
      await textOf(readPptx(bytes)),
      'Slide 1\nIII. a\n(a) b\n(b) c\nIV. d\n(a) e\n\tSales\nEast\t12\nComment by Ann: Check this',
    )
  })

  it('without a main part is not a presentation', async () => {
    await assertRefused(readPptx(makeZip({ a: 'b' })), 'broken_file', /not a PowerPoint presentation/)
  })
})
