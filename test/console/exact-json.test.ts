import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseExact } from '../../console/src/api/exact-json.ts'
import { copyText, pasteEdit } from '../../console/src/editor/model/clipboard.ts'
import { diffGraphs } from '../../console/src/editor/model/diff-graphs.ts'
import { mergeGraphs } from '../../console/src/editor/model/merge-graphs.ts'
import { sameJson } from '../../console/src/editor/model/same-json.ts'

const again = (text: string): string => JSON.stringify(parseExact(text))

describe('JSON with numbers that would lose digits', () => {
  it('is written as it was read', () => {
    for (const number of ['12345678901234567890', '1e400', '-1E-400', '0.1234567890123456789', '-0'])
      assert.equal(again(`{"a":[${number},{"b":${number}}]}`), `{"a":[${number},{"b":${number}}]}`)
    const long = `1${'0'.repeat(1_000_000)}1`
    assert.equal(again(long), long)
  })

  it('keeps numbers that round-trip to the same value', () => {
    for (const number of ['0', '7', '-2.50', '1.0', '1E3', '1e+21', '0.10', '5e-324', '9007199254740992'])
      assert.equal(parseExact(number), JSON.parse(number), number)
  })

  it('equals JSON.parse for everything that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value)
        assert.deepEqual(parseExact(text), JSON.parse(text))
      }),
    )
  })

  it('never changes the value of a number', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})(\.\d{1,25})?(e-?\d{1,3})?$/)
    fc.assert(
      fc.property(digits, text => {
        const read = parseExact(text)
        // Numbers are compared by their exact digits, as text.
        if (JSON.isRawJSON?.(read)) assert.equal(JSON.stringify(read), text)
        else assert.equal(sameDecimal(text, JSON.stringify(read)), true, text)
      }),
    )
  })
})

/** By integers of any size. */
function sameDecimal(one: string, other: string): boolean {
  const scaled = (text: string): bigint => {
    const [mantissa = '', exponent = '0'] = text.split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    return BigInt(whole + fraction) * 10n ** BigInt(2000 + Number(exponent) - fraction.length)
  }
  return scaled(one) === scaled(other)
}

describe('A graph with numbers that would lose digits', () => {
  const graph = (big: string, title = 'A') =>
    parseExact(
      `{"nodes":[{"id":"a","type":"base","data":{"type":"x","title":"${title}","big":${big}}}],"edges":[]}`,
    ) as Parameters<typeof mergeGraphs>[0]

  it('is compared exactly', () => {
    assert.ok(sameJson(graph('1e400'), graph('1e400')))
    assert.ok(!sameJson(graph('1e400'), graph('1e401')))
    assert.ok(!sameJson(parseExact('1e400'), { rawJSON: '1e400' }))
    const [node] = diffGraphs(graph('1e400'), graph('1e401')).nodes
    assert.deepEqual(
      node?.fields.map(({ path }) => path),
      [['data', 'big']],
    )
  })

  it('is copied and pasted exactly, also if references follow a new id', () => {
    const drawing = { graph: graph('1e400', '{{#a.text#}}'), positions: {} }
    const pasted = pasteEdit(drawing, copyText(drawing, ['a']), { x: 0, y: 0 }, parseExact)
    assert.match(JSON.stringify(pasted), /"title":"\{\{#(?!a\.)[^#]+#\}\}","big":1e400/)
  })

  it('is merged exactly', () => {
    const merged = mergeGraphs(graph('1e400'), graph('1e400', 'B'), graph('1e401'))
    assert.deepEqual(merged.conflicts, [])
    assert.equal(JSON.stringify(merged.graph), JSON.stringify(graph('1e401', 'B')))
  })
})
