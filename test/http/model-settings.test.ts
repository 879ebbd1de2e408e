import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { providerQuirks } from '../support/provider-quirks.ts'
import { chain } from '../support/run-graphs.ts'
import { allText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say, send } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

type Data = ApiAnswer['json']

let model: ScriptedModel
let provider: ScriptedProvider
let server: TestServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  provider = await startScriptedProvider()
  server = await startTestServer({
    SECRET_KEY: 'key of the settings',
    EGRESS_ALLOW: '127.0.0.1',
    DEMO: 'off',
  })
})
after(async () => {
  await server.stop()
  await provider.close()
  await model.stop()
})

let workspaces = 0
beforeEach(async () => {
  model.reset()
  provider.calls.length = 0
  const created = await server.api.post('workspace/create', { name: `settings ${++workspaces}` })
  api = server.api.as(created.json.data.token)
})

const chat = () => ({ name: 'writer', base_url: `${model.origin}/v1`, model: 'writer-1' })
const create = (more: object): Promise<Data> => dataOf(api.post('model/create', { ...chat(), ...more }))
const update = (id: string, more: object): Promise<Data> => dataOf(api.post('model/update', { id, ...more }))
const talk = async (): Promise<Parameters<typeof say>[1]> => openTalk(api, await makeAgent(api))
const lastBody = () => model.calls.chat.at(-1)!.body
const secret = 'azure-key-0123456789'

