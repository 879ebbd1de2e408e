import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { makeAgent, openTalk, runOf, runWorkflow, say } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

type Data = ApiAnswer['json']

const folder = join(import.meta.dirname, '../../examples')
const documents = globSync('*.json', { cwd: folder }).sort()
const contentOf = (name: string): string => readFileSync(join(folder, name), 'utf8')

let model: ScriptedModel
let tools: ScriptedToolServer
let server: TestServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  tools = await new ScriptedToolServer({
    tools: [{ name: 'forecast', description: 'Weather', inputSchema: { type: 'object', properties: {} } }],
    call: () => ({ content: [{ type: 'text', text: 'It will rain.' }] }),
  }).start()
  server = await startTestServer({ ...model.environment, EGRESS_ALLOW: '127.0.0.1', DEMO: 'off' })
  api = server.api
})
beforeEach(() => model.reset())
after(async () => {
  await server.stop()
  await tools.close()
  await model.stop()
})

/** Imports an example after a change of its text. */
const load = (name: string, change = (content: string): string => content): Promise<Data> =>
  dataOf(api.post('workflow/import', { content: change(contentOf(name)) }))
const blockingOf = ({ warnings }: Data): Data[] => warnings.filter((each: Data) => each.blocking)

async function runProgram(name: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, BANYAN_URL: server.base, BANYAN_TOKEN: operatorToken }
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name), ...words], { env })
  return stdout
}

