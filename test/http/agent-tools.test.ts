import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { allText, type ChatBody } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, say } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

let model: ScriptedModel
let server: TestServer
let sink: SinkServer
let tools: ScriptedToolServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  sink = await startSinkServer()
  tools = await new ScriptedToolServer({
    tools: [
      {
        name: 'weather',
        description: 'Tells the weather',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
      { name: 'forget', description: 'Is not offered', inputSchema: { type: 'object' } },
    ],
    call: (_, { city }) => ({ content: [{ type: 'text', text: `rain in ${city}` }] }),
  }).start()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
})
after(async () => {
  await server.stop()
  await tools.close()
  await sink.stop()
  await model.stop()
})
beforeEach(() => model.reset())

const namesOf = ({ tools: offered = [] }: ChatBody): string[] => offered.map(tool => tool.function.name)
const toolResults = ({ messages }: ChatBody): string[] =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []))

/** The model calls a tool once, then replies with the result of the tool. */
const useOnce = (name: string, args: object): void =>
  model.play(body => {
    const results = toolResults(body)
    return results.length === 0
      ? { toolCalls: [{ name, arguments: args }] }
      : { text: `I was told: ${results[0]}` }
  })

async function answerOf(config: object, content = 'Use it'): Promise<{ text: string; run: Data }> {
  const { feedback, run_id } = await say(api, await openTalk(api, await makeAgent(api, config)), content)
  return { text: feedback[0].content, run: await runOf(api, run_id) }
}

test('calls an HTTP tool with the arguments and an idempotency key', async () => {
  useOnce('note', { words: 'buy milk' })
  sink.answer(() => ({ json: { noted: true } }))
  const running_config = {
    type: 'http',
    description: 'Takes a note',
    method: 'POST',
    url: `${sink.origin}/notes`,
    parameters: { words: 'What to note' },
  }
  const { text } = await answerOf({ tools: { note: { version: '1', running_config } } })
  assert.equal(text, 'I was told: {"noted":true}')
  assert.deepEqual(namesOf(model.calls.chat[0]!.body), ['note'])
  const [{ method, path, body, headers }] = sink.received as [SinkServer['received'][number]]
  assert.deepEqual([method, path, JSON.parse(body)], ['POST', '/notes', { words: 'buy milk' }])
  assert.match(String(headers['idempotency-key']), /^run_/)
})

test('runs a web search as a tool', async () => {
  useOnce('web_search', { query: 'banyan' })
  const { text } = await answerOf({ tools: { web_search: {} } })
  assert.match(text, /example\.org\/banyan/)
  assert.deepEqual(
    model.calls.search.map(({ query }) => query),
    ['banyan'],
  )
})

test('offers only the MCP tools that the agent lists', async () => {
  useOnce('weather', { city: 'Bergen' })
  const running_config = { type: 'mcp', url: tools.url, tools: ['weather'] }
  const { text } = await answerOf({ tools: { outside: { running_config } } })
  assert.equal(text, 'I was told: rain in Bergen')
  assert.deepEqual(namesOf(model.calls.chat[0]!.body), ['weather'])
})

test('answers without the tools of an MCP server that is down, and informs the model', async () => {
  model.play(() => ({ text: 'without' }))
  const running_config = { type: 'mcp', url: 'http://127.0.0.1:9/mcp' }
  const { text } = await answerOf({ tools: { gone: { running_config } } })
  assert.equal(text, 'without')
  const { body } = model.calls.chat[0]!
  assert.deepEqual(namesOf(body), [])
  assert.match(allText(body), /tools of a server are not available now: 127\.0\.0\.1:9 could not be reached/)
})

test('runs a workflow as a tool and records its steps in the trace', async () => {
  const id = await makeWorkflow(api, chain(output('say', 'inner {{#sys.query#}}')))
  useOnce('ask_inner', { query: 'question' })
  const { text, run } = await answerOf({ tools: { ask_inner: { running_config: { type: 'workflow', id } } } })
  assert.match(text, /inner question/)
  assert.ok(run.nodes.some(({ path }: Data) => /\/say$/.test(path)))
  assert.equal(run.answer, text, 'the output of the inner workflow is not sent to the user')
})

test('describes a workflow to the model by its name', async () => {
  const workflow = chain(output('say', 'x'))
  const { id } = await dataOf(api.post('workflow/create', { name: 'Order tea', workflow }))
  model.play(() => ({ text: 'Hi' }))
  const running_config = { type: 'workflow', id }
  const described = { ...running_config, description: 'Orders.' }
  await answerOf({ tools: { order: { running_config }, again: { running_config: described } } })
  const { tools: offered = [] } = model.calls.chat[0]!.body
  assert.deepEqual(
    offered.map(tool => tool.function.description),
    ['Runs the workflow "Order tea" and returns its answer.', 'Orders.'],
  )
})