describe('the settings of a chat model', () => {
  it('are returned as they were sent, and null removes one', async () => {
    const settings = {
      ...{ max_tokens: 300, temperature: 0.3, top_p: 0.5, frequency_penalty: -1, presence_penalty: 1 },
      ...{ stop: ['END'], seed: 7, reasoning_effort: 'low', context_length: 8192, max_output: 1000 },
      ...{ supports: { vision: false }, input_price: 2, output_price: 8 },
      ...{ extra_body: { enable_thinking: false, nested: { a: [1] } }, fallbacks: ['backup'] },
    }
    const created = await create(settings)
    for (const [name, value] of Object.entries(settings)) assert.deepEqual(created[name], value, name)
    const changed = await update(created.id, { stop: null, extra_body: null, top_p: 0.9 })
    assert.deepEqual([changed.stop, changed.extra_body, changed.top_p], [null, null, 0.9])
    assert.equal(changed.seed, 7)
  })

  it('show credentials in an address or a body only to those who may change them', async () => {
    const base_url = `${model.origin}/v1?key=in-the-address&api-version=7`
    const { id } = await create({ base_url, extra_body: { api_key: 'in-the-body', top_k: 5 } })
    const listed = async (client: ApiClient): Promise<Data> =>
      (await dataOf(client.post('model/list', {}))).items.find((each: Data) => each.id === id)
    assert.deepEqual((await listed(api)).extra_body, { api_key: 'in-the-body', top_k: 5 })
    for (const role of ['viewer', 'editor']) {
      const { token } = await dataOf(api.post('token/create', { name: role, role }))
      const seen = await listed(api.as(token))
      assert.doesNotMatch(JSON.stringify(seen), /in-the/)
      assert.deepEqual([seen.extra_body.top_k, /api-version=7/.test(seen.base_url)], [5, true])
    }
  })

  it('are part of every request, and a node takes precedence', async () => {
    await create({
      ...{ max_tokens: 300, top_p: 0.5, frequency_penalty: -1, presence_penalty: 1, stop: ['END'], seed: 7 },
      ...{
        reasoning_effort: 'low',
        max_output: 200,
        temperature: 0.3,
        extra_body: { enable_thinking: false },
      },
    })
    await say(api, await talk(), 'hi')
    const { messages: _, stream: __, stream_options: ___, ...sent } = lastBody()
    assert.deepEqual(sent, {
      ...{ model: 'writer-1', max_tokens: 200, temperature: 0.3, top_p: 0.5, frequency_penalty: -1 },
      ...{ presence_penalty: 1, stop: ['END'], seed: 7, reasoning_effort: 'low', enable_thinking: false },
    })
    const data = { type: 'llm', prompt_template: 'x', temperature: 1, max_tokens: 100 }
    await runWorkflow(api, await makeWorkflow(api, chain({ id: 'llm_1', type: 'base', data })), 'x')
    assert.deepEqual([lastBody()['temperature'], lastBody()['max_tokens']], [1, 100])
  })

  it('leave out a parameter that the provider rejects, and remember it', async () => {
    await create({ top_p: 0.5, seed: 7 })
    model.play(body =>
      body['top_p'] === undefined
        ? undefined
        : { status: 400, message: "Unsupported parameter: 'top_p' is not supported with this model." },
    )
    const conversation = await talk()
    await say(api, conversation, 'one')
    assert.equal(lastBody()['seed'], 7)
    await say(api, conversation, 'two')
    assert.equal(model.calls.chat.length, 3)
  })

  it('trim the history to the context length', async () => {
    const { id } = await create({})
    const conversation = await talk()
    for (const word of ['one ', 'two ']) await say(api, conversation, word.repeat(300))
    await update(id, { context_length: 600, max_tokens: 100 })
    await say(api, conversation, 'hi')
    assert.equal(model.calls.chat.length, 3)
    assert.doesNotMatch(allText(lastBody()), /one/)
  })

  it('keep tools, images and schemas from models that do not support them', async () => {
    await create({ supports: { tools: false, json_schema: false } })
    const json_schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    model.play(() => ({ text: '{"a":"b"}' }))
    const data = {
      type: 'llm',
      prompt_template: 'x',
      json_schema,
      '数据源/API工具': [{ type: 'http', name: 'note', method: 'POST', url: `${model.origin}/note` }],
    }
    await runWorkflow(api, await makeWorkflow(api, chain({ id: 'llm_1', type: 'base', data })), 'x')
    const { tools, response_format } = lastBody()
    assert.deepEqual([tools, response_format], [undefined, { type: 'json_object' }])
    assert.match(allText(lastBody()), /JSON Schema/)
  })

  it('count what an answer costs', async () => {
    await create({ input_price: 2, output_price: 8 })
    model.play(() => ({ text: 'x', usage: { prompt_tokens: 1000, completion_tokens: 500 } }))
    const { run_id } = await say(api, await talk(), 'hi')
    const { nodes } = await runOf(api, run_id)
    assert.equal(nodes.find(({ kind }: Data) => kind === 'llm').outputs.usage.cost, 0.006)
  })

  it('add up to the cost of each day, agent and workflow', async () => {
    const { id } = await create({ input_price: 2, output_price: 8 })
    model.play(() => ({ text: 'x', usage: { prompt_tokens: 1000, completion_tokens: 500 } }))
    const conversation = await talk()
    for (const message of ['one', 'two']) await say(api, conversation, message)
    const llm = { id: 'llm_1', type: 'base', data: { type: 'llm', prompt_template: 'x' } }
    const workflow = await makeWorkflow(api, chain(llm))
    await runWorkflow(api, workflow, 'x')
    await update(id, { input_price: null, output_price: null })
    await runWorkflow(api, workflow, 'free')
    const { totals, days, by_agent, by_workflow } = await dataOf(api.get('usage'))
    assert.deepEqual([totals.runs, totals.cost, days.at(-1).cost], [4, 0.018, 0.018])
    assert.equal(by_agent.find((row: Data) => row.agent_id === conversation.agent_id).cost, 0.012)
    assert.equal(by_workflow.find((row: Data) => row.workflow_id === workflow).cost, 0.006)
  })
})

