import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { appText } from '../import/dify-apps.ts'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { type ChatPlan, lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { openTalk, say } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

let model: ScriptedModel
let server: TestServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
})
beforeEach(() => model.reset())
after(async () => {
  await server.stop()
  await model.stop()
})

const load = async (content: string, more: object = {}) => {
  const imported = await dataOf(api.post('workflow/import', { content, ...more }))
  assert.deepEqual(
    imported.warnings.filter((each: { blocking: boolean }) => each.blocking),
    [],
  )
  return imported
}

describe('an imported app', () => {
  test('is stored as workflows that run', async () => {
    const imported = await load(appText('digest'), { id: 'digest' })
    assert.deepEqual([imported.id, imported.version, imported.agent_id], ['digest', 1, null])
    // Its code has five seconds of real time, which a busy machine may not give it at first.
    const run = await until('a run within the time limits', async () => {
      const inputs = { query: ' one, two', tone: 'short' }
      const ended = await dataOf(api.post('workflow/run', { id: 'digest', inputs }))
      return /took longer/.test(ended.error?.message) ? undefined : ended
    })
    assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
    assert.deepEqual(run.outputs, {
      digest: '- 0:ONE/short/9\n- 1:TWO/short/9\ntotal 7',
      lines: ['0:ONE/short/9', '1:TWO/short/9'],
    })
    const names = (await dataOf(api.post('workflow/list', { keyword: 'Digest' }))).items
    assert.deepEqual(names.map((each: { name: string }) => each.name).toSorted(), [
      'Digest',
      'Digest · Each part',
      'Digest · Grow',
    ])
  })

  test('counts the turns of a conversation where it refers to their number', async () => {
    const nodes = [
      { id: 's', data: { type: 'start', title: 'Start' } },
      { id: 'a', data: { type: 'answer', title: 'Answer', answer: 'turn {{#sys.dialogue_count#}}' } },
    ]
    const edges = [{ source: 's', target: 'a', sourceHandle: 'source' }]
    const app = { name: 'Counter', mode: 'advanced-chat' }
    const file = { app, kind: 'app', version: '0.5.0', workflow: { graph: { nodes, edges } } }
    const imported = await load(JSON.stringify(file))
    for (const conversation of ['first', 'second']) {
      const talk = await openTalk(api, imported.agent_id)
      for (const turn of [1, 2, 3])
        assert.equal((await say(api, talk, 'Hello')).feedback.at(-1).content, `turn ${turn}`, conversation)
    }
  })

  test('knows whether the required parameters were found', async () => {
    const parameters = [
      { name: 'order_no', type: 'string', required: true },
      { name: 'count', type: 'number' },
    ]
    const names = ['order_no', 'count', '__is_success', '__reason']
    const nodes = [
      { id: 's', data: { type: 'start', variables: [{ variable: 'query', type: 'text-input' }] } },
      { id: 'n', data: { type: 'parameter-extractor', title: 'Order', query: ['s', 'query'], parameters } },
      {
        id: 'e',
        data: { type: 'end', outputs: names.map(name => ({ variable: name, value_selector: ['n', name] })) },
      },
    ]
    const edges = [
      { source: 's', target: 'n' },
      { source: 'n', target: 'e' },
    ]
    const app = { name: 'Orders', mode: 'workflow' }
    const { id } = await load(
      JSON.stringify({ app, kind: 'app', version: '0.5.0', workflow: { graph: { nodes, edges } } }),
    )
    const runWith = async (plan: ChatPlan) => {
      model.play(() => plan)
      return await dataOf(api.post('workflow/run', { id, inputs: { query: 'Where is my order?' } }))
    }
    const nothing = { order_no: '', count: 0, __is_success: 0, __reason: 'Not found: order_no' }
    for (const [text, outputs] of [
      ['{"order_no":"A1","count":2}', { order_no: 'A1', count: 2, __is_success: 1, __reason: '' }],
      ['{"order_no":"A1"}', { order_no: 'A1', count: 0, __is_success: 1, __reason: '' }],
      ['{"order_no":null}', nothing],
      ['{"order_no":""}', nothing],
      ['{"count":3}', { ...nothing, count: 3 }],
      ['{}', nothing],
    ] as const)
      assert.deepEqual((await runWith({ text })).outputs, outputs, text)
    const { outputs } = await runWith({ text: 'I do not know.' })
    const { __reason: reason, ...rest } = outputs
    assert.deepEqual(rest, { order_no: '', count: 0, __is_success: 0 })
    assert.match(reason, /it is not JSON/)
    const failed = await runWith({ status: 401 })
    assert.equal(failed.status, 'failed')
    assert.match(failed.error.message, /401/)
  })

  test('with a conversation also becomes an agent that answers', async () => {
    const base = await dataOf(api.post('knowledge/create', { name: 'Handbook', embedding: null }))
    const knowledge = { 'ds-1': base.knowledge_id, 'ds-2': base.knowledge_id }
    const imported = await load(appText('desk'), { knowledge })
    const { agents } = await dataOf(api.post('agent/gets', { id: [imported.agent_id] }))
    const { name, config } = agents[imported.agent_id].data
    assert.equal(name, 'Service desk')
    assert.deepEqual(config, {
      workflow_id: imported.id,
      avatar: { emoji: '🤖' },
      prologue: 'Welcome!',
      recommendation_question: ['Where is my order?'],
    })
    model.play(body => ({ text: body.response_format ? '{"class":"c_other"}' : `Re: ${lastUserText(body)}` }))
    const talk = await openTalk(api, imported.agent_id)
    assert.equal((await say(api, talk, 'Do you ship?')).feedback.at(-1).content, 'Re: Do you ship?')
    assert.ok(imported.report.some((line: { state: string }) => line.state === 'changed'))
    const { report } = imported
    assert.deepEqual(Object.keys(report[0]), ['node_id', 'title', 'kind', 'state', 'message', 'notes'])
    const [removed] = report.find((line: { node_id: string }) => line.node_id === '1007').notes
    const values = { reference: '{{#1099.text#}}' }
    assert.deepEqual(removed, { code: 'reference_removed', values })
  })

  test('without a graph becomes an agent, too', async () => {
    const base = await dataOf(api.post('knowledge/create', { name: 'Town', embedding: null }))
    const imported = await load(appText('concierge'), { knowledge: { 'town-data': base.knowledge_id } })
    model.play(() => ({ text: 'Next to the church.' }))
    const talk = await openTalk(api, imported.agent_id)
    assert.equal(
      (await say(api, talk, 'Where is the museum?')).feedback.at(-1).content,
      'Next to the church.',
    )
    const [system] = model.calls.chat.at(-1)!.body.messages
    assert.match(JSON.stringify(system), /You are a concierge of Grand Hotel/)
  })
})
