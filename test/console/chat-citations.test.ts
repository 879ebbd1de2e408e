import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { originOf } from '../../console/src/pages/agents/chat/reply-origin.ts'
import { hasMarks, markCitations, splitAtMarks } from '../../console/src/ui/markdown/citation-marks.ts'
import { citationsFor } from '../../console/src/ui/markdown/citations.ts'

const known = new Set([1, 2])
const passage = (index: number, content: string) => ({
  ...{ index, content, knowledge_id: 'kb_1', file_id: 'file_1' },
  ...{ file_name: 'a.md', chunk_id: 'chunk_1' },
})

test('marks of known passages are split off, in both kinds of brackets', () => {
  assert.deepEqual(splitAtMarks('So it is [1], 【2】 and [1, 2].', known), [
    { text: 'So it is ' },
    { indexes: [1] },
    { text: ', ' },
    { indexes: [2] },
    { text: ' and ' },
    { indexes: [1, 2] },
    { text: '.' },
  ])
})

test('numbers without a passage stay text', () => {
  assert.deepEqual(splitAtMarks('list[7] and [x]', known), [{ text: 'list[7] and [x]' }])
  assert.equal(hasMarks('nothing [here]'), false)
})

test('no text is lost around the marks', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('[1]', '【2】', '[9]', 'word', ' ', '[')), parts => {
      const rest = splitAtMarks(parts.join(''), known).map(part => ('text' in part ? part.text : ''))
      assert.equal(rest.join(''), parts.join('').replaceAll(/\[1\]|【2】/g, ''))
    }),
  )
})

test('marks in code and links are ignored', () => {
  const text = (value: string) => ({ type: 'text' as const, value })
  const element = (tagName: string) => ({
    ...{ type: 'element' as const, tagName, properties: {} },
    children: [text('a [1]')],
  })
  const plugin = markCitations(known)()
  const tree = plugin({ type: 'root', children: [element('p'), element('code'), element('a')] })
  assert.deepEqual(
    tree.children.map(child => (child.type === 'element' ? child.children.length : 0)),
    [2, 1, 1],
  )
})

test('a reply is explained by the node that wrote it, else by the last node with citations', () => {
  const first = { outputs: { text: 'One [1]', citations: [passage(1, 'first')] } }
  const second = { outputs: { text: 'Two [1]', citations: [passage(1, 'second')] } }
  const nodes = [{ outputs: null }, first, second, { outputs: { text: 'no passages' } }]
  assert.equal(citationsFor('One [1]', nodes)[0]?.content, 'first')
  assert.equal(citationsFor('Something else [1]', nodes)[0]?.content, 'second')
  assert.deepEqual(citationsFor('One [1]', [{ outputs: { citations: ['odd', null] } }]), [])
})

test('outputs with the same names that are no passages are ignored', () => {
  const odd = [
    { ...passage(1, 'a'), file_name: { odd: true } },
    { ...passage(2, 'b'), chunk_id: 7 },
    { ...passage(3, 'c'), index: 1.5 },
    { ...passage(4, 'd'), score: '0.9', heading: ['odd'] },
  ]
  assert.deepEqual(citationsFor('[1]', [{ outputs: { citations: odd } }]), [passage(4, 'd')])
})

test('passages of a search count if no model cited', () => {
  const searched = { outputs: { result: '[1] x', items: [passage(1, 'found')] } }
  assert.equal(citationsFor('[1] x', [searched])[0]?.content, 'found')
})

test('the reasoning is that of the node which wrote the reply', () => {
  const nodes = [
    { outputs: { text: 'One', reasoning: 'first' } },
    { outputs: null },
    { outputs: { text: 'Two', reasoning: 7 } },
  ]
  assert.equal(originOf('One\n\n(cut off)', nodes).reasoning?.text, 'first')
  assert.equal(originOf('Two', nodes).reasoning, undefined)
  assert.equal(originOf('Three', nodes).reasoning, undefined)
})