describe('the headers of a model', () => {
  it('carry the key of Azure, and are shown without their values', async () => {
    model.play(body => providerQuirks.azure(body, model.calls.chat.at(-1)!.headers))
    const created = await create({
      base_url: `${model.origin}/openai?api-version=2024`,
      headers: { 'Api-Key': secret },
    })
    assert.deepEqual(created.headers, [{ name: 'api-key', value_end: '6789' }])
    const { feedback } = await say(api, await talk(), 'hi')
    assert.equal(feedback[0].content, 'echo: hi')
    assert.match(model.calls.chat[0]!.url, /api-version=2024/)
    assert.doesNotMatch((await api.post('model/list', {})).text, /azure-key/)
    const changed = await update(created.id, { headers: { 'x-team': 'a', 'api-key': null } })
    assert.deepEqual(changed.headers, [{ name: 'x-team', value_end: '' }])
  })

  it('do not appear in messages of the provider, nor are they sent to another server', async () => {
    const { id } = await create({ headers: { 'api-key': secret } })
    model.play(() => ({ status: 400, message: `bad ${secret}` }))
    assert.doesNotMatch((await send(api, await talk(), 'hi')).text, /azure-key/)
    const moved = { id, base_url: `${provider.baseUrl}` }
    const { status, json } = await api.post('model/update', moved)
    assert.deepEqual([status, json.data.errors[0].path], [400, '/headers'])
    const tested = await dataOf(api.post('model/test', { ...moved, type: 'embedding', model: 'e' }))
    assert.deepEqual([tested.ok, provider.calls[0]!.headers['api-key']], [true, undefined])
  })

  it('are rejected where they are invalid', async () => {
    for (const [more, path] of [
      [{ headers: { host: 'x' } }, '/headers/host'],
      [{ headers: { 'a b': 'x' } }, '/headers/a b'],
      [{ headers: { a: 'x\ny' } }, '/headers/a'],
      [{ headers: { a: 1 } }, '/headers/a'],
      [{ headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`h${at}`, 'x'])) }, '/headers'],
      [{ extra_body: { messages: [] } }, '/extra_body/messages'],
      [{ extra_body: { a: 'x'.repeat(20_000) } }, '/extra_body'],
      [{ type: 'painting' }, '/type'],
    ] as const) {
      const { status, json } = await api.post('model/create', { ...chat(), ...more })
      assert.deepEqual([status, json.data.errors[0].path], [400, path])
    }
  })
})

describe('fallbacks of a model', () => {
  const failing = (body: { model: string }) =>
    body.model === 'writer-1' ? ({ status: 401, message: 'no' } as const) : undefined

  it('answer in their order where a call fails', async () => {
    await create({ is_default: true, fallbacks: ['gone', 'second', 'third'] })
    await create({ name: 'second', model: 'writer-2', base_url: 'http://127.0.0.1:1/v1' })
    await create({ name: 'third', model: 'writer-3' })
    model.play(failing)
    const { feedback, run_id } = await say(api, await talk(), 'hi')
    assert.equal(feedback[0].content, 'echo: hi')
    assert.equal(lastBody().model, 'writer-3')
    const keys = model.calls.chat.slice(-2).map(({ headers }) => headers['idempotency-key'])
    assert.notEqual(keys[0], keys[1], 'another body needs another key')
    const { nodes } = await runOf(api, run_id)
    assert.equal(nodes.find(({ kind }: Data) => kind === 'llm').outputs.model, 'writer-3')
  })

  it('answer at once while the first model is rate limited', async () => {
    await create({ is_default: true, fallbacks: ['second'], api_key: 'k-1' })
    await create({ name: 'second', model: 'writer-2', api_key: 'k-2' })
    const limited = { status: 429, headers: { 'retry-after': '30' } }
    model.play(({ model: name }) => (name === 'writer-1' ? limited : undefined))
    const opened = await talk()
    for (const text of ['hi', 'again']) await say(api, opened, text)
    assert.deepEqual(
      model.calls.chat.map(({ body }) => body.model),
      ['writer-1', 'writer-2', 'writer-2'],
    )
  })

  it('wait for the first model where no fallback answers', async () => {
    await create({ is_default: true, fallbacks: ['gone', 'second'], api_key: 'k-1' })
    await create({ name: 'second', model: 'writer-2', api_key: 'k-2' })
    const limited = { status: 429, headers: { 'retry-after': '1' } }
    let isOver = false
    model.play(({ model: name }) =>
      name === 'writer-2' ? { status: 401, message: 'no' } : isOver ? undefined : limited,
    )
    const opened = await talk()
    await send(api, opened, 'hi')
    isOver = true
    assert.equal((await say(api, opened, 'again')).feedback[0].content, 'echo: again')
    assert.equal(lastBody().model, 'writer-1')
  })

  it('are not called after the first text, and the first failure is reported', async () => {
    await create({ is_default: true, fallbacks: ['second'] })
    await create({ name: 'second', model: 'writer-2' })
    model.play(() => ({ text: 'Half of it', cutAfter: 1 }))
    await send(api, await talk(), 'hi')
    assert.ok(model.calls.chat.every(({ body }) => body.model === 'writer-1'))
    model.play(() => ({ status: 400, message: 'never' }))
    assert.match((await send(api, await talk(), 'hi')).text, /Model \\"writer\\".*never/)
  })
})

