import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { openEvents } from '../support/event-reader.ts'
import { dot, providerQuirks } from '../support/provider-quirks.ts'
import { chain, output } from '../support/run-graphs.ts'
import { allText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import {
  makeAgent,
  makeWorkflow,
  openTalk,
  runOf,
  runWorkflow,
  say,
  send,
  type Talk,
  talkWith,
} from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

type Data = ApiAnswer['json']

let model: ScriptedModel
let server: TestServer
let tools: ScriptedToolServer
let api: ApiClient

/** As a generator for MCP servers writes it. */
const inputSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { city: { $ref: '#/$defs/City' } },
  required: ['city'],
  additionalProperties: false,
  $defs: { City: { type: 'string', description: 'A city' } },
}

before(async () => {
  model = await startScriptedModel()
  tools = await new ScriptedToolServer({
    tools: [{ name: 'weather', description: 'Tells the weather', inputSchema }],
    call: (_, { city }) => ({ content: [{ type: 'text', text: `rain in ${city}` }] }),
  }).start()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
})
after(async () => {
  await server.stop()
  await tools.close()
  await model.stop()
})

let workspaces = 0
let token = ''
beforeEach(async () => {
  model.reset()
  // What is learned about a provider stays in its workspace.
  const created = await server.api.post('workspace/create', { name: `quirks ${++workspaces}` })
  token = created.json.data.token
  api = server.api.as(token)
})

const play = (name: keyof typeof providerQuirks): void =>
  model.play(body => providerQuirks[name](body, model.calls.chat.at(-1)!.headers))

const withTool = () => ({ tools: { outside: { running_config: { type: 'mcp', url: tools.url } } } })

const talkTo = async (config: object = {}): Promise<Talk> => openTalk(api, await makeAgent(api, config))

async function answerTo(talk: Talk, content: string): Promise<{ text: string; llm: Data }> {
  const { feedback, run_id } = await say(api, talk, content)
  const { nodes } = await runOf(api, run_id)
  return { text: feedback[0].content, llm: nodes.find(({ kind }: Data) => kind === 'llm') }
}

