import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PooledCodeRunner } from '../../src/adapters/code/pooled-code-runner.ts'
import type { KindField, KindShape, LocalizedText } from '../../src/contract/kind-operations.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { kindCatalog } from '../../src/nodes/kind-catalog.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import { commonFields } from '../../src/workflow/node-kind.ts'
import { systemNames } from '../../src/workflow/references.ts'
import { refuseGraph } from '../../src/workflow/refuse-graph.ts'
import type { Fields } from '../../src/workflow/shape.ts'
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

/** The names and types of fields, down to the innermost, in the form of the engine and in that of the catalog. */
const checkedTypes = (fields: Fields): unknown =>
  Object.entries(fields).map(([name, shape]) => [name, checkedType(shape)])
const checkedType = (shape: Fields[string]): unknown => [
  shape.is,
  'of' in shape && shape.of ? checkedType(shape.of) : null,
  shape.is === 'object' ? checkedTypes(shape.fields) : [],
]
const shownTypes = (fields: readonly KindField[]): unknown =>
  fields.map(({ name, shape }) => [name, shownType(shape)])
const shownType = ({ is, of, fields = [] }: KindShape): unknown => [
  is,
  of ? shownType(of) : null,
  shownTypes(fields),
]

describe('the catalog of kinds', () => {
  test('lists every kind with the fields that the engine checks', () => {
    assert.deepEqual(kinds.map(({ kind }) => kind).sort(), [...nodeKinds.keys()].sort())
    assert.deepEqual(shownTypes(common), checkedTypes(commonFields))
    for (const { kind, fields, node_type, branches } of kinds) {
      const known = nodeKinds.get(kind)!
      assert.deepEqual(shownTypes(fields), checkedTypes(known.fields))
      assert.deepEqual(
        fields.filter(({ required }) => required).map(({ name }) => name),
        known.required,
      )
      assert.equal(node_type, known.nodeType)
      assert.equal(branches, known.cases !== undefined)
    }
  })

  test('has texts in both languages for kinds, fields, options and sys names', () => {
    for (const { kind, title, about, fields } of kinds) {
      assertWords(title, kind)
      assertWords(about, kind)
      assertFields(fields, kind)
    }
    assertFields(common, 'every node')
    assert.deepEqual(
      common.map(({ name }) => name),
      ['title', 'desc', 'disabled', 'timeout_ms', 'retry', 'on_error'],
    )
    assert.deepEqual(
      system.map(({ name }) => name),
      [...systemNames],
    )
    for (const { name, about } of system) assertWords(about, `sys.${name}`)
  })

  test('says which input each field needs', () => {
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
  agent: ['agent_id'],
  iteration: ['workflow_id'],
  loop: ['workflow_id'],
  workflow: ['workflow_id'],
  knowledge_retrieval: ['knowledge_ids'],
  http_request: ['url'],
  mcp: ['url', 'tool'],
  unmapped: ['type'],
}

describe('a new node', () => {
  for (const { kind, data, branches } of kinds.filter(({ kind }) => !['input', 'end'].includes(kind)))
    test(`of the kind ${kind} lacks only what its author must fill in`, () => {
      const added = { ...node('new', kind), data: { type: kind, title: '', desc: '', ...data } }
      const cases = nodeKinds.get(kind)!.cases?.(added.data) ?? []
      const onward = branches ? cases.map(each => edge('new', 'end', each)) : [edge('new', 'end')]
      assert.ok(onward.length > 0, 'it can be wired on')
      const drawn = graph(
        [node('input', 'input'), added, node('end', 'end')],
        [edge('input', 'new'), ...onward],
      )
      assert.deepEqual(atOnce(refuseGraph(drawn, nodeKinds, '')), [])
      assert.deepEqual(
        atOnce(warnGraph(drawn, nodeKinds, '')).map(({ path }) => path),
        (unknowable[kind] ?? []).map(field => `/nodes/1/data/${field}`),
      )
    })

  test('of the kind code starts with code that runs', async () => {
    const runner = new PooledCodeRunner({ threads: 1 })
    try {
      const program = String(kinds.find(({ kind }) => kind === 'code')!.data['code'])
      const call = {
        workspaceId: 'w',
        language: 'javascript',
        code: program,
        inputs: { query: ' hello ' },
      } as const
      const result = await runner.run(call, new AbortController().signal)
      assert.deepEqual(result, { text: 'hello' })
    } finally {
      await runner.close()
    }
  })
})