describe('the price of a fallback', () => {
  it('is that of its text, also where the answer breaks off', async () => {
    await create({ is_default: true, fallbacks: ['second'] })
    await create({ name: 'second', model: 'writer-2', output_price: 1000 })
    model.play(({ model: name }) =>
      name === 'writer-1' ? { status: 401, message: 'no' } : { text: 'Half of it', cutAfter: 1 },
    )
    const { run_id } = (await send(api, await talk(), 'hi')).json
    assert.ok((await runOf(api, run_id)).cost > 0)
  })
})

describe('a model before it is saved', () => {
  it('is tested with its key and headers', async () => {
    const { name: _, ...unsaved } = chat()
    const result = await dataOf(
      api.post('model/test', { ...unsaved, api_key: 'k-1', headers: { 'x-a': 'b' } }),
    )
    assert.deepEqual([result.ok, result.code], [true, 'answered'])
    const { headers } = model.calls.chat[0]!
    assert.deepEqual([headers.authorization, headers['x-a']], ['Bearer k-1', 'b'])
    assert.equal((await dataOf(api.post('model/list', {}))).total, 0)
    const { json } = await api.post('model/test', { base_url: unsaved.base_url })
    assert.equal(json.data.errors[0].path, '/model')
    const refused = await dataOf(api.post('model/test', { ...unsaved, base_url: 'http://10.0.0.1/v1' }))
    assert.match(
      refused.message,
      /cannot be called with these settings\. Check its base URL and its key in Models\./,
    )
  })

  it('can be chosen from the list of its provider', async () => {
    const { models } = await dataOf(
      api.post('model/discover', { base_url: `${model.origin}/v1`, api_key: 'k-2' }),
    )
    assert.deepEqual(models, [
      { id: 'embedder', context_length: null },
      { id: 'thinker', context_length: 32_768 },
      { id: 'writer', context_length: 128_000 },
    ])
    assert.equal(model.calls.models[0]!.headers.authorization, 'Bearer k-2')
    const unreachable = await api.post('model/discover', { base_url: 'http://127.0.0.1:1/v1' })
    assert.equal(unreachable.status, 502)
  })

  it('uses the stored key for the same server only', async () => {
    const { id } = await create({ api_key: 'stored-key-0123456789' })
    await dataOf(api.post('model/test', { id, model: 'other' }))
    assert.equal(model.calls.chat[0]!.headers.authorization, 'Bearer stored-key-0123456789')
    await api.post('model/discover', { id, base_url: provider.baseUrl })
    assert.ok(provider.calls.every(({ headers }) => headers.authorization === undefined))
  })
})