describe('a provider with quirks, called by an agent', () => {
  for (const name of ['deepseek', 'gemini', 'mistral'] as const)
    it(`${name}: uses a tool`, async () => {
      play(name)
      const talk = await talkTo(withTool())
      assert.equal((await answerTo(talk, 'How is the weather?')).text, 'I was told: rain in Bergen')
      const calls = model.calls.chat.length
      assert.equal((await answerTo(talk, 'And now?')).text, 'I was told: rain in Bergen')
      assert.equal(model.calls.chat.length - calls, 2, 'what was rejected is not sent again')
    })

  it('deepseek: keeps the reasoning in the trace', async () => {
    play('deepseek')
    const { llm } = await answerTo(await talkTo(withTool()), 'How is the weather?')
    assert.equal(llm.outputs.reasoning, 'I need the weather.')
    assert.equal(llm.outputs.text, 'I was told: rain in Bergen')
  })

  it('gemini: gets the schema of a tool without references', async () => {
    play('gemini')
    await answerTo(await talkTo(withTool()), 'How is the weather?')
    assert.deepEqual(model.calls.chat.at(-1)!.body.tools![0]!.function.parameters, {
      type: 'object',
      properties: { city: { type: 'string', description: 'A city' } },
      required: ['city'],
    })
  })

  it('gemini: its errors, which are lists, are understood', async () => {
    play('gemini')
    const { text } = await send(api, await talkTo(), 'wrong key')
    assert.match(text, /the provider rejected the API key \(400\)/)
  })

  it('ollama: the reasoning in <think> is not part of the answer', async () => {
    play('ollama')
    const { text, llm } = await answerTo(await talkTo(), 'hi')
    assert.equal(text, 'You said hi')
    assert.equal(llm.outputs.reasoning, 'Let me see.')
  })

  it('qwen: what precedes </think> is taken back, and kept as the reasoning', async () => {
    play('qwen')
    const talk = await talkTo()
    const { text, llm } = await answerTo(talk, 'hi')
    assert.equal(text, 'You said hi')
    assert.equal(llm.outputs.reasoning, 'Let me see.')
    const body = { ...talk, data_type: 'text', content: 'again', stream: 1 }
    const events = await (await openEvents(server.base, 'conversation/chat', { token, body })).rest()
    let shown = ''
    for (const { event, data } of events)
      if (event === 'delta') shown = (data.reset ? '' : shown) + data.feedback[0].content
    assert.equal(shown, 'You said again')
  })

  it('openrouter: an image that the model made is stored and sent', async () => {
    play('openrouter')
    const talk = await talkTo()
    const { feedback } = await say(api, talk, 'Draw')
    assert.deepEqual(
      feedback.map(({ data_type, content }: Data) => [data_type, content]),
      [['image', '']],
    )
    const [file] = feedback[0].file_list
    assert.equal((await api.bytes(`files/${file}`)).bytes.toString('base64'), dot)
    const { feedback: parts } = await say(api, talk, 'parts')
    assert.deepEqual(
      parts.map(({ data_type, content }: Data) => [data_type, content]),
      [
        ['text', 'Two:\n\n![](https://images.example/2.png)'],
        ['image', ''],
      ],
    )
  })

  for (const name of ['ollama', 'vllm'] as const)
    it(`${name}: a model without tools answers without them`, async () => {
      play(name)
      const { text } = await answerTo(await talkTo(withTool()), 'hi')
      assert.match(text, /hi$/)
      assert.equal(model.calls.chat.at(-1)!.body.tools, undefined)
    })

  it('ollama: the prompt of a model without vision mentions the image', async () => {
    play('ollama')
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const uploaded = await api.upload('dot.png', png, 'image/png')
    const file_list = [uploaded.json.data.file_id ?? uploaded.json.data.id]
    const { feedback } = await say(api, await talkTo(), '', { data_type: 'image', file_list })
    assert.match(feedback[0].content, /An image is attached that this model cannot see/)
  })

  for (const name of ['vllm', 'kimi'] as const)
    it(`${name}: a history that is too long is sent without its oldest turns`, async () => {
      const talk = await talkTo()
      for (const content of ['one ', 'two ', 'three ']) await say(api, talk, content.repeat(300))
      play(name)
      await say(api, talk, 'hi')
      const sent = allText(model.calls.chat.at(-1)!.body)
      assert.doesNotMatch(sent, /one/)
      assert.match(sent, /hi$/)
    })

  it('vllm: an error inside the stream is understood', async () => {
    play('vllm')
    const { text, status } = await send(api, await talkTo(), 'fail')
    assert.equal(status, 502, text)
    assert.match(text, /rejected the request \(400\).*top_k must be -1/)
  })

  it('dashscope: a refusal inside the stream is understood', async () => {
    play('dashscope')
    const { text } = await send(api, await talkTo(), 'forbidden')
    assert.match(text, /Output data may contain inappropriate content/)
    assert.equal(model.calls.chat.length, 1)
  })

  it('dashscope: its refusal is not sent to the model as its own answer', async () => {
    play('dashscope')
    const talk = await talkTo()
    await send(api, talk, 'forbidden')
    await say(api, talk, '你好')
    assert.deepEqual(
      model.calls.chat
        .at(-1)!
        .body.messages.slice(1)
        .map(({ role, content }) => [role, content]),
      [
        ['user', 'forbidden'],
        ['user', '你好'],
      ],
    )
  })

  for (const name of ['gemma', 'llamaCpp'] as const)
    it(`${name}: gets neighbouring messages of one role as one, and the first one of the user`, async () => {
      play(name)
      const sent = () =>
        model.calls.chat
          .at(-1)!
          .body.messages.filter(({ role }) => role !== 'system')
          .map(({ content }) => content)
      const talk = await talkTo()
      await send(api, talk, 'forbidden')
      await say(api, talk, 'hello')
      assert.deepEqual(sent(), ['forbidden\n\nhello'])
      const calls = model.calls.chat.length
      await say(api, talk, 'again')
      assert.equal(model.calls.chat.length - calls, 1, 'what was rejected is not sent again')
      const answer = { type: 'llm', prompt_template: '{{#sys.query#}}', history_turns: 5 }
      const graph = chain(
        output('one', 'One.'),
        output('two', 'Two.'),
        { id: 'answer', type: 'base', data: answer },
        output('three', '{{#answer.text#}}'),
      )
      const other = await talkWith(api, graph)
      await say(api, other, 'start', { data_type: 'action' })
      await say(api, other, 'first')
      assert.deepEqual(sent(), ['first'])
      await say(api, other, 'second')
      assert.equal(sent().length, 3)
      assert.match(sent()[1] as string, /^One\.\n\nTwo\.\n\n./)
    })

  it('dashscope: an answer that was cut off is marked in the answer and in the trace', async () => {
    play('dashscope')
    const { text, llm } = await answerTo(await talkTo(), '你好')
    assert.equal(text, '你好\n\n（回答达到长度上限，已被截断。）')
    assert.deepEqual([llm.outputs.text, llm.outputs.finish_reason], ['你好', 'length'])
  })

  it('zhipu: an answer that was filtered away is an error that names the filter', async () => {
    play('zhipu')
    const { text } = await send(api, await talkTo(), '敏感')
    assert.match(text, /content filter of the provider blocked the answer/)
  })

  it('zhipu: gets the schema in the prompt after a rejection that does not name it', async () => {
    play('zhipu')
    const json_schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const node = { id: 'llm_1', type: 'base', data: { type: 'llm', prompt_template: 'Where?', json_schema } }
    const run = await runWorkflow(api, await makeWorkflow(api, chain(node)), 'x')
    const { nodes } = await runOf(api, run.run_id)
    assert.deepEqual(nodes.find(({ kind }: Data) => kind === 'llm').outputs.object, { city: 'Bergen' })
  })

  it('kimi: its usage inside the choice is counted, and odd values do not break the stream', async () => {
    play('kimi')
    const { text, llm } = await answerTo(await talkTo(), 'hi')
    assert.equal(text, 'Hello')
    assert.deepEqual(llm.tokens, { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 })
  })
})
