import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readMarkdown } from '../../../src/knowledge/ingest/readers/markdown/read-markdown.ts'

const blocks = (text: string) => [...readMarkdown(text)]
const paragraph = (text: string) => ({ kind: 'paragraph', text })
const heading = (level: number, text: string) => ({ kind: 'heading', level, text })
const inline = (text: string) => blocks(text).map(block => (block.kind === 'table' ? '' : block.text))[0]

describe('blocks of Markdown', () => {
  it('reads ATX and setext headings', () => {
    assert.deepEqual(blocks('# One #\n\nTwo\n===\nText\n\nThree\n---\n###### Six\n#no\n##中文'), [
      heading(1, 'One'),
      heading(1, 'Two'),
      paragraph('Text'),
      heading(2, 'Three'),
      heading(6, 'Six'),
      paragraph('#no'),
      heading(2, '中文'),
    ])
  })

  it('keeps code unchanged', () => {
    assert.deepEqual(
      blocks(
        '```ts title="a"\nconst a = `*b*`\n\n# c\n```\n~~~\n```\n~~~\n\n    indented\n      more\n\ntext',
      ),
      [
        { kind: 'code', text: 'const a = `*b*`\n\n# c' },
        { kind: 'code', text: '```' },
        { kind: 'code', text: 'indented\n  more' },
        paragraph('text'),
      ],
    )
  })

  it('reads tables with their header', () => {
    assert.deepEqual(blocks('| a | b \\| c |\n|:--|--:|\n| `1` | **2** |\n| 3 |\n\nnot | a table'), [
      {
        kind: 'table',
        header: ['a', 'b | c'],
        rows: [
          ['1', '2'],
          ['3', ''],
        ],
      },
      paragraph('not | a table'),
    ])
  })

  it('creates one block per list item, nested ones included', () => {
    assert.deepEqual(
      blocks('* one\n  goes on\n* two\n    1. inner\n\n       its text\n\n+ [x] done\n\nafter'),
      [
        paragraph('- one goes on'),
        paragraph('- two'),
        paragraph('1. inner'),
        paragraph('its text'),
        paragraph('- [x] done'),
        paragraph('after'),
      ],
    )
    assert.deepEqual(blocks('It was in\n1986. A great year'), [paragraph('It was in 1986. A great year')])
  })

  it('reads quotes, and code in them', () => {
    assert.deepEqual(blocks('> quoted\n> text\n>\n> ```\n> code\n> ```\nafter'), [
      paragraph('quoted text'),
      { kind: 'code', text: 'code' },
      paragraph('after'),
    ])
  })

  it('uses the title of the front matter if there is no top heading', () => {
    const front = '---\ntitle: "Guide: part 1"\ntags: [a]\n---\n'
    assert.deepEqual(blocks(`${front}\nText`), [heading(1, 'Guide: part 1'), paragraph('Text')])
    assert.deepEqual(blocks(`${front}\n# Own\n`), [heading(1, 'Own')])
    assert.deepEqual(blocks(`${front}\n\`\`\`\n# comment\n\`\`\`\n`)[0], heading(1, 'Guide: part 1'))
    assert.deepEqual(blocks('---\njust text\n---\n').at(-1), heading(2, 'just text'))
  })

  it('drops comments but keeps the text around them', () => {
    assert.deepEqual(blocks('a <!-- b --> c\n\n<!-- x\n# no\n\n--> after\n\n<!-- never closed'), [
      paragraph('a  c'),
      paragraph('after'),
      paragraph('<!-- never closed'),
    ])
  })

  it('passes HTML blocks to the HTML reader', () => {
    const html =
      '<h1 align="center">Name</h1>\n<table><tr><th>k</th><th>v</th></tr>\n<tr><td>a</td><td>1</td></tr></table>\n\n*text*'
    assert.deepEqual(blocks(`${html}\n\n<style>\np {}\n\nq {}\n</style>\nend`), [
      heading(1, 'Name'),
      { kind: 'table', header: ['k', 'v'], rows: [['a', '1']] },
      paragraph('text'),
      paragraph('end'),
    ])
  })
})

describe('text in Markdown', () => {
  it('reduces links, images and emphasis to their text', () => {
    assert.equal(inline('**bold** _it_ ~~old~~ ***both***'), 'bold it old both')
    assert.equal(inline('[text](http://a.b/c_(d) "title"), ![alt](x.png), [![pic](a)](b)'), 'text, alt, pic')
    assert.equal(inline('<https://a.b> <me@a.b> <b>bold</b><br>next'), 'https://a.b me@a.b bold\nnext')
    assert.equal(inline('**“引号”**后面和*强调*文字'), '“引号”后面和强调文字')
    assert.equal(inline('&lt;a&gt; &#20013; \\*not\\* `code *x*` ``a`b``'), '<a> 中 *not* code *x* a`b')
  })

  it('keeps numbers above and below the line apart from those before them', () => {
    assert.deepEqual(
      blocks('10<sup>6</sup> of H<sub>2</sub>O, the 1<sup>st</sup>, x<sup>*n*</sup> and <sup>4'),
      [paragraph('10⁶ of H₂O, the 1st, xn and 4')],
    )
  })

  it('keeps characters that only look like markup', () => {
    for (const text of [
      'snake_case_name and __init',
      '2 * 3 * 4',
      'a[0][1]',
      'Array<T>',
      'a ~ b',
      '5 < 6 & 7',
      '`open',
    ])
      assert.equal(inline(text), text)
  })

  it('resolves references that have a definition', () => {
    assert.equal(
      inline('See [the docs][d], [D] and [none][x].\n\n[d]: http://a.b'),
      'See the docs, D and [none][x].',
    )
  })

  it('joins lines with a space, except between Chinese characters', () => {
    assert.equal(inline('one\ntwo  \nthree\\\nfour'), 'one two\nthree\nfour')
    assert.equal(inline('中文一行\n中文二行\nand'), '中文一行中文二行 and')
  })
})

it('accepts any text, also one of markup only', () => {
  const marks = fc.constantFrom(
    ...'[]()*_`~|<>!-=#&\\:"\n\t ',
    '<!--',
    '-->',
    '```',
    '<div>',
    '</div>',
    '---\n',
    'a',
    '中',
  )
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 80 }), pieces => {
      for (const block of blocks(pieces.join(''))) assert.ok(block.kind)
    }),
    { numRuns: 300 },
  )
  for (const mark of ['[', '*a', '`', '|', '> ', '<div>\n', '<!--', '- ', '![a]('])
    assert.ok(Array.isArray(blocks(mark.repeat(20_000))))
})