describe('models of other types', () => {
  const other = (type: string) => ({
    type,
    name: `my ${type}`,
    base_url: provider.baseUrl,
    model: `${type}-1`,
  })

  it('embed and rerank the knowledge of their workspace', async () => {
    assert.equal((await api.post('knowledge/create', { name: 'a', embedding: {} })).status, 400)
    await create({ ...other('embedding'), api_key: 'embed-key' })
    await create(other('rerank'))
    const kb = await makeBase(api, { retrieval: { rerank: true } })
    assert.deepEqual((await dataOf(api.get(`knowledge/${kb}`))).embedding, { model: 'my embedding' })
    await addTexts(api, kb, { a: 'The banyan grows new trunks.', b: 'Rice is boiled.' })
    const { items } = await dataOf(api.post(`knowledge/${kb}/search`, { query: 'banyan trunks' }))
    assert.match(items[0].content, /banyan/)
    assert.ok(items[0].scores.semantic !== null && items[0].scores.rerank !== null)
    const models = new Set(provider.calls.map(call => `${call.model} ${call.headers.authorization ?? ''}`))
    assert.deepEqual([...models].sort(), ['embedding-1 Bearer embed-key', 'rerank-1 '])
  })

  it('have a default of their own, and are not found by nodes', async () => {
    const writer = await create({})
    const embedding = await create(other('embedding'))
    assert.deepEqual([writer.is_default, embedding.is_default], [true, true])
    const listed = await dataOf(api.post('model/list', { type: 'embedding' }))
    assert.deepEqual(
      listed.items.map((item: Data) => [item.name, item.type]),
      [['my embedding', 'embedding']],
    )
    const agent = await makeAgent(api, { model: 'my embedding' })
    assert.match((await send(api, await openTalk(api, agent), 'hi')).text, /There is no model/)
    const { json } = await api.post('model/update', { id: embedding.id, model: 'another' })
    assert.equal(json.data.errors[0].path, '/model')
    const { features } = await dataOf(api.get('server'))
    assert.deepEqual([features.embedding.name, features.rerank.ready], ['my embedding', false])
  })

  for (const [type, message] of [
    ['embedding', '64 dimensions'],
    ['rerank', 'best of two: 2'],
  ] as const)
    it(`are tested by their type: ${type}`, async () => {
      const { name: _, ...unsaved } = other(type)
      const result = await dataOf(api.post('model/test', unsaved))
      assert.deepEqual([result.code, result.message], ['answered', message])
    })

  it('transcribe the voice messages of their workspace', async () => {
    const recording = await api.upload('hello.mp3', 'good morning', 'audio/mpeg')
    const voice = { data_type: 'voice', file_list: [recording.json.data.file_id] }
    await create({})
    const conversation = await talk()
    assert.equal((await send(api, conversation, '', voice)).status, 415)
    const { id } = await create({ type: 'transcription', name: 'ear', model: 'ear-1', api_key: 'ear-key' })
    const { feedback } = await say(api, conversation, '', voice)
    assert.match(feedback[0].content, /heard: good morning/)
    const [call] = model.calls.transcription
    assert.deepEqual([call!.model, call!.headers.authorization], ['ear-1', 'Bearer ear-key'])
    await dataOf(api.post('model/delete', { id }))
    assert.equal((await send(api, conversation, '', voice)).status, 415)
  })

  it('are tested by their type: speech', async () => {
    const unsaved = {
      type: 'speech',
      base_url: `${model.origin}/v1`,
      model: 'voice',
      extra_body: { voice: 'nova' },
    }
    const result = await dataOf(api.post('model/test', unsaved))
    assert.deepEqual([result.ok, result.message], [true, '13 bytes of audio/mpeg'])
    assert.equal(model.calls.speech[0]!.body['voice'], 'nova')
    const embeds = await dataOf(api.post('model/test', { ...unsaved, base_url: provider.baseUrl }))
    assert.deepEqual([embeds.ok, embeds.code], [false, 'bad_response'])
  })

  it('are tested by their type: transcription', async () => {
    const unsaved = { type: 'transcription', base_url: `${model.origin}/v1`, model: 'ear' }
    assert.equal((await dataOf(api.post('model/test', unsaved))).ok, true)
    assert.equal(model.calls.transcription[0]!.file.name, 'silence.wav')
  })
})
