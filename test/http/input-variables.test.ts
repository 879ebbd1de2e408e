import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Graph, GraphNode } from '../../src/workflow/graph.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow, messagesOf, openTalk, runOf, say, send, talkWith } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { edge, graph, node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

const variables = [
  { name: 'city', type: 'select', options: ['Paris', 'Rome'], label: 'City', required: true },
  { name: 'days', type: 'number', default: 2, description: 'How long.' },
  { name: 'note', type: 'text', max_length: 5 },
]

let server: TestServer
let api: ApiClient

before(async () => {
  server = await startTestServer({
    ...{ DEMO: 'off', SECRET_KEY: 'sealing-key-of-the-tests', PUBLIC_CALLS_PER_MINUTE: '0' },
  })
  api = server.api
})
after(() => server.stop())

/** A chain that begins with these variables. */
function asking(declared: readonly object[], ...between: GraphNode[]): Graph {
  const nodes = [node('input', 'input', { variables: declared }), ...between, node('end', 'end')]
  return graph(
    nodes,
    nodes.slice(1).map(({ id }, at) => edge(nodes[at]!.id, id)),
  )
}

const saying = '{{#input.city#}} {{#input.days#}} {{#sys.inputs.days#}} {{#input.query#}} {{#input.note#}}'
const trip = (): Graph => asking(variables, output('say', saying))

const run = (id: string, inputs: object, more: object = {}) =>
  api.post('workflow/run', { id, inputs, ...more })

/** The fields that a refusal names. */
function refusedFields({ status, json, text }: ApiAnswer): string[] {
  assert.equal(status, 400, text)
  assert.equal(json.code, 40001, text)
  const errors: { path: string }[] = json.errors ?? json.data.errors
  return errors.map(({ path }) => path)
}

const upload = async (name: string, content: string, client = api): Promise<string> =>
  (await dataOf(client.upload(name, content))).file_id

