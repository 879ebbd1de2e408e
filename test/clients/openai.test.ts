import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, type ModelMessage, streamText } from 'ai'
import OpenAI, { APIError, AuthenticationError, NotFoundError } from 'openai'
import { addTexts, makeBase } from '../support/knowledge.ts'
import { chain, llm, output } from '../support/run-graphs.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

let provider: ScriptedModel
let server: TestServer
let agent: string
let citing: string
let asking: string

before(async () => {
  provider = await startScriptedModel()
  server = await startTestServer({ ...provider.environment, DEMO: 'off' })
  const { api } = server
  agent = await makeAgent(api, {}, { name: 'Guide' })
  const base = await makeBase(api, { name: 'handbook' })
  await addTexts(api, base, { 'holidays.md': 'There are 30 days of holiday.' })
  citing = await makeAgent(api, {}, { learn: { [base]: {} } })
  const graph = chain(
    node('ask', 'question', { question: 'Which size?' }),
    llm('model', 'One {{#ask.text#}}'),
    output('say', '{{#model.text#}}'),
  )
  asking = await makeAgent(api, { workflow_id: await makeWorkflow(api, graph) })
})
afterEach(() => provider.reset())
after(async () => {
  await server.stop()
  await provider.stop()
})

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const cite = (): void => provider.play(() => ({ text: 'You have 30 days [1].' }))
const fail = (): void => provider.play(() => ({ status: 400, message: 'not today' }))

describe('openai', () => {
  let client: OpenAI
  before(() => {
    client = new OpenAI({ baseURL: `${server.base}/v1`, apiKey: operatorToken, maxRetries: 0 })
  })

  test('lists models', async () => {
    const ids: string[] = []
    for await (const model of client.models.list()) ids.push(model.id)
    assert.ok(ids.includes(agent))
    const workflow = ids.find(id => id.startsWith('workflow/'))!
    assert.equal((await client.models.retrieve(workflow)).id, workflow)
  })

  test('completes, whole and streamed', async () => {
    const messages = [{ role: 'user', content: 'Hello' }] as const
    const whole = await client.chat.completions.create({ model: 'Guide', messages: [...messages] })
    assert.equal(whole.choices[0]!.message.content, 'echo: Hello')
    assert.ok(whole.usage!.total_tokens > 0)
    const stream = client.chat.completions.stream({
      model: agent,
      messages: [...messages],
      stream_options: { include_usage: true },
    })
    let text = ''
    stream.on('content', piece => {
      text += piece
    })
    const final = await stream.finalChatCompletion()
    assert.equal(text, 'echo: Hello')
    assert.equal(final.choices[0]!.message.content, text)
    assert.deepEqual(final.usage, whole.usage)
  })

  test('sends an image and a file', async () => {
    await client.chat.completions.create({
      model: agent,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
            {
              type: 'file',
              file: { filename: 'a.txt', file_data: `data:text/plain;base64,${btoa('fig')}` },
            },
          ],
        },
      ],
    })
    const sent = lastUserText(provider.calls.chat.at(-1)!.body)
    assert.match(sent, /What is this\?\s+File a\.txt:\nfig \[image\]/)
  })

  test('gets citations as annotations', async () => {
    cite()
    const { choices } = await client.chat.completions.create({
      model: citing,
      messages: [{ role: 'user', content: 'How many days of holiday?' }],
    })
    assert.equal(choices[0]!.message.annotations![0]!.url_citation.title, 'holidays.md')
  })

  test('responds, whole and streamed, and continues', async () => {
    const one = await client.responses.create({ model: agent, input: 'One' })
    assert.equal(one.output_text, 'echo: One')
    const stream = client.responses.stream({ model: agent, input: 'Two', previous_response_id: one.id })
    let text = ''
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta
    })
    const two = await stream.finalResponse()
    assert.deepEqual([text, two.output_text, two.status], ['echo: Two', 'echo: Two', 'completed'])
    assert.deepEqual(two.conversation, one.conversation)
    assert.ok(two.usage!.total_tokens > 0)
    const asked = await client.responses.create({ model: asking, input: 'Coffee' })
    assert.equal(asked.output_text, 'Which size?')
    const next = { model: asking, input: 'large', previous_response_id: asked.id }
    assert.equal((await client.responses.create(next)).output_text, 'echo: One large')
  })

  test('raises its own error classes', async () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    await assert.rejects(
      client.chat.completions.create({ model: 'nobody', messages }),
      (error: unknown) => error instanceof NotFoundError && error.code === 'model_not_found',
    )
    const unauthorized = new OpenAI({ baseURL: `${server.base}/v1`, apiKey: 'wrong', maxRetries: 0 })
    await assert.rejects(unauthorized.models.list(), AuthenticationError)
    fail()
    const stream = await client.chat.completions.create({ model: agent, messages, stream: true })
    await assert.rejects(
      async () => {
        for await (const _ of stream);
      },
      (error: unknown) => error instanceof APIError && error.code === 'model_failed',
    )
    const response = await client.responses.create({ model: agent, input: 'Hi', stream: true })
    const types: string[] = []
    for await (const { type } of response) types.push(type)
    assert.equal(types.at(-1), 'response.failed')
  })
})

