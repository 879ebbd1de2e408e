import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { keptSteps } from '../../src/conversations/answer-steps.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { dataOf } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { chain, output } from '../support/run-graphs.ts'
import { allText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, messagesOf, openTalk, say, type Talk } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

let fresh: FreshDatabase
let model: ScriptedModel
let server: TestServer
let api: ApiClient
before(async () => {
  fresh = await migratedDatabase()
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' }, fresh)
  api = server.api
})
after(async () => {
  await server.stop()
  await model.stop()
  await fresh.drop()
})

/** A persona that calls a tool, thinks, and proposes questions. */
async function makeWeatherAgent(more: object = {}): Promise<string> {
  const id = await makeWorkflow(api, chain(output('say', '22 degrees in {{#sys.query#}}')))
  const tools = { get_weather: { running_config: { type: 'workflow', id } } }
  model.play(body => {
    if (allText(body).includes('most likely to ask next')) return { text: 'And tomorrow?\nIn Rome?' }
    return body.messages.some(({ role }) => role === 'tool')
      ? { text: 'It is warm.' }
      : { reasoning: 'I should look.', toolCalls: [{ name: 'get_weather', arguments: { query: 'Paris' } }] }
  })
  return makeAgent(api, { tools, suggest_questions: true }, more)
}

/** The first reply of the newest turn, once its steps are stored. */
const replyOf = (talk: Talk, as = api): Promise<ApiAnswer['json']> =>
  until('the steps', async () => {
    const [reply] = await messagesOf(as, talk, { details: 1, limit: 1 })
    return reply.tools ? reply : undefined
  })

test('how an answer came about is read again, longer than its run is kept', async () => {
  const talk = await openTalk(api, await makeWeatherAgent())
  const { run_id, chat_id } = await say(api, talk, 'How is the weather?')
  const key = { ...talk, chat_id }
  assert.deepEqual((await api.post('conversation/suggestions', key)).json.questions, [
    'And tomorrow?',
    'In Rome?',
  ])
  await replyOf(talk)
  const database = await openDatabase(fresh)
  await database.transaction(async transaction => {
    await transaction.run('DELETE FROM run_steps')
    await transaction.run('DELETE FROM runs')
  })
  await database.close()
  assert.equal((await api.get(`workflow/runs/${run_id}`)).status, 404)
  const reply = await replyOf(talk)
  const [{ result, ...called }] = reply.tools
  assert.deepEqual(called, { tool: 'get_weather', status: 'done', arguments: { query: 'Paris' } })
  assert.match(result, /22 degrees in Paris/)
  assert.equal(reply.reasoning, 'I should look.')
  assert.equal(typeof reply.reasoning_ms, 'number')
  assert.deepEqual(reply.suggestions, ['And tomorrow?', 'In Rome?'])
  const [plain] = await messagesOf(api, talk, { limit: 1 })
  assert.equal(plain.tools, undefined)
})

test('callers see as much of it as they see of the stream', async () => {
  const agent = await makeWeatherAgent({ access: 'public' })
  const { visitor } = await dataOf(api.as(undefined).post('agent/visitor', { agent_id: agent }))
  const anonymous: ApiClient = {
    ...api.as(undefined),
    post: (path, body) => api.as(undefined).post(path, body, { headers: { 'x-visitor': visitor } }),
  }
  const talk = await openTalk(anonymous, agent)
  await say(anonymous, talk, 'How is the weather?')
  const seen = await replyOf(talk, anonymous)
  assert.deepEqual(seen.tools, [{ tool: 'get_weather', status: 'done' }])
  assert.equal(seen.reasoning, undefined)

  const made = await dataOf(api.post('token/create', { name: 'r', role: 'runner', agent_ids: [agent] }))
  const runner = api.as(made.token)
  const own = await openTalk(runner, agent)
  await say(runner, own, 'How is the weather?')
  const reply = await replyOf(own, runner)
  assert.match(reply.tools[0].result, /22 degrees in Paris/)
  assert.equal(reply.reasoning, undefined)
})

test('the stored steps are limited, and outputs of any shape are accepted', () => {
  assert.equal(keptSteps(['1', '{}', '{"steps":[{}],"reasoning":"","reasoning_ms":1}']), undefined)
  const long = 'x'.repeat(50_000)
  const steps = Array.from({ length: 60 }, () => ({
    tool: long,
    arguments: { long },
    result: `failed: ${long}`,
  }))
  const kept = keptSteps([JSON.stringify({ steps, reasoning: long, reasoning_ms: 1.5 })])
  assert.ok(kept && JSON.stringify(kept).length < 100_000)
  assert.equal(kept.tools[0]?.status, 'failed')
  assert.equal(kept.tools.length, 30)
})
