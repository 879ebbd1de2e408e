import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { openEvents } from '../support/event-reader.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { allText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say, talkWith } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

const key = 'agent-key-0123456789'

let model: ScriptedModel
let sink: SinkServer
let server: TestServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  sink = await startSinkServer()
  server = await startTestServer({
    ...model.environment,
    DEMO: 'off',
    EGRESS_ALLOW: '127.0.0.1',
    SECRET_KEY: 'sealing-key-of-the-tests',
  })
  api = server.api
  await dataOf(api.post('secret/set', { name: 'crm', value: key }))
})
after(async () => {
  await server.stop()
  await sink.stop()
  await model.stop()
})
beforeEach(() => {
  model.reset()
  sink.received.length = 0
  sink.answer(({ headers }) => ({ json: { seen: headers['authorization'] } }))
})

const agent = (data: object) => node('agent', 'agent', { query: '{{#sys.query#}}', ...data })
const answers = (data: object) => chain(agent(data), output('say', 'A: {{#agent.text#}}'))

/** The model calls a tool once, and then repeats its result. */
const useOnce = (name: string): void =>
  model.play(({ messages }) => {
    const result = messages.find(({ role }) => role === 'tool')
    return result ? { text: `told: ${result.content}` } : { toolCalls: [{ name, arguments: {} }] }
  })

const lookup = { type: 'http', method: 'GET', headers: { Authorization: 'Bearer {{#secret.crm#}}' } }

test('an existing agent answers in a workflow as it does in a conversation, and its text is streamed', async () => {
  const id = await makeAgent(api, { character_profile: 'You are Ada, a botanist.' })
  const direct = await say(api, await openTalk(api, id), 'Which tree?')
  const sent = model.calls.chat.at(-1)!.body
  const talk = await talkWith(api, answers({ agent_id: id }))
  const { feedback, run_id } = await say(api, talk, 'Which tree?')
  assert.equal(feedback[0].content, `A: ${direct.feedback[0].content}`)
  assert.deepEqual(model.calls.chat.at(-1)!.body.messages, sent.messages)
  const events = await openEvents(server.base, `workflow/runs/${run_id}/events`, { token: operatorToken })
  const deltas = (await events.rest()).filter(({ event }) => event === 'node.delta')
  assert.ok(deltas.length > 1, 'the text arrives in pieces')
})

test('the tools of an existing agent use secrets, which the run does not show', async () => {
  const tool = { running_config: { ...lookup, url: `${sink.origin}/crm` } }
  const id = await makeAgent(api, { tools: { find: tool } })
  useOnce('find')
  const run = await runWorkflow(api, await makeWorkflow(api, answers({ agent_id: id })), 'Find it')
  assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
  assert.equal(sink.received[0]!.headers['authorization'], `Bearer ${key}`)
  const shown = JSON.stringify(await runOf(api, run.run_id))
  assert.match(shown, /"tool":"find"/)
  assert.doesNotMatch(shown, new RegExp(key))
  assert.doesNotMatch(allText(model.calls.chat.at(-1)!.body), new RegExp(key))
})

test('a described agent has tools, secrets and steps of its own', async () => {
  useOnce('find')
  const tools = [{ ...lookup, name: 'find', url: `${sink.origin}/crm` }]
  const id = await makeWorkflow(api, answers({ persona: 'You find things.', tools }))
  const run = await runWorkflow(api, id, 'Find it')
  assert.match(run.answer, /^A: told: /)
  assert.equal(sink.received[0]!.headers['authorization'], `Bearer ${key}`)
  const { nodes } = await runOf(api, run.run_id)
  const { outputs } = nodes.find((each: { kind: string }) => each.kind === 'agent')
  assert.deepEqual(
    outputs.steps.map((step: { tool: string }) => step.tool),
    ['find'],
  )
  assert.ok(outputs.usage.total_tokens > 0)
})

test('an agent that is bound to a workflow runs it, and one that runs itself is stopped', async () => {
  const inner = await makeWorkflow(api, chain(output('say', 'inner: {{#sys.query#}}')))
  const bound = await makeAgent(api, { workflow_id: inner })
  const run = await runWorkflow(api, await makeWorkflow(api, answers({ agent_id: bound })), 'Hi')
  assert.equal(run.answer, 'A: inner: Hi')
  const self = 'wf_of_itself'
  const circular = await makeAgent(api, { workflow_id: self })
  await dataOf(api.post('workflow/update', { id: self, workflow: answers({ agent_id: circular }) }))
  const { status, error } = await runWorkflow(api, self, 'Hi')
  assert.equal(status, 'failed')
  assert.match(error.message, /itself/)
})

test('an agent of another workspace does not exist', async () => {
  const id = await makeAgent(api, { character_profile: 'Private.' })
  const team = api.as((await dataOf(api.post('workspace/create', { name: 'Agents' }))).token)
  const { status, error } = await runWorkflow(team, await makeWorkflow(team, answers({ agent_id: id })), 'Hi')
  assert.equal(status, 'failed')
  assert.match(error.message, /There is no agent/)
})