describe('a workflow with input variables', () => {
  test('runs with values in their types and with defaults, which references and the record show', async () => {
    const id = await makeWorkflow(api, trip())
    const { answer, status, run_id } = await dataOf(
      run(id, { query: 'go', city: 'Rome', days: '3', other: 1 }),
    )
    assert.deepEqual([status, answer], ['succeeded', 'Rome 3 3 go '])
    assert.deepEqual((await runOf(api, run_id)).inputs, {
      ...{ query: 'go', files: [], city: 'Rome', days: 3, note: '', other: 1 },
    })
    assert.equal((await dataOf(run(id, { city: 'Paris' }))).answer, 'Paris 2 2  ')
  })

  test('refuses a run whose inputs do not fit, naming each of them, and stores nothing', async () => {
    const id = await makeWorkflow(api, trip())
    const refusal = await run(id, { days: 'x', note: 'too long' })
    assert.deepEqual(refusedFields(refusal), ['/inputs/city', '/inputs/days', '/inputs/note'])
    assert.match(refusal.json.message, /inputs\.city is required/)
    assert.deepEqual(refusedFields(await run(id, { city: 'Oslo' }, { stream: 1 })), ['/inputs/city'])
    const keyed = { headers: { 'idempotency-key': 'trip' } }
    const again = await api.post('workflow/run', { id, inputs: {} }, keyed)
    assert.deepEqual(refusedFields(again), ['/inputs/city'])
    assert.equal((await dataOf(api.get(`workflow/runs?id=${id}`))).items.length, 0)
  })

  test('lists its variables for a form', async () => {
    const id = await makeWorkflow(api, trip())
    const listed = (await dataOf(api.get(`workflow/variables?id=${id}`))).variables
    assert.deepEqual(listed[0], {
      ...{ name: 'city', type: 'select', label: 'City', description: '', required: true },
      ...{ default: null, options: ['Paris', 'Rome'], max_length: null },
    })
    assert.deepEqual(
      listed.map(({ name, label, default: preset }: Data) => [name, label, preset]),
      [
        ['city', 'City', null],
        ['days', 'days', 2],
        ['note', 'note', null],
      ],
    )
    const plain = await makeWorkflow(api, asking([]))
    assert.deepEqual((await dataOf(api.get(`workflow/variables?id=${plain}`))).variables, [])
    assert.equal((await api.get('workflow/variables?id=wf_none')).status, 404)
  })

  test('knows references to its variables, and reports a declaration that cannot work', async () => {
    const check = (workflow: Graph) => dataOf(api.post('workflow/check', { workflow, outline: true }))
    const { warnings, outline } = await check(trip())
    assert.deepEqual(warnings, [])
    assert.ok(outline.input.outputs.includes('city'))
    const unknown = await check(asking(variables, output('say', '{{#input.town#}}')))
    assert.equal(unknown.warnings[0].rule, 'reference_unknown_output')
    const wrong = await check(asking([{ name: 'query', type: 'text' }]))
    assert.deepEqual(
      wrong.warnings.map(({ path, blocking }: Data) => [path, blocking]),
      [['/workflow/nodes/0/data/variables/0/name', true]],
    )
  })

  test('takes files as ids or objects, and returns the fields of a file', async () => {
    const declared = [
      { name: 'doc', type: 'file', required: true },
      { name: 'more', type: 'files', max_length: 2 },
    ]
    const show = output(
      'say',
      '{{#input.doc.name#}} {{#input.doc.type#}} {{#input.doc.extension#}} {{#input.more.0.name#}}',
    )
    const id = await makeWorkflow(api, asking(declared, show))
    const [menu, note] = [await upload('menu.csv', 'a,b'), await upload('note.txt', 'hi')]
    const inputs = { doc: { file_id: menu }, more: [note] }
    assert.equal((await dataOf(run(id, inputs))).answer, 'menu.csv document .csv note.txt')
    assert.deepEqual(refusedFields(await run(id, { doc: 'file_none' })), ['/inputs/doc'])
    assert.deepEqual(refusedFields(await run(id, { doc: menu, more: [note, note, menu] })), ['/inputs/more'])
    const theirs = api.as((await dataOf(api.post('workspace/create', { name: 'theirs' }))).token)
    const foreign = await upload('theirs.txt', 'secret', theirs)
    assert.deepEqual(refusedFields(await run(id, { doc: foreign })), ['/inputs/doc'])
  })

  test('checks a single node that is tried out only if it is the input node', async () => {
    const id = await makeWorkflow(api, trip())
    const debug = (node_id: string, inputs: object) => api.post('workflow/debug', { id, node_id, inputs })
    assert.deepEqual(refusedFields(await debug('input', {})), ['/inputs/city'])
    assert.equal((await dataOf(debug('input', { city: 'Rome' }))).node.outputs.days, 2)
    assert.equal((await dataOf(debug('say', {}))).status, 'succeeded')
  })

  test('inside another workflow gets the same check, and the step names what is wrong', async () => {
    const child = await makeWorkflow(api, trip())
    const calling = (inputs: object): Graph =>
      asking([], node('inner', 'workflow', { workflow_id: child, inputs }), output('say', '!'))
    const good = await dataOf(run(await makeWorkflow(api, calling({ query: 'q', city: 'Rome' })), {}))
    assert.match(good.answer, /Rome 2 2 q/)
    const bad = await dataOf(run(await makeWorkflow(api, calling({ city: 'Oslo' })), {}))
    assert.deepEqual([bad.status, bad.error.node_id], ['failed', 'inner'])
    assert.match(bad.error.message, /cannot start: inputs\.city must be one of "Paris", "Rome"/)
    const each = node('each', 'iteration', { items: ['a'], workflow_id: child })
    const rounds = await dataOf(run(await makeWorkflow(api, asking([], each)), {}))
    assert.match(rounds.error.message, /inputs\.city is required/)
  })
})

