import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { chain, echoGraph, llm, output } from '../support/run-graphs.ts'
import { type ChatBody, lastUserText, textOfContent } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, messagesOf, runOf } from '../support/talk.ts'
import { startTestServer, type TestServer, operatorToken as token } from '../support/test-server.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

let model: ScriptedModel
let server: TestServer
let api: ApiClient
let agent: string

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
  agent = await makeAgent(api)
})
afterEach(() => model.reset())
after(async () => {
  await server.stop()
  await model.stop()
})

const user = (content: unknown) => ({ role: 'user', content })

const complete = async (body: object, client = api): Promise<Data> => {
  const { status, json, text } = await client.post('/v1/chat/completions', { model: agent, ...body })
  assert.equal(status, 200, text)
  return json
}

const respond = async (body: object, client = api): Promise<Data> => {
  const { status, json, text } = await client.post('/v1/responses', { model: agent, ...body })
  assert.equal(status, 200, text)
  return json
}

const lastRequest = (): ChatBody => model.calls.chat.at(-1)!.body
const promptOf = ({ messages }: ChatBody): [string, string][] =>
  messages.filter(({ role }) => role !== 'system').map(({ role, content }) => [role, textOfContent(content)])

interface StreamEvent {
  event: string | undefined
  data: Data
}

/** The events of a stream until its end. */
async function streamed(path: string, body: object): Promise<StreamEvent[]> {
  const { status, text, headers } = await api.post(path, { model: agent, stream: true, ...body })
  assert.equal(status, 200, text)
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/)
  return text.split('\n\n').flatMap(block => {
    const [, event, data] = /^(?:event: (\S+)\n)?data: (.*)$/.exec(block) ?? []
    return data === undefined ? [] : [{ event, data: data === '[DONE]' ? data : JSON.parse(data) }]
  })
}

const errorOf = async (path: string, body: object, client = api): Promise<[number, Data]> => {
  const { status, json, text } = await client.post(path, { model: agent, ...body })
  assert.deepEqual(Object.keys(json), ['error'], text)
  assert.deepEqual(Object.keys(json.error), ['message', 'type', 'param', 'code'])
  return [status, json.error]
}

const askingGraph = (options: string[] = []) =>
  chain(
    node('ask', 'question', { question: 'Which size?', options }),
    llm('model', 'One {{#ask.text#}}'),
    output('say', '{{#model.text#}}'),
  )

describe('models', () => {
  test('are the agents and workflows of the token', async () => {
    const workflow = await makeWorkflow(api, echoGraph())
    const { json } = await api.get('/v1/models')
    assert.equal(json.object, 'list')
    const ids = json.data.map(({ id }: Data) => id)
    assert.ok(ids.includes(agent) && ids.includes(`workflow/${workflow}`))
    const [first] = json.data.filter(({ id }: Data) => id === agent)
    assert.deepEqual(
      { ...first, created: typeof first.created },
      { id: agent, object: 'model', created: 'number', owned_by: 'agent', name: first.name },
    )
    for (const path of [`workflow/${workflow}`, encodeURIComponent(`workflow/${workflow}`)])
      assert.equal((await api.get(`/v1/models/${path}`)).json.id, `workflow/${workflow}`)
    assert.equal((await api.get(`/v1/models/${encodeURIComponent(first.name)}`)).json.id, agent)
    const unknown = await api.get('/v1/models/nobody')
    assert.deepEqual([unknown.status, unknown.json.error.code], [404, 'model_not_found'])
  })

  test('can be chosen by name, unless several agents have it', async () => {
    const [one] = [await makeAgent(api, {}, { name: '前台' })]
    assert.equal((await complete({ model: '前台', messages: [user('Hi')] })).model, '前台')
    await makeAgent(api, {}, { name: '前台' })
    const [status, error] = await errorOf('/v1/chat/completions', { model: '前台', messages: [user('Hi')] })
    assert.deepEqual([status, error.param], [400, 'model'])
    assert.equal((await complete({ model: one, messages: [user('Hi')] })).model, one)
  })
})

