import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readCsv } from '../../../src/knowledge/ingest/readers/data/read-csv.ts'

const tables = (text: string, preferred?: ',' | '\t') =>
  [...readCsv(text, preferred)].map(block => (block.kind === 'table' ? block : assert.fail(block.kind)))
const table = (text: string) => {
  const [first] = tables(text)
  return first && { header: first.header, rows: first.rows }
}

describe('delimited text', () => {
  it('reads quoted fields, escaped quotes and line breaks in them', () => {
    assert.deepEqual(table('\ufeffname,note\r\ntea,"green, ""fine""\r\nleaves"\r\nrice,"x" y\r\n'), {
      header: ['name', 'note'],
      rows: [
        ['tea', 'green, "fine"\r\nleaves'],
        ['rice', 'x y'],
      ],
    })
  })

  it('detects the delimiter', () => {
    const rows = [['1,5', '2,5']]
    assert.deepEqual(table('price;weight\n1,5;2,5\n'), { header: ['price', 'weight'], rows })
    assert.deepEqual(table('price|weight\n1,5|2,5\n')?.rows, rows)
    assert.deepEqual(table('price\tweight\n1,5\t2,5\n')?.rows, rows)
    assert.deepEqual(table('sep=;\nprice;weight\n1,5;2,5')?.rows, rows)
    assert.deepEqual(tables('a b\nc d', '\t')[0]?.rows, [['a b'], ['c d']])
  })

  it('distinguishes a header from data', () => {
    assert.deepEqual(table('产品,数字\n茶壶,42\n')?.header, ['产品', '数字'])
    assert.deepEqual(table('姓名,城市\n张三,北京\n')?.header, ['姓名', '城市'])
    assert.deepEqual(table('user_id,created_at\nx,y')?.header, ['user_id', 'created_at'])
    assert.equal(table('1,2\n3,4')?.header, undefined)
    assert.equal(table('张三,北京\n李四,上海')?.header, undefined)
    assert.equal(table('a,a\n1,2')?.header, undefined, 'the same name twice')
    assert.equal(table('a,\n1,2,3')?.rows.length, 1)
  })

  it('pads short rows and skips empty ones', () => {
    assert.deepEqual(table('a,b,c\n1\n\n,,\n1,2,3,4'), {
      header: ['a', 'b', 'c', ''],
      rows: [
        ['1', '', '', ''],
        ['1', '2', '3', '4'],
      ],
    })
  })

  it('splits long tables into blocks that each have the header', () => {
    const parts = tables(`id,name\n${Array.from({ length: 1201 }, (_, id) => `${id},n${id}`).join('\n')}`)
    assert.deepEqual(
      parts.map(part => [part.header, part.rows.length]),
      [
        [['id', 'name'], 500],
        [['id', 'name'], 500],
        [['id', 'name'], 201],
      ],
    )
  })

  it('does not let an unclosed quote swallow the table', () => {
    assert.deepEqual(table('id,size\n1,"5 inch\n2,6\n3,"7, 8"\n')?.rows.at(-1), ['3', '7, 8'])
  })

  it('yields nothing for empty input', () => {
    assert.deepEqual(tables(''), [])
    assert.deepEqual(tables('\n\r\n,,,\n'), [])
  })

  it('does not pad rows to a hostile header', () => {
    const parts = tables(`${'a,'.repeat(16_000)}\n${'x\n'.repeat(2000)}`)
    assert.ok(parts.every(part => part.rows.slice(1).every(row => row.length === 1)))
  })

  it('continues a row with more cells than any spreadsheet has', () => {
    const cells = Array.from({ length: 40_000 }, (_, at) => `${at}`)
    const rows = tables(cells.join()).flatMap(part => part.rows)
    assert.deepEqual(
      rows.map(row => row.length),
      [16_384, 16_384, 7232],
    )
    assert.deepEqual(rows.flat(), cells)
  })

  it('round-trips the cells of any table', () => {
    const cell = fc
      .string({ unit: fc.constantFrom(...'ab,;|"\n\t 中1'), maxLength: 8 })
      .map(text => `x${text}x`)
    const rows = fc
      .integer({ min: 2, max: 4 })
      .chain(width =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
      )
    fc.assert(
      fc.property(rows, expected => {
        const quoted = expected
          .map(row => row.map(text => `"${text.replaceAll('"', '""')}"`).join(','))
          .join('\r\n')
        const found = tables(quoted).flatMap(part => [...(part.header ? [part.header] : []), ...part.rows])
        assert.deepEqual(found, expected)
      }),
    )
  })

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'",;|\t\r\na1'), maxLength: 200 }), text => {
        assert.ok(Array.isArray(tables(text)))
      }),
    )
    for (const piece of ['"', '",', '"a""', '|', ',', '"\n'])
      assert.ok(Array.isArray(tables(piece.repeat(50_000))))
  })
})
