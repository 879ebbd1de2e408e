import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readHtml } from '../../../src/knowledge/ingest/readers/html/read-html.ts'

const blocks = (html: string) => [...readHtml(html)]
const paragraph = (text: string) => ({ kind: 'paragraph', text })
const heading = (level: number, text: string) => ({ kind: 'heading', level, text })
const menu = (text: string) => [
  { kind: 'heading', level: 1, text: '☰ Menu', apart: true },
  { kind: 'paragraph', text, apart: true },
]
const allText = (html: string) => JSON.stringify(blocks(html))

describe('the structure of a page', () => {
  it('reads headings, paragraphs, items and code', () => {
    const html = `<h2>Big <b>news</b></h2><p>One<br>two &amp; three<p>中文
      换行 and <i>more</i><ul><li>a<li>b<ol start=3><li>c</li><li><p>d</p><p>e</p></ol></ul>
      <pre class="language-js"><code>\nlet a =  1\n  b</code></pre>tail`
    assert.deepEqual(blocks(html), [
      heading(2, 'Big news'),
      paragraph('One\ntwo & three'),
      paragraph('中文换行 and more'),
      paragraph('- a'),
      paragraph('- b'),
      paragraph('3. c'),
      paragraph('4. d'),
      paragraph('e'),
      { kind: 'code', text: 'let a =  1\n  b' },
      paragraph('tail'),
    ])
  })

  it('keeps numbers above and below the line apart from those before them', () => {
    assert.deepEqual(
      blocks(`<p>10<sup>6</sup> m<sup>&minus;2</sup>, CO<SUB>2</SUB> and <b>x<sup><i>2</i></sup></b>
        <p>the 1<sup>st</sup>, x<sup>n&minus;1</sup><p>10<sup>3<p>106<p>in 2020<sup><a href="#n1">1</a></sup>`),
      [
        paragraph('10⁶ m⁻², CO₂ and x²'),
        paragraph('the 1st, xn−1'),
        paragraph('10³'),
        paragraph('106'),
        paragraph('in 2020¹'),
      ],
    )
    // A block inside of it, and a page that never ends it.
    assert.deepEqual(blocks('a<sup>1<div>2</div>3</sup>4<sup>5'), [
      paragraph('a1'),
      paragraph('2'),
      paragraph('³4⁵'),
    ])
  })

  it('reads tables with spans, and tables in their cells', () => {
    const html = `<table><caption>Prices</caption><thead><tr><th>Item<th colspan=2>Price</thead>
      <tr><td rowspan=2>tea<td>1<td>2<tr><td>3<td><table><tr><td>in<td>ner</table></table>`
    assert.deepEqual(blocks(html), [
      paragraph('Prices'),
      {
        kind: 'table',
        header: ['Item', 'Price', 'Price'],
        rows: [
          ['tea', '1', '2'],
          ['tea', '3', 'in ner'],
        ],
      },
    ])
    const plain = (...rows: string[]) =>
      blocks(`<table>${rows.map(row => `<tr><td>${row.replaceAll('|', '<td>')}`).join('')}</table>`).map(
        block => block.kind === 'table' && block.header,
      )
    assert.deepEqual(plain('型号|名称|单价（元）', 'BX-1|离心泵|200.00', 'BX-2|离心泵|320.00'), [
      ['型号', '名称', '单价（元）'],
    ])
    assert.deepEqual(plain('Berlin|Paris|Rome', 'Bonn|Lyon|Milan'), [undefined])
    assert.deepEqual(plain('姓名|张三', '电话|13800000000'), [undefined])
    assert.deepEqual(blocks('<table><tr><td>a<td>b<tr><td>c</table>'), [
      {
        kind: 'table',
        header: undefined,
        rows: [
          ['a', 'b'],
          ['c', ''],
        ],
      },
    ])
  })

  it('reads a layout table as its content', () => {
    const html = '<table><tr><td><p>left</p></td><td><h2>Title</h2><p>text</p></td></tr></table>'
    assert.deepEqual(blocks(html), [paragraph('left'), heading(2, 'Title'), paragraph('text')])
  })

  it('reads formulas as part of their sentences', () => {
    const half = '<mfrac>\n<mn>1</mn>\n<mn>2</mn>\n</mfrac>'
    const cases: [html: string, ...expected: string[]][] = [
      [`<p>Use <math>${half}</math> tablet`, 'Use 1/2 tablet'],
      [`<p>E = <m:math><m:mi>m</m:mi><m:msup><m:mi>c</m:mi><m:mn>2</m:mn></m:msup></m:math>.`, 'E = mc².'],
      [`<p>see <math display="block">${half}</math> where`, 'see\n1/2\nwhere'],
      [
        `<p>a <span class="katex"><math><semantics>${half}<annotation>\\frac12</annotation></semantics></math><span aria-hidden="true"><b>2</b>1</span></span> b`,
        'a 1/2 b',
      ],
      [`<p>a <math hidden>${half}</math> b`, 'a', 'b'],
      [`<p>a <math><msqrt>${half}</p><p>b`, 'a √(1/2)', 'b'],
      [`<p>a <math><annotation-xml><p>gone</p></annotation-xml>${half}</math> b`, 'a 1/2 b'],
      [`<p>a <math><mn>1</b></mi><mo>&lt;</mo>${half}`, 'a 1<1/2'],
      [`${'<p>a <math>'}${'<mrow>'.repeat(1000)}<mn>1</mn>${'</mrow>'.repeat(1000)}</math> b`, 'a 1 b'],
    ]
    for (const [html, ...expected] of cases) assert.deepEqual(blocks(html), expected.map(paragraph), html)
    assert.deepEqual(blocks(`<table><tr><th>Dose<th>Unit<tr><td><math>${half}</math><td>g</table>`), [
      { kind: 'table', header: ['Dose', 'Unit'], rows: [['1/2', 'g']] },
    ])
  })

  it('uses the title of the page if it has no h1', () => {
    assert.deepEqual(blocks('<title>A &amp; B</title><p>x'), [heading(1, 'A & B'), paragraph('x')])
    assert.deepEqual(blocks('<header><h1>Site</h1></header><main><h1>Own</h1><p>x</main>'), [
      heading(1, 'Own'),
      paragraph('x'),
      paragraph('Site'),
    ])
  })

  it('begins with the title of the page if that says more than the h1', () => {
    const own = [heading(1, '请假制度'), paragraph('x')]
    const page = (title: string) => blocks(`<title>${title}</title><h1>请假制度</h1><p>x`)
    assert.deepEqual(page('公司\n规章'), [paragraph('公司 规章'), ...own])
    assert.deepEqual(page('请假制度 - 公司规章'), [paragraph('请假制度 - 公司规章'), ...own])
    for (const title of ['请假制度', ' 请假！', '']) assert.deepEqual(page(title), own)
  })

  it('reads the labels of drawings', () => {
    const label = '<g><text>Sales</text><text><tspan>2</tspan>024</text></g>'
    const unseen = '<title>no</title><defs><text>no</text></defs><style>no</style><path d="M0"/>'
    const nested = '<foreignObject><div>Approve</div></foreignObject>'
    assert.deepEqual(
      blocks(`<p>A</p><svg>${unseen}${label}${nested}</svg><p>B</p>`),
      ['A', 'Sales 2024', 'Approve', 'B'].map(paragraph),
    )
  })

  it('reads XHTML with self-closing elements', () => {
    const html =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a"/></head><body><p>text<a id="x"/></p></body></html>'
    assert.deepEqual(blocks(html), [paragraph('text')])
  })
})

