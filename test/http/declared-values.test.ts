import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Graph, GraphNode } from '../../src/workflow/graph.ts'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow, openTalk, runWorkflow, say, talkWith } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

let server: TestServer
let api: ApiClient

before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
})
after(() => server.stop())

/** A chain whose input node declares values. */
function declaring(declared: object, ...between: GraphNode[]): Graph {
  const { nodes, edges } = chain(...between)
  const [input, ...others] = nodes as [GraphNode, ...GraphNode[]]
  return { nodes: [{ ...input, data: { ...input.data, ...declared } }, ...others], edges }
}

const answerOf = async (graph: Graph): Promise<string> => {
  const { status, answer, error } = await runWorkflow(api, await makeWorkflow(api, graph), 'go')
  assert.equal(status, 'succeeded', JSON.stringify(error))
  return answer
}

const template = (id: string, text: string): GraphNode => node(id, 'template', { template: text })

test('environment values are inserted anywhere, keep their types, and are not scanned again', async () => {
  const environment = [
    { name: 'host', value: 'example.com' },
    { name: 'limits', value: { max: [3, 5] } },
    { name: 'off', value: false },
    { name: 'empty' },
  ]
  const all = '{{#env.host#}} {{#env.limits.max.1#}} {{#env.limits#}} {{#env.off#}} [{{#env.empty#}}]'
  const typed = node('typed', 'variable', { assign: { kept: '{{#env.limits#}}' } })
  const graph = declaring({ environment }, typed, output('say', `${all} {{#typed.result.kept.max.0#}}`))
  assert.equal(await answerOf(graph), 'example.com 5 {"max":[3,5]} false [] 3')
})

test('a workflow inside another one has its own environment', async () => {
  const inner = declaring({ environment: [{ name: 'who', value: 'inner' }] }, output('say', '{{#env.who#}}'))
  const call = node('call', 'workflow', { workflow_id: await makeWorkflow(api, inner), speaks: false })
  const outer = declaring(
    { environment: [{ name: 'who', value: 'outer' }] },
    call,
    output('say', '{{#env.who#}} {{#call.text#}}'),
  )
  assert.equal(await answerOf(outer), 'outer inner')
})

test('a reference to a value that is not declared blocks, and a node called env keeps its references', async () => {
  const unknown = declaring({ environment: [{ name: 'host' }] }, template('a', '{{#env.hots#}} {{env.host}}'))
  const { runnable, warnings } = await dataOf(api.post('workflow/check', { workflow: unknown }))
  assert.equal(runnable, false)
  assert.deepEqual(
    warnings.map(({ rule, blocking }: { rule: string; blocking: boolean }) => [rule, blocking]),
    [
      ['reference_unknown_output', true],
      ['reference_unmarked', false],
    ],
  )
  assert.match(warnings[0].message, /no environment value "hots"; add it in the input node. It has "host"/)
  const older = chain(template('env', 'of a node'), output('say', '{{#env.text#}}'))
  assert.equal(await answerOf(older), 'of a node')
})

test('names that nothing could refer to, and references in values, are reported', async () => {
  const declared = {
    environment: [
      { name: 'a.b', value: 1 },
      { name: 'twice', value: 1 },
      { name: 'twice', value: 2 },
      { name: 'key', value: '{{#secret.crm#}}' },
      {},
    ],
    memory: [{ name: ' x' }, { name: 'ok', default: ['{{#sys.query#}}'] }],
  }
  const { warnings } = await dataOf(api.post('workflow/check', { workflow: declaring(declared) }))
  assert.deepEqual(
    warnings.map(({ path }: { path: string }) => path.replace('/workflow/nodes/0/data/', '')),
    [
      'environment/0/name',
      'environment/2/name',
      'environment/3/value',
      'environment/4/name',
      'memory/0/name',
      'memory/1/default',
    ],
  )
  const bad = declaring({ environment: { host: 'x' } })
  const { errors } = await dataOf(api.post('workflow/check', { workflow: bad }))
  assert.deepEqual(
    errors.map(({ path }: { path: string }) => path),
    ['/workflow/nodes/0/data/environment'],
  )
})

test('a literal credential in an environment value is masked for readers and left out of exports', async () => {
  const environment = [
    { name: 'API_KEY', value: 'literal-0123456789' },
    { name: 'host', value: 'example.com' },
  ]
  const id = await makeWorkflow(api, declaring({ environment }))
  const viewer = api.as((await dataOf(api.post('token/create', { name: 'v', role: 'viewer' }))).token)
  const read = await viewer.get(`workflow?id=${id}`)
  assert.match(read.text, /example\.com/)
  assert.doesNotMatch(read.text, /literal-0123456789/)
  assert.doesNotMatch((await api.post('workflow/export', { id })).text, /literal-0123456789/)
})

test('the outline names declared values for editors', async () => {
  const workflow = declaring({
    environment: [{ name: 'host', value: 'x' }],
    memory: [{ name: 'city', default: 'Paris' }],
  })
  const { outline } = await dataOf(api.post('workflow/check', { workflow, outline: true }))
  assert.deepEqual([outline.input.environment, outline.input.memory], [['host'], ['city']])
  assert.deepEqual([outline.end.environment, outline.end.memory], [undefined, undefined])
})

const counting = (): Graph =>
  declaring(
    { memory: [{ name: 'city', default: 'Paris' }, { name: 'tags', default: ['a'] }, { name: 'none' }] },
    output('say', '{{#memory.city#}} {{#memory.tags.0#}} [{{#memory.none#}}]'),
    node('set', 'variable', { assign: { city: '{{#sys.query#}}' } }),
  )

test('memory has its default until a variable node sets it, in one conversation only', async () => {
  const talk = await talkWith(api, counting())
  const text = async (at: typeof talk, query: string) => (await say(api, at, query)).feedback[0].content
  assert.equal(await text(talk, 'Rome'), 'Paris a []')
  assert.equal(await text(talk, 'Oslo'), 'Rome a []')
  assert.equal(await text(await openTalk(api, talk.agent_id), 'x'), 'Paris a []')
  assert.equal(await answerOf(counting()), 'Paris a []')
})

test('a turn that is regenerated or edited does not count twice', async () => {
  const count = node('count', 'variable', { changes: [{ name: 'visits', op: 'add', value: 1 }] })
  const talk = await talkWith(api, chain(count, output('say', '{{#memory.visits#}}')))
  const first = await say(api, talk, 'one')
  const second = await say(api, talk, 'two')
  const again = await say(api, talk, 'two', { replaces: second.chat_id })
  const edited = await say(api, talk, 'uno', { replaces: first.chat_id })
  assert.deepEqual(
    [first, second, again, edited].map(({ feedback }) => feedback[0].content),
    ['1', '2', '2', '1'],
  )
})

test('the memory of an agent takes precedence over that of its workflow', async () => {
  const workflow_id = await makeWorkflow(api, counting())
  const agent = await makeAgent(api, { workflow_id }, { memory: { city: { default: 'Bern' } } })
  const { feedback } = await say(api, await openTalk(api, agent), 'Rome')
  assert.equal(feedback[0].content, 'Bern a []')
})

test('a memory of an agent without a default leaves that of its workflow', async () => {
  const workflow_id = await makeWorkflow(api, counting())
  const memory = { city: { name: 'City' }, tags: { default: null }, none: { default: '' } }
  const agent = await makeAgent(api, { workflow_id }, { memory })
  const { feedback } = await say(api, await openTalk(api, agent), 'Rome')
  assert.equal(feedback[0].content, 'Paris a []')
})
