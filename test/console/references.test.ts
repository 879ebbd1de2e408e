import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { makeEdge } from '../../console/src/editor/model/graph.ts'
import { completions } from '../../console/src/editor/model/references.ts'
import { insertReference, referenceAt } from '../../console/src/ui/text-editor/typed-reference.ts'
import { graphOf, node } from './drawings.ts'

/** The text with `|` at the caret. */
const at = (marked: string) => {
  const caret = marked.indexOf('|')
  const text = marked.replace('|', '')
  return { text, caret, reference: referenceAt(text, caret) }
}

describe('the reference at the caret', () => {
  test('is the text after its opening', () => {
    assert.deepEqual(at('Say {{#llm_1.te|').reference, { start: 4, typed: 'llm_1.te' })
    assert.deepEqual(at('{{#|').reference, { start: 0, typed: '' })
    assert.deepEqual(at('{{#a.b#}} {{#c|#}} {{#d').reference, { start: 10, typed: 'c' })
    assert.deepEqual(at('{{#if x}} {{#ll|').reference, { start: 10, typed: 'll' })
  })

  test('is undefined outside of one', () => {
    for (const marked of ['|', 'plain|', '{{|#a', '{{#a.b#}}|', '{{#a.b#|}}', '{{#if x}} y|', '{{#a\nb|']) {
      assert.equal(at(marked).reference, undefined, marked)
    }
  })
})

describe('inserting a reference', () => {
  const insert = (marked: string, reference = 'llm_1.text') => {
    const { text, reference: typed } = at(marked)
    assert.ok(typed)
    const result = insertReference(text, typed, reference)
    return `${result.text.slice(0, result.caret)}|${result.text.slice(result.caret)}`
  }

  test('closes it and puts the caret after it', () => {
    assert.equal(insert('Say {{#ll| loudly'), 'Say {{#llm_1.text#}}| loudly')
    assert.equal(insert('{{#|'), '{{#llm_1.text#}}|')
    assert.equal(insert('{{#ll|{{#a.b#}}'), '{{#llm_1.text#}}|{{#a.b#}}')
  })

  test('reuses an existing closing, and replaces the rest of the path before it', () => {
    assert.equal(insert('{{#ll|#}} x'), '{{#llm_1.text#}}| x')
    assert.equal(insert('{{#a|bc.text #}} x'), '{{#llm_1.text#}}| x')
    assert.equal(insert('{{#a| and {{#b.c#}}'), '{{#llm_1.text#}}| and {{#b.c#}}')
  })

  test('leaves the caret inside if a name is still to be typed', () => {
    assert.equal(insert('{{#co|', 'code_1.'), '{{#code_1.|#}}')
  })

  test('always keeps the text around it', () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[a-z_.]{0,8}$/), fc.string(), (before, typed, after) => {
        const text = `${before}{{#${typed} ${after}`
        const result = insertReference(text, { start: before.length, typed }, 'a.b')
        assert.equal(result.text.slice(0, result.caret), `${before}{{#a.b#}}`)
        assert.ok(text.endsWith(result.text.slice(result.caret)))
      }),
    )
  })
})

describe('completions', () => {
  const graph = graphOf(
    ['input', 'a', 'b', 'me', 'later', 'apart'].map(id => node(id, { title: id.toUpperCase() })),
    [
      makeEdge('input', 'a'),
      makeEdge('a', 'b'),
      makeEdge('b', 'a'),
      makeEdge('b', 'me'),
      makeEdge('me', 'later'),
    ],
  )
  const outline = {
    input: { outputs: ['query'], environment: ['host'], memory: ['city'] },
    a: { outputs: ['text', 'usage'] },
    b: { outputs: null },
    me: { outputs: ['text'] },
    later: { outputs: ['text'] },
    apart: { outputs: ['text'] },
  }
  const offer = (id: string) =>
    completions(
      graph,
      outline,
      id,
      { secret: [{ name: 'crm' }], sys: [{ name: 'query' }] },
      ({ data }) => `${data.title}`,
    )

  test('are outputs of earlier nodes, the nearest first, then declared values, secrets and system values', () => {
    assert.deepEqual(
      offer('me').map(({ reference }) => reference),
      ['b.', 'a.text', 'a.usage', 'input.query', 'env.host', 'memory.city', 'secret.crm', 'sys.query'],
    )
    assert.deepEqual(offer('me')[1], { reference: 'a.text', nodeId: 'a', name: 'text', title: 'A' })
  })

  test('do not offer a node to itself, even in a cycle, nor anything the server omitted', () => {
    assert.ok(offer('a').every(({ nodeId }) => nodeId !== 'a'))
    const unknown = completions(graph, {}, 'me', { secret: [], sys: [] }, () => '')
    assert.deepEqual(unknown, [])
  })
})