describe('the main text of a page', () => {
  it('comes before menus and controls, without scripts and hidden elements', () => {
    const html = `<header><h1>Site</h1></header><nav><a>Menu</a></nav><script>script("<p>")</script><style>css</style>
      <article><header><h1>Story</h1></header><p>Text <span hidden>gone<span>gone</span>gone</span>here</p>
      <p style="display: none">gone</p><div aria-hidden="true">Icon</div><template><p>gone</p></template>
      <svg><title>gone</title><path/></svg><button>Buy</button><select><option>One</select><aside>A note</aside></article>
      <noscript>No scripts</noscript><footer><a>Imprint</a></footer>`
    const expected = [heading(1, 'Story'), paragraph('Text here'), paragraph('Site'), paragraph('A note')]
    assert.deepEqual(blocks(html), [...expected, ...menu('Menu · Icon · Buy · One · No scripts · Imprint')])
  })

  it('is followed by menus below the names of their landmarks', () => {
    const links = (...names: string[]) =>
      `<ul>${names.map(name => `<li><a href=x>${name}</a>`).join('')}</ul>`
    const html = `<nav aria-label="Main">${links('Home', 'News')}</nav><p>Text</p><nav aria-label="Legal">${links('Imprint')}</nav>`
    assert.deepEqual(blocks(html), [
      paragraph('Text'),
      { ...heading(1, '☰ Menu'), apart: true },
      { ...heading(2, 'Main'), apart: true },
      { ...paragraph('Home · News'), apart: true },
      { ...heading(2, 'Legal'), apart: true },
      { ...paragraph('Imprint'), apart: true },
    ])
  })

  it('puts the main element first if it has enough text, and links around it last', () => {
    const page = `<p>around</p><p><a>link</a></p><main><p>${'content '.repeat(20)}</p></main>`
    assert.match(
      allText(page),
      /"content [^"]*"},\{"kind":"paragraph","text":"around"\},\{[^}]*☰ Menu[^}]*\},\{[^}]*"link"/,
    )
    assert.match(allText(`<main></main><div><p>${'content '.repeat(20)}</p></div>`), /content/)
    assert.match(allText(`<article>x</article><div><p>${'content '.repeat(20)}</p></div>`), /content/)
  })

  it('does not contain a list of links that is named like a menu, but other text with such a name', () => {
    const links = '<div class="left-menu"><ul><li><a href=a>Home</a><li><a href=b>News</a></ul></div>'
    assert.deepEqual(blocks(`${links}<p>Text</p>`), [paragraph('Text'), ...menu('Home · News')])
    assert.match(
      allText('<div class="menu"><p>Roast duck with rice</p></div><p>Open daily</p>'),
      /Roast duck/,
    )
  })

  it('reads a page that consists of chrome only', () => {
    assert.deepEqual(blocks('<nav><p>All there is'), [paragraph('All there is')])
  })
})

