import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { QuickjsCodeRunner } from '../../src/adapters/code/quickjs-code-runner.ts'
import type { KindField, KindShape, LocalizedText } from '../../src/contract/kind-operations.ts'
import { commonFieldWords, systemWords } from '../../src/nodes/kind-cards/common-words.ts'
import type { FieldWords } from '../../src/nodes/kind-cards/kind-card.ts'
import { kindCards } from '../../src/nodes/kind-cards/kind-cards.ts'
import { kindCatalog } from '../../src/nodes/kind-catalog.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import { commonFields } from '../../src/workflow/node-kind.ts'
import { refuseGraph } from '../../src/workflow/refuse-graph.ts'
import { systemNames } from '../../src/workflow/resolve-reference.ts'
import type { Fields, Shape } from '../../src/workflow/shape.ts'
import { warnGraph } from '../../src/workflow/warn-graph.ts'
import { edge, graph, node } from '../workflow/graphs.ts'

const { kinds, common, system } = kindCatalog()

function assertWords({ en, zh }: LocalizedText, place: string): void {
  assert.match(en, /\p{L}/u, `${place} has English words`)
  assert.doesNotMatch(en, /\p{Script=Han}/u, `the English words of ${place} are English`)
  assert.match(zh, /\p{Script=Han}/u, `${place} has Chinese words`)
}

function assertFields(fields: readonly KindField[], place: string): void {
  for (const { name, label, help, shape } of fields) {
    assertWords(label, `${place}.${name}`)
    if (help) assertWords(help, `the help of ${place}.${name}`)
    assertShape(shape, `${place}.${name}`)
  }
}

function assertShape({ of, fields = [], options = [] }: KindShape, place: string): void {
  if (of) assertShape(of, place)
  assertFields(fields, place)
  for (const { value, label } of options) assertWords(label, `${place} = ${value}`)
}

/** The shape that words are about: that of the elements, where it is a list or a dictionary. */
function innermost(shape: Shape): Shape {
  return 'of' in shape && shape.of ? innermost(shape.of) : shape
}

/** LocalizedText that nobody would ever read, because there is no such field or option. */
function* strayWords(
  words: Readonly<Record<string, FieldWords>>,
  fields: Fields,
  place: string,
): Generator<string> {
  for (const [name, own] of Object.entries(words)) {
    const shape = fields[name] && innermost(fields[name])
    if (!shape) yield `${place}.${name}`
    const options: readonly string[] = (shape && 'options' in shape && shape.options) || []
    for (const option of Object.keys(own.options ?? {}))
      if (!options.includes(option)) yield `${place}.${name} = ${option}`
    yield* strayWords(own.fields ?? {}, shape?.is === 'object' ? shape.fields : {}, `${place}.${name}`)
  }
}

describe('the catalog of kinds', () => {
  test('has every kind, each with its fields as they are checked', () => {
    assert.deepEqual(kinds.map(({ kind }) => kind).sort(), [...nodeKinds.keys()].sort())
    for (const { kind, fields, node_type, branches, title } of kinds) {
      const known = nodeKinds.get(kind)!
      assert.deepEqual(
        fields.map(({ name, shape }) => [name, shape.is]),
        Object.entries(known.fields).map(([name, shape]) => [name, shape.is]),
      )
      assert.deepEqual(
        fields.filter(({ required }) => required).map(({ name }) => name),
        known.required,
      )
      assert.equal(node_type, known.nodeType)
      assert.equal(branches, known.cases !== undefined)
      assert.equal(title.en, known.title, 'messages and the palette use one name')
    }
  })

  test('has words in both languages for kinds, fields, options and sys names', () => {
    for (const { kind, title, about, fields } of kinds) {
      assertWords(title, kind)
      assertWords(about, kind)
      assertFields(fields, kind)
    }
    assertFields(common, 'every node')
    assert.deepEqual(
      common.map(({ name }) => name),
      ['title', 'desc', 'timeout_ms', 'retry', 'on_error'],
    )
    assert.deepEqual(
      system.map(({ name }) => name),
      [...systemNames],
    )
    for (const { name, about } of system) assertWords(about, `sys.${name}`)
  })

  test('has no words for what is not there', () => {
    const stray = Object.entries(kindCards).flatMap(([kind, { fields }]) => [
      ...strayWords(fields, nodeKinds.get(kind)?.fields ?? {}, kind),
    ])
    assert.deepEqual([...stray, ...strayWords(commonFieldWords, commonFields, 'every node')], [])
    assert.deepEqual(
      Object.keys(systemWords).filter(name => !systemNames.has(name)),
      [],
    )
  })

  test('tells how a form asks for what a text cannot show', () => {
    const shapeOf = (kind: string, field: string) =>
      kinds.find(each => each.kind === kind)!.fields.find(({ name }) => name === field)!.shape
    assert.equal(shapeOf('llm', 'prompt_template').input, 'paragraph')
    assert.equal(shapeOf('llm', 'model').input, 'model')
    assert.equal(shapeOf('llm', 'json_schema').input, 'json')
    assert.equal(shapeOf('code', 'code').input, 'code')
    assert.equal(shapeOf('knowledge_retrieval', 'knowledge_ids').of?.input, 'knowledge')
    assert.equal(shapeOf('iteration', 'workflow_id').input, 'workflow')
    assert.equal(shapeOf('http_request', 'url').input, 'address')
    const clause = shapeOf('condition', 'cases').of!.fields!.find(({ name }) => name === 'when')!.shape.of!
    const op = clause.fields!.find(({ name }) => name === 'op')!
    assert.equal(op.required, true)
    assert.ok(op.shape.options!.some(({ value, label }) => value === 'contains' && label.zh === '包含'))
    const sources = kinds
      .find(({ kind }) => kind === 'llm')!
      .fields.find(({ name }) => name === '数据源/API工具')!
    assert.deepEqual(sources.label, { en: 'Knowledge and tools', zh: '知识与工具' })
  })
})

/** What only the author can know, and no new node can begin with. */
const unknowable: Record<string, string[]> = {
  iteration: ['workflow_id'],
  workflow: ['workflow_id'],
  knowledge_retrieval: ['knowledge_ids'],
  http_request: ['url'],
  mcp: ['url', 'tool'],
}

describe('a new node', () => {
  for (const { kind, data, branches } of kinds.filter(({ kind }) => !['input', 'end'].includes(kind)))
    test(`of the kind ${kind} needs nothing but what only its author knows`, () => {
      const added = { ...node('new', kind), data: { type: kind, title: '', desc: '', ...data } }
      const cases = nodeKinds.get(kind)!.cases?.(added.data) ?? []
      const onward = branches ? cases.map(each => edge('new', 'end', each)) : [edge('new', 'end')]
      assert.ok(onward.length > 0, 'it can be wired on')
      const drawn = graph(
        [node('input', 'input'), added, node('end', 'end')],
        [edge('input', 'new'), ...onward],
      )
      assert.deepEqual(refuseGraph(drawn, nodeKinds, ''), [])
      assert.deepEqual(
        warnGraph(drawn, nodeKinds, '').map(({ path }) => path),
        (unknowable[kind] ?? []).map(field => `/nodes/1/data/${field}`),
      )
    })

  test('of the kind code has a program that runs', async () => {
    const runner = new QuickjsCodeRunner({ threads: 1 })
    try {
      const program = String(kinds.find(({ kind }) => kind === 'code')!.data['code'])
      const result = await runner.run(program, { query: ' hello ' }, new AbortController().signal, () => {})
      assert.deepEqual(result, { text: 'hello' })
    } finally {
      await runner.close()
    }
  })
})