describe('a conversation with an agent whose workflow has input variables', () => {
  const replyOf = (turn: Data): string => turn.feedback[0].content

  test('keeps the inputs of its first message, and a later one may change them', async () => {
    const talk = await talkWith(api, trip())
    assert.equal(
      replyOf(await say(api, talk, 'one', { inputs: { city: 'Rome', other: 1 } })),
      'Rome 2 2 one ',
    )
    assert.equal(replyOf(await say(api, talk, 'two')), 'Rome 2 2 two ')
    assert.equal(replyOf(await say(api, talk, 'three', { inputs: { days: 5 } })), 'Rome 5 5 three ')
    assert.equal(replyOf(await say(api, talk, 'four')), 'Rome 5 5 four ')
    assert.deepEqual(refusedFields(await send(api, talk, 'five', { inputs: { city: 'Oslo' } })), [
      '/inputs/city',
    ])
    assert.equal(replyOf(await say(api, talk, 'six', { inputs: { days: null } })), 'Rome 2 2 six ')
  })

  test('refuses a first message without them and stores nothing of it', async () => {
    const talk = await talkWith(api, trip())
    assert.deepEqual(refusedFields(await send(api, talk, 'hello')), ['/inputs/city'])
    assert.deepEqual(refusedFields(await send(api, talk, 'hello', { stream: 1 })), ['/inputs/city'])
    assert.deepEqual(await messagesOf(api, talk), [])
    assert.equal(replyOf(await say(api, talk, 'hello', { inputs: { city: 'Paris' } })), 'Paris 2 2 hello ')
  })

  test('began before the workflow had variables: the message is refused, and accepted with them', async () => {
    const id = await makeWorkflow(api, asking([], output('say', 'old')))
    const talk = await openTalk(api, await makeAgent(api, { workflow_id: id }))
    assert.equal(replyOf(await say(api, talk, 'one')), 'old')
    await dataOf(api.post('workflow/update', { id, workflow: trip() }))
    assert.deepEqual(refusedFields(await send(api, talk, 'two')), ['/inputs/city'])
    assert.equal((await messagesOf(api, talk)).length, 2)
    assert.equal(replyOf(await say(api, talk, 'two', { inputs: { city: 'Rome' } })), 'Rome 2 2 two ')
  })

  test('answers a repeated turn, and refuses another one under its id', async () => {
    const talk = await talkWith(api, trip())
    const turn = { chat_id: 'chat_1', inputs: { city: 'Rome' } }
    const first = await say(api, talk, 'one', turn)
    assert.equal((await say(api, talk, 'one', turn)).run_id, first.run_id)
    assert.equal((await send(api, talk, 'one', { ...turn, inputs: { city: 'Paris' } })).json.code, 40901)
  })

  test('leaves inputs without a variable to their turn, and graphs without variables as they are', async () => {
    const talk = await talkWith(api, asking([], output('say', '[{{#sys.inputs.city#}}]')))
    assert.equal(replyOf(await say(api, talk, 'one', { inputs: { city: 'Rome' } })), '[Rome]')
    assert.equal(replyOf(await say(api, talk, 'two')), '[]')
  })

  test('uses no file of another conversation', async () => {
    const show = output('say', '{{#input.doc.name#}}')
    const id = await makeWorkflow(api, asking([{ name: 'doc', type: 'file', required: true }], show))
    const agent = await makeAgent(api, { workflow_id: id }, { access: 'public' })
    const visitor = api.as(undefined)
    const [ours, others] = [await openTalk(visitor, agent), await openTalk(visitor, agent)]
    const query = new URLSearchParams({ ...others, name: 'a.txt' })
    const { json, text } = await visitor.call('POST', `conversation/upload?${query}`, 'hello', {
      headers: { 'content-type': 'application/octet-stream' },
    })
    assert.equal(json.code, 0, text)
    const inputs = { doc: json.file_id }
    assert.deepEqual(refusedFields(await send(visitor, ours, 'hi', { inputs })), ['/inputs/doc'])
    assert.equal(replyOf(await say(visitor, others, 'hi', { inputs })), 'a.txt')
    assert.equal(replyOf(await say(visitor, others, 'again')), 'a.txt')
  })

  test('lists its variables for the form of a visitor', async () => {
    const id = await makeWorkflow(api, trip())
    const open = await makeAgent(api, { workflow_id: id }, { access: 'public' })
    const listed = async (agent: string, client: ApiClient) =>
      (await dataOf(client.get(`agent/variables?agent_id=${agent}`))).variables.map(({ name }: Data) => name)
    assert.deepEqual(await listed(open, api.as(undefined)), ['city', 'days', 'note'])
    const { variables } = await dataOf(api.as(undefined).get(`agent/profile?agent_id=${open}`))
    assert.deepEqual(
      variables.map(({ name }: Data) => name),
      ['city', 'days', 'note'],
    )
    const closed = await makeAgent(api, { workflow_id: id })
    assert.deepEqual(await listed(closed, api), ['city', 'days', 'note'])
    assert.equal((await api.as(undefined).get(`agent/variables?agent_id=${closed}`)).status, 401)
    assert.deepEqual(await listed(await makeAgent(api), api), [])
    assert.deepEqual(await listed(await makeAgent(api, { workflow_id: 'wf_none' }), api), [])
  })
})