test('asks the questions of several tools in the order in which the model called them', async () => {
  const names = ['first', 'second', 'third']
  const ids = []
  for (const [at, name] of names.entries()) {
    // The earlier a tool is called, the later it asks.
    const before = names.slice(at).map(each => node(each, 'template', { template: each }))
    const graph = chain(...before, node('ask', 'question', { question: `${name}?` }))
    ids.push([`${name}_tool`, { running_config: { type: 'workflow', id: await makeWorkflow(api, graph) } }])
  }
  model.play(body =>
    toolResults(body).length === 0
      ? { toolCalls: names.map(name => ({ name: `${name}_tool`, arguments: { query: name } })) }
      : { text: 'Thanks' },
  )
  const talk = await openTalk(api, await makeAgent(api, { tools: Object.fromEntries(ids) }))
  const asked: string[] = []
  let turn = await say(api, talk, 'Go')
  for (; turn.waiting; turn = await say(api, talk, 'Yes')) asked.push(turn.feedback.at(-1).content)
  assert.deepEqual(asked, ['first?', 'second?', 'third?'])
  assert.equal(turn.feedback[0].content, 'Thanks')
})

test('passes a tool error to the model and continues', async () => {
  useOnce('note', {})
  sink.answer(() => ({ status: 500, json: { sorry: 'out of order' } }))
  const running_config = { type: 'http', method: 'POST', url: `${sink.origin}/notes` }
  const { text } = await answerOf({ tools: { note: { running_config } } })
  assert.match(text, /^I was told: failed: HTTP 500[\s\S]*out of order/)
})

test('answers from a knowledge base and stores the citations', async () => {
  const base = await makeBase(api, { embedding: null })
  const [file] = await addTexts(api, base, {
    'house.txt': 'The secret word of the house is xylophone.',
    'tea.txt': 'Tea is served at five.',
  })
  model.play(() => ({ text: 'It is xylophone [1].' }))
  const agent = await makeAgent(api, { character_profile: 'You are a butler.' }, { learn: { [base]: {} } })
  const { feedback, run_id } = await say(
    api,
    await openTalk(api, agent),
    'What is the secret word of the house?',
  )
  assert.equal(feedback[0].content, 'It is xylophone [1].')
  assert.match(allText(model.calls.chat[0]!.body), /You are a butler[\s\S]*xylophone/)
  const { nodes } = await runOf(api, run_id)
  const { citations } = nodes.find(({ kind }: Data) => kind === 'llm').outputs
  assert.deepEqual([citations.length, citations[0].file_id, citations[0].cited], [1, file, true])
})

test('answers without a knowledge base that was deleted, and the prompt says that nothing was found', async () => {
  const [kept, deleted] = [await makeBase(api, { embedding: null }), await makeBase(api, { embedding: null })]
  await addTexts(api, kept, { 'house.txt': 'The secret word of the house is xylophone.' })
  const agent = await makeAgent(api, {}, { learn: { [kept]: {}, [deleted]: {} } })
  await dataOf(api.post(`knowledge/${deleted}/delete`))
  model.play(() => ({ text: 'Here you are.' }))
  const talk = await openTalk(api, agent)
  assert.equal((await say(api, talk, 'What is the secret word?')).feedback[0].content, 'Here you are.')
  assert.match(allText(model.calls.chat[0]!.body), /xylophone/)
  await dataOf(api.post(`knowledge/${kept}/delete`))
  assert.equal((await say(api, talk, 'What is the secret word?')).feedback[0].content, 'Here you are.')
  assert.match(allText(model.calls.chat[1]!.body), /hold nothing relevant/)
})

test('answers a follow-up from the documents of the question before it', async () => {
  const base = await makeBase(api, { embedding: null })
  await addTexts(api, base, {
    'chairs.txt': 'Chairs: returned chairs are refunded within nine days.',
    'tea.txt': 'Tea is served at five and takes long to brew.',
  })
  const agent = await makeAgent(api, {}, { learn: { [base]: {} } })
  const talk = await openTalk(api, agent)
  await say(api, talk, 'Can I return chairs?')
  await say(api, talk, 'And how long does that take?')
  assert.match(allText(model.calls.chat[1]!.body), /refunded within nine days/)
})