describe('@ai-sdk/openai', () => {
  const models = () => {
    const openai = createOpenAI({ baseURL: `${server.base}/v1`, apiKey: operatorToken })
    return { chat: openai.chat, responses: openai.responses }
  }

  for (const protocol of ['chat', 'responses'] as const)
    describe(protocol, () => {
      test('generates and streams text with its usage', async () => {
        const model = models()[protocol](agent)
        const whole = await generateText({ model, system: 'Be brief.', prompt: 'Hello' })
        assert.equal(whole.text, 'echo: Be brief.\n\nHello')
        assert.ok(whole.usage.totalTokens! > 0)
        const stream = streamText({ model, prompt: 'Hello' })
        let text = ''
        for await (const piece of stream.textStream) text += piece
        assert.equal(text, 'echo: Hello')
        assert.equal(await stream.finishReason, 'stop')
        assert.ok((await stream.usage).totalTokens! > 0)
      })

      test('continues with the messages of the first answer', async () => {
        const model = models()[protocol](agent)
        const messages: ModelMessage[] = [{ role: 'user', content: 'One' }]
        const first = await generateText({ model, messages })
        messages.push(...first.response.messages, { role: 'user', content: 'Two' })
        await generateText({ model, messages })
        const sent = provider.calls.chat.at(-1)!.body.messages
        assert.deepEqual(
          sent.flatMap(({ role }) => (role === 'system' ? [] : [role])),
          ['user', 'assistant', 'user'],
        )
      })

      test('sends an image and gets sources', async () => {
        const model = models()[protocol](agent)
        const image = Buffer.from(png, 'base64')
        const content = [
          { type: 'text' as const, text: 'What is this?' },
          { type: 'file' as const, data: image, mediaType: 'image/png' },
        ]
        await generateText({ model, messages: [{ role: 'user', content }] })
        assert.match(lastUserText(provider.calls.chat.at(-1)!.body), /What is this\? \[image\]/)
        cite()
        const question = { model: models()[protocol](citing), prompt: 'How many days of holiday?' }
        const { sources } = await generateText(question)
        const titles = sources.map(source => ('title' in source ? source.title : ''))
        assert.deepEqual(titles, ['holidays.md'])
        const stream = streamText(question)
        await stream.consumeStream()
        assert.equal((await stream.sources).length, 1)
      })

      test('gets the error of a model', async () => {
        fail()
        const model = models()[protocol](agent)
        await assert.rejects(generateText({ model, prompt: 'Hi', maxRetries: 0 }))
        const errors: unknown[] = []
        const stream = streamText({
          model,
          prompt: 'Hi',
          maxRetries: 0,
          onError: ({ error }) => void errors.push(error),
        })
        await stream.consumeStream()
        assert.equal(errors.length, 1)
      })
    })
})

describe('@langchain/openai', () => {
  for (const useResponsesApi of [false, true])
    test(`invokes and streams ${useResponsesApi ? 'responses' : 'chat completions'}`, async () => {
      const model = new ChatOpenAI({
        model: agent,
        apiKey: operatorToken,
        useResponsesApi,
        streamUsage: true,
        maxRetries: 0,
        configuration: { baseURL: `${server.base}/v1` },
      })
      const whole = await model.invoke([
        ['system', 'Be brief.'],
        ['human', 'Hello'],
      ])
      assert.equal(whole.text, 'echo: Be brief.\n\nHello')
      assert.ok(whole.usage_metadata!.total_tokens > 0)
      let text = ''
      let tokens = 0
      for await (const chunk of await model.stream('Hello')) {
        text += chunk.text
        tokens += chunk.usage_metadata?.total_tokens ?? 0
      }
      assert.equal(text, 'echo: Hello')
      assert.ok(tokens > 0)
      fail()
      await assert.rejects(model.invoke('Hi'), /not today/)
    })
})