describe('chat completions', () => {
  test('answer with one choice, the usage and the conversation', async () => {
    const ignored = { temperature: 0.2, max_tokens: 5, modalities: ['text'], top_logprobs: 0 }
    const answer = await complete({ messages: [user('Hello')], ...ignored })
    assert.match(answer.id, /^chatcmpl-/)
    assert.equal(answer.object, 'chat.completion')
    assert.deepEqual(answer.choices, [
      {
        index: 0,
        message: { role: 'assistant', content: 'echo: Hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ])
    const { usage } = await runOf(api, answer.run_id)
    assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0)
    assert.deepEqual(answer.usage, usage)
    const talk = { agent_id: agent, conversation_id: answer.conversation_id }
    assert.deepEqual(
      (await messagesOf(api, talk)).map(({ role, content }) => [role, content]),
      [
        [0, 'Hello'],
        [1, 'echo: Hello'],
      ],
    )
  })

  test('pass the earlier messages as history, and instructions with the message', async () => {
    await complete({
      messages: [
        { role: 'system', content: 'Be brief.' },
        user('My name is Ada'),
        { role: 'assistant', content: [{ type: 'text', text: 'Hello Ada' }] },
        { role: 'tool', content: 'ignored', tool_call_id: 'x' },
        user([
          { type: 'text', text: 'What is' },
          { type: 'text', text: 'my name?' },
        ]),
      ],
    })
    assert.deepEqual(promptOf(lastRequest()), [
      ['user', 'My name is Ada'],
      ['assistant', 'Hello Ada'],
      ['user', 'Be brief.\n\nWhat is\nmy name?'],
    ])
  })

  test('continue a conversation by its id, with only the last message', async () => {
    const { conversation_id } = await complete({ messages: [user('One')] })
    const next = await complete({ conversation_id, messages: [user('ignored'), user('Two')] })
    assert.equal(next.conversation_id, conversation_id)
    assert.deepEqual(promptOf(lastRequest()), [
      ['user', 'One'],
      ['assistant', 'echo: One'],
      ['user', 'Two'],
    ])
  })

  test('stream pieces, then the end, then the usage', async () => {
    const events = await streamed('/v1/chat/completions', {
      messages: [user('Hello')],
      stream_options: { include_usage: true },
    })
    assert.ok(events.every(({ event }) => event === undefined))
    assert.equal(events.at(-1)!.data, '[DONE]')
    const chunks = events.slice(0, -1).map(({ data }) => data)
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1)
    assert.deepEqual(chunks[0].choices[0].delta, { role: 'assistant', content: '' })
    const pieces = chunks.flatMap(({ choices }) => choices.map(({ delta }: Data) => delta.content ?? ''))
    assert.equal(pieces.join(''), 'echo: Hello')
    assert.ok(pieces.filter(Boolean).length > 1)
    assert.equal(chunks.at(-2).choices[0].finish_reason, 'stop')
    assert.deepEqual(chunks.at(-1).choices, [])
    assert.ok(chunks.at(-1).usage.total_tokens > 0)
    assert.ok(chunks.slice(0, -1).every(({ usage }) => usage === null))
  })

  test('join several messages, streamed or not', async () => {
    const graph = chain(output('one', 'First'), output('two', 'Second'))
    const model = await makeAgent(api, { workflow_id: await makeWorkflow(api, graph) })
    const whole = await complete({ model, messages: [user('Hi')] })
    assert.equal(whole.choices[0].message.content, 'First\n\nSecond')
    const events = await streamed('/v1/chat/completions', { model, messages: [user('Hi')] })
    const pieces = events.map(({ data }) => data.choices?.[0]?.delta.content ?? '')
    assert.equal(pieces.join(''), 'First\n\nSecond')
  })

  test('do not repeat the text of a retried model call', async () => {
    model.play((_, count) => ({ text: 'one two three', ...(count === 1 && { cutAfter: 2 }) }))
    const events = await streamed('/v1/chat/completions', { messages: [user('Hi')] })
    const pieces = events.map(({ data }) => data.choices?.[0]?.delta.content ?? '')
    assert.equal(pieces.join(''), 'one two three')
    assert.equal(model.calls.chat.length, 2)
  })

  test('report that the provider cut off the answer, streamed or not', async () => {
    const graph = chain(llm('model', '{{#sys.query#}}'), output('say', 'A: {{#model.text#}}'))
    const workflow = `workflow/${await makeWorkflow(api, graph)}`
    for (const reason of ['length', 'content_filter']) {
      model.play(() => ({ text: 'One two', finishReason: reason }))
      for (const name of [agent, workflow]) {
        const body = { model: name, messages: [user('Hi')] }
        assert.equal((await complete(body)).choices[0].finish_reason, reason)
        const events = await streamed('/v1/chat/completions', body)
        assert.equal(events.at(-2)!.data.choices[0].finish_reason, reason)
      }
    }
  })

  test('are complete although a model was cut off whose text they do not end with', async () => {
    const graph = chain(
      llm('choice', 'Y or N?', { max_tokens: 1 }),
      llm('model', '{{#choice.text#}}'),
      output('say', '{{#model.text#}}'),
    )
    const name = `workflow/${await makeWorkflow(api, graph)}`
    for (const text of ['Yes', 'Only Y']) {
      model.play((_, count) => (count === 1 ? { text: 'Y', finishReason: 'length' } : { text }))
      const answer = await complete({ model: name, messages: [user('Hi')] })
      assert.deepEqual([answer.choices[0].message.content, answer.choices[0].finish_reason], [text, 'stop'])
      model.reset()
    }
  })

  test('show events of the run only if asked', async () => {
    const hidden = await streamed('/v1/chat/completions', { messages: [user('Hi')] })
    assert.ok(hidden.every(({ data }) => data.run_event === undefined))
    const shown = await streamed('/v1/chat/completions', { messages: [user('Hi')], run_events: true })
    const names = shown.flatMap(({ data }) => data.run_event?.event ?? [])
    assert.ok(names.includes('node.started') && names.includes('node.finished'), names.join())
    assert.ok(!names.includes('node.delta'))
  })

  test('send images and files to the model, and store each of them once', async () => {
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
    const first = [user([{ type: 'text', text: 'What is this?' }, image])]
    await complete({ messages: first })
    assert.equal(lastUserText(lastRequest()), 'What is this? [image]')
    await complete({
      messages: [...first, { role: 'assistant', content: 'A dot' }, user('Which colour?')],
    })
    assert.match(
      lastRequest()
        .messages.map(({ content }) => textOfContent(content))
        .join(),
      /\[image\]/,
    )
    const stored = await dataOf(api.post('files', { keyword: 'image.png' }))
    assert.equal(stored.total, 1)
    const text = Buffer.from('The word is fig').toString('base64')
    const file = { type: 'file', file: { file_data: text, filename: 'secret.txt' } }
    await complete({ messages: [user([file, { type: 'text', text: 'Which word?' }])] })
    assert.match(lastUserText(lastRequest()), /Which word\?\s+File secret\.txt:\nThe word is fig/)
    const uploaded = (await api.upload('b.txt', 'banana')).json.data.file_id
    await complete({ messages: [user([{ type: 'file', file: { file_id: uploaded } }])] })
    assert.match(lastUserText(lastRequest()), /banana/)
    const wav = Buffer.from('RIFF\x24\0\0\0WAVEfmt ').toString('base64')
    const audio = { type: 'input_audio', input_audio: { data: wav, format: 'wav' } }
    await complete({ messages: [user([audio])] })
    assert.match(lastUserText(lastRequest()), /heard: RIFF/)
  })

  test('cite documents as annotations', async () => {
    const base = await makeBase(api, { name: 'handbook' })
    const [file] = await addTexts(api, base, { 'holidays.md': 'There are 30 days of holiday.' })
    const citing = await makeAgent(api, {}, { learn: { [base]: {} } })
    model.play(() => ({ text: 'You have 30 days [1].' }))
    const body = { model: citing, messages: [user('How many days of holiday?')] }
    const expected = [
      {
        type: 'url_citation',
        url_citation: {
          ...{ start_index: 17, end_index: 20, title: 'holidays.md' },
          url: `${server.base}/api/v1/files/${file}`,
        },
      },
    ]
    assert.deepEqual((await complete(body)).choices[0].message.annotations, expected)
    const events = await streamed('/v1/chat/completions', body)
    const found = events.flatMap(({ data }) => data.choices?.[0]?.delta.annotations ?? [])
    assert.deepEqual(found, expected)
    const { output: items } = await respond({ model: citing, input: 'How many days of holiday?' })
    assert.deepEqual(items[0].content[0].annotations, [
      { type: 'file_citation', file_id: file, filename: 'holidays.md', index: 17 },
    ])
  })

  test('run a workflow with its inputs and the history', async () => {
    const graph = chain(
      llm('model', '{{#sys.query#}} in {{#sys.inputs.city#}}', { history_turns: 5 }),
      output('say', '{{#model.text#}}'),
    )
    const workflow = await makeWorkflow(api, graph)
    const answer = await complete({
      model: `workflow/${workflow}`,
      inputs: { city: 'Oslo' },
      messages: [user('Hi'), { role: 'assistant', content: 'Hello' }, user('Weather')],
    })
    assert.equal(answer.choices[0].message.content, 'echo: Weather in Oslo')
    assert.equal(answer.conversation_id, '')
    assert.deepEqual(promptOf(lastRequest()).slice(0, 2), [
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ])
    assert.equal((await runOf(api, answer.run_id)).workflow_id, workflow)
  })

  test('stop the run of a client that disconnects', async () => {
    model.play(() => ({ pieces: ['never ', 'ends'], hangAfter: 1 }))
    const gone = new AbortController()
    const response = await fetch(`${server.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: agent, stream: true, messages: [user('Hi')] }),
      signal: gone.signal,
    })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('never')) text += (await reader.read()).value
    gone.abort()
    const runId = /"run_id":"(run_[\w-]+)"/.exec(text)![1]!
    await until('the run stops', async () => (await runOf(api, runId)).status === 'stopped')
  })
})

describe('responses', () => {
  test('answer with one item for each message', async () => {
    const answer = await respond({ input: 'Hello', metadata: { order: '7' }, instructions: 'Be brief.' })
    assert.match(answer.id, /^resp_[\w-]{44}$/)
    assert.deepEqual([answer.object, answer.status, answer.error], ['response', 'completed', null])
    assert.deepEqual(answer.metadata, { order: '7' })
    const [item] = answer.output
    assert.deepEqual(item, {
      ...{ type: 'message', id: item.id, status: 'completed', role: 'assistant' },
      content: [{ type: 'output_text', text: 'echo: Be brief.\n\nHello', annotations: [], logprobs: [] }],
    })
    const { input_tokens, output_tokens, total_tokens } = answer.usage
    assert.ok(input_tokens > 0 && output_tokens > 0)
    assert.equal(total_tokens, input_tokens + output_tokens)
  })

  test('continue after a previous response, and branch from one that has a successor', async () => {
    const one = await respond({ input: 'One' })
    const two = await respond({ input: 'Two', previous_response_id: one.id })
    assert.equal(two.conversation.id, one.conversation.id)
    const branch = await respond({ input: 'Other', previous_response_id: one.id })
    assert.notEqual(branch.conversation.id, one.conversation.id)
    const expected = [
      ['user', 'One'],
      ['assistant', 'echo: One'],
      ['user', 'Other'],
    ]
    assert.deepEqual(promptOf(lastRequest()), expected)
    await respond({ input: 'More', previous_response_id: branch.id })
    const said = [...expected, ['assistant', 'echo: Other'], ['user', 'More']]
    assert.deepEqual(promptOf(lastRequest()), said)
    const other = await makeAgent(api)
    const elsewhere = await respond({ model: other, input: 'Last', previous_response_id: two.id })
    assert.notEqual(elsewhere.conversation.id, one.conversation.id)
    assert.equal(promptOf(lastRequest()).length, 5)
    const inConversation = await respond({ input: 'Again', conversation: one.conversation.id })
    assert.deepEqual(inConversation.conversation, one.conversation)
  })

  test('of which two continue at once are two branches', async () => {
    const one = await respond({ input: 'One' })
    const next = { model: agent, previous_response_id: one.id }
    const answers = await Promise.all(
      ['A', 'B', 'C'].map(input => api.post('/v1/responses', { ...next, input })),
    )
    const done = answers.filter(({ status }) => status === 200)
    for (const { status } of answers) assert.ok([200, 409].includes(status))
    const conversations = done.map(({ json }) => json.conversation.id)
    assert.equal(new Set(conversations).size, conversations.length)
  })

  test('take items of earlier responses by reference', async () => {
    const one = await respond({ input: 'One' })
    const earlier = [user('One'), { type: 'item_reference', id: one.output[0].id }]
    await respond({ input: [...earlier, user([{ type: 'input_text', text: 'Two' }])] })
    assert.deepEqual(promptOf(lastRequest()), [
      ['user', 'One'],
      ['assistant', 'echo: One'],
      ['user', 'Two'],
    ])
    const [status, error] = await errorOf('/v1/responses', {
      input: [{ type: 'item_reference', id: `msg_${'x'.repeat(44)}` }, user('Two')],
    })
    assert.deepEqual([status, error.param], [404, 'input[0].id'])
  })

  test('have an id for every message of a workflow', async () => {
    const ask = node('ask', 'question', { question: 'Which size?' })
    const graph = chain(output('hello', 'Hello'), output('who', 'Who?'), ask, output('bye', 'Bye'))
    const body = { model: `workflow/${await makeWorkflow(api, graph)}` }
    const asked = await respond({ ...body, input: 'Coffee' })
    const done = await respond({ ...body, input: 'large', previous_response_id: asked.id })
    const ids = [...asked.output, ...done.output].map(({ id }) => id)
    assert.equal(new Set(ids).size, 4)
    const stored = (await api.get(`/v1/responses/${done.id}`)).json
    assert.deepEqual(
      stored.output.map(({ id }: Data) => id),
      ids,
    )
    const events = await streamed('/v1/responses', { ...body, input: 'Coffee' })
    const added = events.filter(({ event }) => event === 'response.output_item.added')
    assert.equal(new Set(added.map(({ data }) => data.item.id)).size, 3)
    const references = ids.slice(0, 2).map(id => ({ type: 'item_reference', id }))
    await respond({ input: [user('Coffee'), ...references, user('Two')] })
    assert.deepEqual(promptOf(lastRequest()), [
      ['user', 'Coffee'],
      ['assistant', 'Hello'],
      ['assistant', 'Who?'],
      ['user', 'Two'],
    ])
  })

  test('answer a question of the agent with the next response', async () => {
    const graph = askingGraph(['small', 'large'])
    const asking = await makeAgent(api, { workflow_id: await makeWorkflow(api, graph) })
    for (const model of [asking, `workflow/${await makeWorkflow(api, graph)}`]) {
      const asked = await respond({ model, input: 'Coffee' })
      assert.equal(asked.output.at(-1).content[0].text, 'Which size?\n\n- small\n- large')
      assert.equal(asked.usage.total_tokens, 0)
      const done = await respond({ model, input: 'large', previous_response_id: asked.id })
      assert.equal(done.output.at(-1).content[0].text, 'echo: One large')
      assert.equal(done.run_id, asked.run_id)
      assert.ok(done.usage.total_tokens > 0)
    }
  })

  test('do not answer the question of a conversation without it', async () => {
    const workflow = await makeWorkflow(api, askingGraph(['small', 'large']))
    const asking = await makeAgent(api, { workflow_id: workflow })
    const asked = await respond({ model: asking, input: 'Coffee' })
    const [status, error] = await errorOf('/v1/responses', {
      model: `workflow/${workflow}`,
      input: 'large',
      previous_response_id: asked.run_id.replace('run_', 'resp_'),
    })
    assert.deepEqual([status, error.param], [404, 'previous_response_id'])
    const done = await respond({ model: asking, input: 'large', previous_response_id: asked.id })
    assert.equal(done.run_id, asked.run_id)
  })

  test('keep the history of a workflow', async () => {
    const workflow = await makeWorkflow(api, echoGraph({ history_turns: 5 }))
    const one = await respond({ model: `workflow/${workflow}`, input: 'One' })
    const two = await respond({ model: `workflow/${workflow}`, input: 'Two', previous_response_id: one.id })
    await respond({ model: `workflow/${workflow}`, input: 'Three', previous_response_id: two.id })
    assert.deepEqual(promptOf(lastRequest()), [
      ['user', 'One'],
      ['assistant', 'A: echo: One'],
      ['user', 'Two'],
      ['assistant', 'A: echo: Two'],
      ['user', 'Three'],
    ])
  })

  test('stream the events of OpenAI in their order', async () => {
    const events = await streamed('/v1/responses', { input: 'Hello' })
    assert.deepEqual(
      events.map(({ data }) => data.sequence_number),
      events.map((_, at) => at),
    )
    for (const { event, data } of events) assert.equal(event, data.type)
    const deltas = events.filter(({ event }) => event === 'response.output_text.delta')
    assert.equal(deltas.map(({ data }) => data.delta).join(''), 'echo: Hello')
    assert.deepEqual(
      events.flatMap(({ event }) => (event === 'response.output_text.delta' ? [] : [event])),
      [
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ],
    )
    const { response } = events.at(-1)!.data
    assert.equal(response.output[0].content[0].text, 'echo: Hello')
    assert.ok(response.usage.total_tokens > 0)
    const next = await respond({ input: 'More', previous_response_id: response.id })
    assert.deepEqual(next.conversation, response.conversation)
  })
})

describe('a response that the provider cut off', () => {
  const reasons = { length: 'max_output_tokens', content_filter: 'content_filter' }
  for (const [finishReason, reason] of Object.entries(reasons))
    test(`is incomplete: ${reason}`, async () => {
      model.play(() => ({ text: 'One two', finishReason }))
      const expected = ['incomplete', { reason }, 'incomplete']
      const stateOf = ({ status, incomplete_details, output: items }: Data) => [
        ...[status, incomplete_details, items[0].status],
      ]
      const whole = await respond({ input: 'Hi' })
      assert.deepEqual(stateOf(whole), expected)
      assert.deepEqual(stateOf((await api.get(`/v1/responses/${whole.id}`)).json), expected)
      const events = await streamed('/v1/responses', { input: 'Hi' })
      const { event, data } = events.at(-1)!
      assert.equal(event, 'response.incomplete')
      assert.deepEqual(stateOf(data.response), expected)
      const next = await respond({ input: 'Go on', previous_response_id: whole.id })
      assert.deepEqual(next.conversation, whole.conversation)
    })
})

describe('an answer whose run was stopped', () => {
  const stateOf = ({ status, output: items }: Data) => [status, items[0].status, items[0].content[0].text]
  const expected = ['cancelled', 'incomplete', 'never ']

  async function stopRun(): Promise<void> {
    const active = await until('the run starts', async () => {
      const { items } = await dataOf(api.get('workflow/runs?status=running'))
      return items[0]
    })
    const events = await fetch(`${server.base}/api/v1/workflow/runs/${active.run_id}/events`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('never ')) text += (await reader.read()).value
    await dataOf(api.post(`workflow/runs/${active.run_id}/stop`, {}))
    await reader.cancel()
  }

  for (const kind of ['agent', 'workflow'])
    test(`is a cancelled response at once and later, streamed or not: ${kind}`, async () => {
      const graph = chain(llm('model', '{{#sys.query#}}'), output('say', '{{#model.text#}}'))
      const target = kind === 'workflow' ? { model: `workflow/${await makeWorkflow(api, graph)}` } : {}
      model.play(() => ({ pieces: ['never ', 'ends'], hangAfter: 1 }))
      const [whole] = await Promise.all([respond({ ...target, input: 'Hi' }), stopRun()])
      assert.deepEqual(stateOf(whole), expected)
      assert.deepEqual(stateOf((await api.get(`/v1/responses/${whole.id}`)).json), expected)
      const [events] = await Promise.all([streamed('/v1/responses', { ...target, input: 'Hi' }), stopRun()])
      const { event, data } = events.at(-1)!
      assert.equal(event, 'response.incomplete')
      assert.deepEqual(stateOf(data.response), expected)
    })

  test('ends a completion as one that was cut off, streamed or not', async () => {
    model.play(() => ({ pieces: ['never ', 'ends'], hangAfter: 1 }))
    const body = { messages: [user('Hi')] }
    const [whole] = await Promise.all([complete(body), stopRun()])
    const { message, finish_reason } = whole.choices[0]
    assert.deepEqual([message.content, finish_reason], ['never ', 'length'])
    const [chunks] = await Promise.all([streamed('/v1/chat/completions', body), stopRun()])
    assert.equal(chunks.at(-2)!.data.choices[0].finish_reason, 'length')
  })
})

describe('errors', () => {
  const messages = [user('Hi')]

  test('have the shape of OpenAI and name the field', async () => {
    const cases: [string, object, number, string | null, string][] = [
      ['chat/completions', {}, 400, 'messages', 'invalid_request'],
      ['chat/completions', { messages: [] }, 400, 'messages', 'invalid_request'],
      ['chat/completions', { messages: [{ role: 'bot' }] }, 400, 'messages[0].role', 'invalid_request'],
      [
        'chat/completions',
        { messages: [{ role: 'assistant', content: 'x' }] },
        400,
        'messages',
        'invalid_request',
      ],
      ['chat/completions', { messages: [user(7)] }, 400, 'messages[0].content', 'invalid_request'],
      ['chat/completions', { messages: [user('  ')] }, 400, 'messages[0].content', 'invalid_request'],
      [
        'chat/completions',
        { messages: [user([{ type: 'text' }])] },
        400,
        'messages[0].content[0].text',
        'invalid_request',
      ],
      [
        'chat/completions',
        { messages: [user([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }])] },
        400,
        'messages[0].content[0].image_url.url',
        'invalid_request',
      ],
      [
        'chat/completions',
        { messages: [user([{ type: 'file', file: { file_id: 'file_nope' } }])] },
        400,
        'messages[0].content[0].file.file_id',
        'invalid_request',
      ],
      ['chat/completions', { messages, n: 2 }, 400, 'n', 'invalid_request'],
      ['chat/completions', { messages, top_logprobs: 3 }, 400, 'top_logprobs', 'invalid_request'],
      [
        'chat/completions',
        { messages, modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
        400,
        'modalities',
        'invalid_request',
      ],
      ['chat/completions', { messages, tools: [{}] }, 400, 'tools', 'invalid_request'],
      [
        'chat/completions',
        { messages, response_format: { type: 'json_object' } },
        400,
        'response_format',
        'invalid_request',
      ],
      ['chat/completions', { messages, model: 'nobody' }, 404, 'model', 'model_not_found'],
      ['chat/completions', { messages, model: 'workflow/nope' }, 404, 'model', 'model_not_found'],
      ['chat/completions', { messages, conversation_id: 'conv_nope' }, 404, 'conversation_id', 'not_found'],
      [
        'responses',
        { input: 'x', previous_response_id: 'resp_nope' },
        404,
        'previous_response_id',
        'not_found',
      ],
      [
        'responses',
        { input: 'x', conversation: 'conv_x', previous_response_id: 'resp_x' },
        400,
        'conversation',
        'invalid_request',
      ],
      ['responses', { input: [{ content: 'x' }] }, 400, 'input[0].role', 'invalid_request'],
      [
        'responses',
        { input: 'x', text: { format: { type: 'json_schema' } } },
        400,
        'text.format',
        'invalid_request',
      ],
      ['responses', { input: 'x', background: true }, 400, 'background', 'invalid_request'],
      [
        'responses',
        { input: 'x', include: ['file_search_call.results', 'message.output_text.logprobs'] },
        400,
        'include[1]',
        'invalid_request',
      ],
    ]
    for (const [path, body, status, param, code] of cases) {
      const [found, error] = await errorOf(`/v1/${path}`, body)
      assert.deepEqual([found, error.param, error.code], [status, param, code], JSON.stringify([body, error]))
    }
    const malformed = await api.post('/v1/chat/completions', '{', {
      headers: { 'content-type': 'application/json' },
    })
    assert.deepEqual([malformed.status, malformed.json.error.code], [400, 'malformed_json'])
    assert.equal((await api.get('/v1/nothing')).json.error.code, 'not_found')
  })

  test('name only fields of the request in their message, too', async () => {
    const cases: [string, object, string, string][] = [
      ['responses', { input: '' }, 'input', '/input'],
      ['responses', { input: 'x'.repeat(100_001) }, 'input', '/input'],
      ['responses', { input: [user('')] }, 'input[0].content', '/input/0/content'],
      ['chat/completions', { messages: [user('')] }, 'messages[0].content', '/messages/0/content'],
    ]
    for (const [path, body, param, pointer] of cases) {
      const [status, error] = await errorOf(`/v1/${path}`, body)
      assert.deepEqual([status, error.param], [400, param], error.message)
      assert.ok(error.message.startsWith(`${pointer}: `), error.message)
    }
  })

  test('of a workflow that cannot run name the model', async () => {
    const model = `workflow/${await makeWorkflow(api, chain(output('say', '')))}`
    const [status, error] = await errorOf('/v1/chat/completions', { model, messages })
    assert.deepEqual([status, error.param, error.code], [422, 'model', 'workflow_not_runnable'])
  })

  test('of tokens', async () => {
    const wrong = await api.as('wrong').get('/v1/models')
    assert.deepEqual([wrong.status, wrong.json.error.code], [401, 'invalid_api_key'])
    assert.equal((await api.as(undefined).get('/v1/models')).status, 401)
    const viewer = (await dataOf(api.post('token/create', { name: 'v', role: 'viewer' }))).token
    const [status, error] = await errorOf('/v1/chat/completions', { messages }, api.as(viewer))
    assert.deepEqual([status, error.type], [403, 'permission_error'])
  })

  test('of a model that fails, before and within a stream', async () => {
    model.play(() => ({ status: 400, message: 'not today' }))
    const [status, error] = await errorOf('/v1/chat/completions', { messages })
    assert.deepEqual([status, error.code, error.type], [502, 'model_failed', 'server_error'])
    const chunks = await streamed('/v1/chat/completions', { messages })
    assert.equal(chunks.at(-1)!.data.error.code, 'model_failed')
    const events = await streamed('/v1/responses', { input: 'Hi' })
    const { event, data } = events.at(-1)!
    assert.deepEqual([event, data.response.status], ['response.failed', 'failed'])
    assert.equal(data.response.error.code, 'model_failed')
  })
})

describe('access', () => {
  const messages = [user('Hi')]

  test('a runner has its own agents, and its own conversations if it is bound to a user', async () => {
    const other = await makeAgent(api)
    const workflow = await makeWorkflow(api, echoGraph())
    const runner = async (user_id: string): Promise<ApiClient> => {
      const body = { name: 'r', role: 'runner', agent_ids: [agent], user_id }
      return api.as((await dataOf(api.post('token/create', body))).token)
    }
    const [ada, bob] = [await runner('ada'), await runner('bob')]
    const { json } = await ada.get('/v1/models')
    assert.deepEqual(
      json.data.map(({ id }: Data) => id),
      [agent],
    )
    for (const model of [other, `workflow/${workflow}`]) {
      const [status, error] = await errorOf('/v1/chat/completions', { model, messages }, ada)
      assert.deepEqual([status, error.code], [404, 'model_not_found'])
    }
    const one = await respond({ input: 'One' }, ada)
    const next = { input: 'Two', previous_response_id: one.id }
    assert.deepEqual((await errorOf('/v1/responses', next, bob))[0], 404)
    assert.equal((await respond(next, ada)).conversation.id, one.conversation.id)
    const [status, error] = await errorOf('/v1/responses', { input: 'x', user: 'ada' }, bob)
    assert.deepEqual([status, error.param], [403, 'user'])
    const run = await respond({ model: `workflow/${workflow}`, input: 'One' })
    for (const { id } of [one.output[0], run.output[0]]) {
      const input = [{ type: 'item_reference', id }, user('x')]
      assert.equal((await errorOf('/v1/responses', { input }, bob))[0], 404)
    }
  })

  test('a public agent needs no token, and no token gives it more', async () => {
    const open = await makeAgent(api, {}, { access: 'public' })
    const anyone = api.as(undefined)
    const answer = await complete({ model: open, messages }, anyone)
    assert.equal(answer.choices[0].message.content, 'echo: Hi')
    assert.equal((await errorOf('/v1/chat/completions', { messages }, anyone))[0], 401)
    const secret = await respond({ input: 'A secret' })
    const reference = { type: 'item_reference', id: secret.output[0].id }
    for (const body of [
      { input: 'x', previous_response_id: secret.id },
      { input: 'x', conversation: secret.conversation.id },
      { input: [reference, user('x')] },
    ])
      assert.equal((await errorOf('/v1/responses', { model: open, ...body }, anyone))[0], 404)
    const own = await respond({ model: open, input: 'One' }, anyone)
    const next = { model: open, input: 'Two', previous_response_id: own.id }
    assert.deepEqual((await respond(next, anyone)).conversation, own.conversation)
    const image = { type: 'file', file: { file_data: 'eA==', filename: 'x.txt' } }
    const refused = [{ messages: [user([image])] }, { messages, run_events: true }]
    for (const body of refused)
      assert.equal((await errorOf('/v1/chat/completions', { model: open, ...body }, anyone))[0], 401)
    const large = { model: open, messages, metadata: { x: 'x'.repeat(2 << 20) } }
    assert.equal((await errorOf('/v1/chat/completions', large, anyone))[0], 413)
    assert.equal((await api.post('/v1/chat/completions', large)).status, 200)
  })

  test('another workspace sees nothing of this one', async () => {
    const theirs = api.as((await dataOf(api.post('workspace/create', { name: 'theirs' }))).token)
    const workflow = await makeWorkflow(api, echoGraph())
    const open = await makeAgent(api, {}, { access: 'public', name: 'Open' })
    const mine = await respond({ input: 'One' })
    const run = await respond({ model: `workflow/${workflow}`, input: 'One' })
    assert.deepEqual((await theirs.get('/v1/models')).json.data, [])
    for (const model of [agent, open, 'Open', `workflow/${workflow}`]) {
      const [status, error] = await errorOf('/v1/chat/completions', { model, messages }, theirs)
      assert.deepEqual([status, error.code], [404, 'model_not_found'])
      assert.equal((await theirs.get(`/v1/models/${encodeURIComponent(model)}`)).status, 404)
    }
    const model = await makeAgent(theirs)
    const flow = `workflow/${await makeWorkflow(theirs, echoGraph())}`
    const uploaded = (await api.upload('mine.txt', 'mine')).json.data.file_id
    const attempts = [
      { model, input: 'x', previous_response_id: mine.id },
      { model, input: 'x', conversation: mine.conversation.id },
      { model, input: [{ type: 'item_reference', id: mine.output[0].id }, user('x')] },
      { model, input: [{ type: 'item_reference', id: run.output[0].id }, user('x')] },
      { model: flow, input: 'x', previous_response_id: run.id },
    ]
    for (const body of attempts) assert.equal((await errorOf('/v1/responses', body, theirs))[0], 404)
    const file = { model, input: [user([{ type: 'input_file', file_id: uploaded }])] }
    assert.equal((await errorOf('/v1/responses', file, theirs))[0], 400)
  })

  test('the limits of the token and the workspace hold', async () => {
    const limited = await startTestServer({ ...model.environment, DEMO: 'off', TOKEN_CALLS_PER_MINUTE: '3' })
    try {
      const model = await makeAgent(limited.api)
      const one = await limited.api.post('/v1/chat/completions', { model, messages })
      assert.equal(one.headers.get('ratelimit-limit'), '3')
      await limited.api.get('/v1/models')
      const [status, error] = await errorOf('/v1/chat/completions', { model, messages }, limited.api)
      assert.deepEqual([status, error.code, error.type], [429, 'rate_limit_exceeded', 'rate_limit_error'])
    } finally {
      await limited.stop()
    }
    const { id, token: other } = await dataOf(api.post('workspace/create', { name: 'small' }))
    await api.post('workspace/update', { id, limits: { tokens_per_day: 1 } })
    const small = api.as(other)
    const agentThere = await makeAgent(small)
    await complete({ model: agentThere, messages }, small)
    await until('the quota is used up', async () => {
      const { status, json } = await small.post('/v1/chat/completions', { model: agentThere, messages })
      return status === 429 && json.error.code === 'insufficient_quota'
    })
  })
})
