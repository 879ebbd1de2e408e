import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, openTalk, say } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

let model: ScriptedModel
let server: TestServer
before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, SMALL_MODEL: 'scripted', DEMO: 'off' })
})
after(async () => {
  await server.stop()
  await model.stop()
})

test('the small model names a conversation after its first answer, and proposes questions on request', async () => {
  const { api } = server
  model.play(body =>
    allText(body).includes('Write a title')
      ? { text: '"Days of holiday"' }
      : allText(body).includes('most likely to ask next')
        ? { text: '- Can I carry them over?\n- Who decides?' }
        : { text: 'Thirty.' },
  )
  const agent = await makeAgent(api, { suggest_questions: true })
  const talk = await openTalk(api, agent)
  const { chat_id } = await say(api, talk, 'How many days of holiday do I have? I began in May.')
  const name = async () => (await api.post('conversation/list', { agent_id: agent })).json.items[0].name
  await until('the title', async () => (await name()) === 'Days of holiday')
  const proposed = await api.post('conversation/suggestions', { ...talk, chat_id })
  assert.deepEqual(proposed.json.questions, ['Can I carry them over?', 'Who decides?'])
  const calls = model.calls.chat.length
  assert.deepEqual((await api.post('conversation/suggestions', { ...talk, chat_id })).json, proposed.json)
  assert.equal(model.calls.chat.length, calls, 'they are stored')
})