describe('a trigger of a workflow with input variables', () => {
  const create = (workflow_id: string, inputs: object) =>
    api.post('trigger/create', { kind: 'webhook', name: 'hook', workflow_id, inputs })

  test('is refused where a known value does not fit, and checks the others when it fires', async () => {
    const id = await makeWorkflow(api, trip())
    assert.deepEqual(refusedFields(await create(id, { query: 'x' })), ['/inputs/city'])
    assert.deepEqual(refusedFields(await create(id, { city: 'Oslo' })), ['/inputs/city'])
    const hook = await dataOf(create(id, { city: '{{#trigger.body.city#}}', days: '4' }))
    const update = (inputs: object) => api.post('trigger/update', { id: hook.id, inputs })
    assert.deepEqual(refusedFields(await update({ city: 'Rome', days: 'x' })), ['/inputs/days'])
    await dataOf(api.post('trigger/update', { id: hook.id, webhook: { answer: 'sync' } }))
    const fire = (body: object) => api.as(hook.secret).post(hook.path, body)
    assert.equal((await dataOf(fire({ city: 'Rome' }))).answer, 'Rome 4 4  ')
    assert.deepEqual(refusedFields(await fire({ town: 'Rome' })), ['/inputs/city'])
    const shown = (await dataOf(api.post('trigger/list', { page_size: 100 }))).items
    const { failure } = shown.find((each: Data) => each.id === hook.id)
    assert.match(failure.message, /inputs\.city is required/)
  })
})

describe('the OpenAI interface of a workflow with input variables', () => {
  const ask = (model: string, more: object) =>
    api.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'go' }], ...more })
  const answerOf = ({ json, text }: ApiAnswer): string => {
    assert.ok(json.choices, text)
    return json.choices[0].message.content
  }

  test('takes them from inputs, or as text from metadata, and refuses others', async () => {
    const id = await makeWorkflow(api, trip())
    const agent = await makeAgent(api, { workflow_id: id })
    for (const model of [`workflow/${id}`, agent]) {
      assert.equal(answerOf(await ask(model, { inputs: { city: 'Rome' } })), 'Rome 2 2 go ')
      const metadata = { city: 'Paris', days: '7', trace: 'abc' }
      assert.equal(answerOf(await ask(model, { metadata })), 'Paris 7 7 go ')
      const { status, json } = await ask(model, { metadata: { trace: 'abc' } })
      assert.deepEqual([status, json.error.param], [400, 'inputs.city'])
      assert.match(json.error.message, /inputs\.city is required/)
    }
    const { total } = (await api.post('conversation/list', { agent_id: agent })).json
    assert.equal(total, 2, 'a refused request leaves no conversation')
  })

  test('keeps them for the conversation of a response', async () => {
    const agent = await makeAgent(api, { workflow_id: await makeWorkflow(api, trip()) })
    const respond = async (body: object): Promise<Data> => {
      const { status, json, text } = await api.post('/v1/responses', { model: agent, ...body })
      assert.equal(status, 200, text)
      return json
    }
    const first = await respond({ input: 'one', inputs: { city: 'Rome' } })
    const second = await respond({ input: 'two', previous_response_id: first.id })
    assert.equal(second.output[0].content[0].text, 'Rome 2 2 two ')
    const fork = await respond({ input: 'three', previous_response_id: first.id })
    assert.equal(fork.output[0].content[0].text, 'Rome 2 2 three ')
  })
})
