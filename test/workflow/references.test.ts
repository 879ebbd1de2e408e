import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { DottedNames, findReferences, resolveReference } from '../../src/workflow/references.ts'

const paths = (text: string) => findReferences(text).map(({ path }) => path)

test('finds references with their positions', () => {
  const text = '问{{#sys.query#}}, {{#a.result.items.0.title#}}!'
  const references = findReferences(text)
  assert.deepEqual(
    references.map(({ path }) => path),
    [
      ['sys', 'query'],
      ['a', 'result', 'items', '0', 'title'],
    ],
  )
  for (const { text: written, start, end, malformed } of references) {
    assert.equal(text.slice(start, end), written)
    assert.ok(written.startsWith('{{#') && written.endsWith('#}}') && !malformed)
  }
})

test('trims blanks around the path and keeps blanks within an id', () =>
  assert.deepEqual(paths('{{# \n my node.text\t#}}'), [['my node', 'text']]))

test('reports a reference without a dot or with an empty part as malformed', () => {
  for (const inner of ['', ' ', 'a', '.', 'a.', '.a', 'a..b', 'a. .b']) {
    const [reference] = findReferences(`{{#${inner}#}}`)
    assert.equal(reference?.malformed, true, inner)
  }
})

test('ignores text that only resembles a reference', () => {
  for (const text of ['', '{{#', '#}}', '{{#a.b', '{{a.b}}', '{#a.b#}', '{{#}}', '#}}{{#']) {
    assert.deepEqual(findReferences(text), [], text)
  }
})

test('finds a reference after an opening that is never closed', () => {
  assert.deepEqual(paths('{{#if x}}{{#a.b#}}{{/if}}'), [['a', 'b']])
  assert.deepEqual(paths('{{{#a.b#}}}'), [['a', 'b']])
  assert.deepEqual(paths('{{#a.b#}}#}}{{#c.d#}}'), [
    ['a', 'b'],
    ['c', 'd'],
  ])
})

test('scans a hundred thousand references or unclosed openings in one pass', () => {
  assert.equal(findReferences('{{#a.b#}}'.repeat(100_000)).length, 100_000)
  assert.equal(findReferences('{{#'.repeat(1_000_000)).length, 0)
  assert.equal(findReferences(`${'{{#'.repeat(1_000_000)}#}}`).length, 1)
  assert.equal(findReferences(`{{#${'.'.repeat(1_000_000)}#}}`)[0]?.malformed, true)
})

const resolve = (inner: string, ids: string[]) =>
  resolveReference(findReferences(`{{#${inner}#}}`)[0]!, new DottedNames(ids))

test('resolves to the longest matching node id', () => {
  const ids = ['a', 'a.b', 'a.b.c.d', '节点.一', 'a-b', 'text']
  assert.deepEqual(resolve('a.text', ids), { from: 'node', nodeId: 'a', rest: 'text' })
  assert.deepEqual(resolve('a.b', ids), { from: 'node', nodeId: 'a', rest: 'b' })
  assert.deepEqual(resolve('a.b.text', ids), { from: 'node', nodeId: 'a.b', rest: 'text' })
  assert.deepEqual(resolve('a.b.c.e', ids), { from: 'node', nodeId: 'a.b', rest: 'c.e' })
  assert.deepEqual(resolve('节点.一.result', ids), { from: 'node', nodeId: '节点.一', rest: 'result' })
  assert.deepEqual(resolve('节点.二', ids), { from: 'nowhere' })
  assert.deepEqual(resolve('ab.text', ids), { from: 'nowhere' })
})

test('reserves sys and memory', () => {
  assert.deepEqual(resolve('sys.query', ['sys', 'sys.query']), { from: 'sys', name: 'query' })
  assert.deepEqual(resolve('memory.name.first', ['memory']), { from: 'memory', name: 'name' })
})

test('accepts dots in output names', () => {
  const outputs = new DottedNames(['size', 'size.cup', 'text'])
  assert.equal(outputs.longestStartOf('size.cup.0.'), 'size.cup')
  assert.equal(outputs.longestStartOf('size.0.'), 'size')
  assert.equal(outputs.longestStartOf('sizes.'), undefined)
})

test('resolves dotted names like an exhaustive search', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', '一', 'a-', '😀', ' '), { minLength: 1, maxLength: 4 })
    .map(p => p.join('.'))
  fc.assert(
    fc.property(fc.array(name), name, (names, path) => {
      const fitting = names.filter(candidate => path.startsWith(`${candidate}.`))
      const longest = fitting.sort((one, other) => other.length - one.length)[0]
      assert.equal(new DottedNames(names).longestStartOf(path), longest)
    }),
    { numRuns: 2000 },
  )
})