describe('the examples', () => {
  test('can run once what they refer to is chosen', async () => {
    const expected: Record<string, string> = {
      'rag-bot.json': '/document/workflow/nodes/1/data/knowledge_ids',
      'mcp-client.json': '/document/workflow/nodes/1/data/数据源~1API工具/0/url',
    }
    for (const name of documents) {
      const paths = blockingOf(await load(name)).map(({ path }) => path.replace('/content', '/document'))
      assert.deepEqual(paths, name in expected ? [expected[name]] : [], name)
    }
  })

  test('have every title and text in Chinese', () => {
    for (const name of documents) {
      const { zh, ...document } = JSON.parse(contentOf(name))
      const titles: string[] = document.workflow.nodes.map((node: Data) => node.data.title)
      for (const text of [document.name, document.about, ...titles])
        assert.match(zh[text] ?? '', /\p{Script=Han}|MCP/u, `${name}: ${text}`)
      for (const text of Object.keys(zh))
        assert.ok(JSON.stringify(document).includes(JSON.stringify(text)), `${name} has no "${text}"`)
    }
  })

  test('a blank workflow runs', async () => {
    const { id } = await load('blank.json')
    assert.equal((await runWorkflow(api, id, 'hello')).status, 'succeeded')
  })

  test('a model answers, in branches', async () => {
    const plain = await load('model-answer.json')
    model.play(() => ({ text: 'Gladly.' }))
    assert.equal((await runWorkflow(api, plain.id, 'Help')).answer, 'Gladly.')
    const branches = await load('branches.json')
    model.play(() => ({ text: '{"class":"complaint"}' }))
    assert.match((await runWorkflow(api, branches.id, 'It broke')).answer, /I am sorry/)
  })

  test('the RAG bot answers from a knowledge base', async () => {
    const base = await makeBase(api, { embedding: null })
    await addTexts(api, base, { 'trees.md': 'A banyan lets down roots from its branches.' })
    const { id } = await load('rag-bot.json', content =>
      content.replace('"knowledge_ids": []', `"knowledge_ids": ["${base}"]`),
    )
    model.play(body => ({ text: /lets down roots/.test(lastUserText(body)) ? 'By roots [1].' : 'unknown' }))
    assert.equal((await runWorkflow(api, id, 'How does a banyan grow roots?')).answer, 'By roots [1].')
  })

  test('the extractor fills in the form', async () => {
    const { id } = await load('form-filling.json')
    model.play(() => ({ text: '{"values":{"drink":"mocha","cups":2},"reply":""}' }))
    const { answer, status } = await runWorkflow(api, id, 'Two mochas, please')
    assert.equal(status, 'succeeded')
    assert.match(answer, /Your order: .* × mocha/)
  })

  test('the service robot sends actions to its device, which reports back', async () => {
    const { id } = await load('service-robot.json')
    const agent = await makeAgent(api, { workflow_id: id })
    model.play(body => ({
      text: /The device reported: .*"done":true/.test(lastUserText(body))
        ? 'Here is your tea.'
        : '{"class":"fetch"}',
    }))
    const lines = (await runProgram('robot-device.mjs', agent, 'A cup of tea')).trim().split('\n')
    assert.deepEqual(lines, [
      '> A cup of tea',
      '< I am on my way.',
      '< {"do": "fetch", "what": "A cup of tea"}',
      '> {"do":"fetch","what":"A cup of tea","done":true}',
      '< Here is your tea.',
    ])
  })

  test('the report is written by a schedule', async () => {
    const { id } = await load('scheduled-report.json')
    model.play(body => ({ text: `Report: ${/\{.*\}/.exec(lastUserText(body))?.[0]}` }))
    const trigger = await dataOf(
      api.post('trigger/create', {
        kind: 'schedule',
        name: 'Report',
        workflow_id: id,
        schedule: { cron: '* * * * * *' },
        inputs: { numbers: [3, 4] },
      }),
    )
    const run = await until('a report', async () => {
      const { items } = await dataOf(api.post('trigger/runs', { id: trigger.id }))
      return items.find((each: Data) => each.status === 'succeeded')
    })
    await dataOf(api.post('trigger/update', { id: trigger.id, enabled: false }))
    const { outputs } = await runOf(api, run.run_id)
    assert.deepEqual([outputs.total, JSON.parse(outputs.report.slice(8))], [7, { total: 7, count: 2 }])
  })

  test('the app of Dify answers in a conversation and remembers', async () => {
    const imported = await load('dify-app.yml')
    assert.deepEqual(blockingOf(imported), [])
    model.play(body => ({ text: `Post. ${lastUserText(body)}` }))
    const talk = await openTalk(api, imported.agent_id)
    const first = await say(api, talk, 'trees', { inputs: { tone: 'formal' } })
    assert.equal(first.feedback.at(-1).content, 'Post. Topic: trees. The last one was: ')
    // The schedule of the test before may still have a run that asks the model.
    const call = model.calls.chat.find(({ body }) => /Topic: trees/.test(lastUserText(body)))
    assert.match(JSON.stringify(call?.body.messages[0]), /Write a formal post/)
    const second = await say(api, talk, 'roots')
    assert.equal(second.feedback.at(-1).content, 'Post. Topic: roots. The last one was: trees')
  })

  test('an OpenAI client uses a workflow as a model', async () => {
    const { id } = await load('openai-client.json')
    await dataOf(api.post('workflow/publish', { id }))
    model.play(() => ({ text: 'Hello from a workflow.' }))
    assert.equal(await runProgram('openai-client.mjs', `workflow/${id}`, 'Hi'), 'Hello from a workflow.\n')
  })

  test('an MCP client uses a workflow as a tool, which uses the tools of another server', async () => {
    const { id } = await load('mcp-client.json', content =>
      content.replace('"url": ""', `"url": "${tools.url}"`),
    )
    await dataOf(api.post('workflow/publish', { id }))
    model.play(body => {
      const result = body.messages.find(({ role }) => role === 'tool')
      if (result) return { text: `Told: ${JSON.stringify(result.content)}` }
      return { toolCalls: [{ name: body.tools?.[0]?.function.name ?? '', arguments: {} }] }
    })
    const name = /^(run_\S+):/m.exec(await runProgram('mcp-client.mjs'))?.[1]
    assert.ok(name)
    assert.match(await runProgram('mcp-client.mjs', name, 'Weather?'), /Told: .*It will rain/)
  })
})