describe('hostile pages', () => {
  it('survives a million open tags and keeps the text', () => {
    const html = `${'<div>'.repeat(300_000)}deep${'</div>'.repeat(300_000)}<p>after`
    assert.deepEqual(blocks(html), [paragraph('deep'), paragraph('after')])
    for (const tag of [
      '<b>',
      '<table><tr><td>',
      '<ul><li>',
      '<p>',
      '<div hidden>',
      '</div>',
      '<!--',
      '<a href="',
    ])
      assert.ok(Array.isArray(blocks(tag.repeat(50_000))))
  })

  it('does not let spans multiply', () => {
    const row = `<tr>${'<td colspan=100000 rowspan=100000>x</td>'.repeat(30)}</tr>`
    const cells = blocks(`<table>${row.repeat(20)}</table>`).flatMap(block =>
      block.kind === 'table' ? block.rows.flat() : [],
    )
    assert.ok(cells.length <= 20 * 1100 * 2)
  })

  it('omits hidden elements below the maximum depth', () => {
    assert.doesNotMatch(
      allText(`${'<div>'.repeat(2000)}<script>secret()</script><p hidden>secret</p>`),
      /secret/,
    )
  })

  it('accepts any text', () => {
    const piece = fc.constantFrom(
      ...[
        '<div>',
        '</div>',
        '<p>',
        '</p>',
        '<table>',
        '</table>',
        '<tr>',
        '<td>',
        '<th>',
        '</td>',
        '<ul>',
        '<li>',
        '</ul>',
      ],
      ...[
        '<h1>',
        '</h1>',
        '<pre>',
        '</pre>',
        '<nav>',
        '</nav>',
        '<main>',
        '<b hidden>',
        '</b>',
        '<br>',
        '<title>',
        '</title>',
      ],
      ...[
        '<script>',
        '</script>',
        '<a>',
        '</a>',
        '&amp;',
        '&',
        '<',
        '>',
        '"',
        "'",
        '<!--',
        '-->',
        ' ',
        '\n',
        'x',
        '中',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
        for (const block of blocks(pieces.join(''))) assert.ok(block.kind)
      }),
      { numRuns: 300 },
    )
  })
})
