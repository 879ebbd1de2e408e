import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import type { ModelEndpoint } from '../../src/adapters/model/endpoint.ts'
import { createLanguageModel, type LanguageModelOptions } from '../../src/adapters/model/language-model.ts'
import { modelFetch } from '../../src/adapters/model/model-fetch.ts'
import type { LanguageModel, ModelRequest } from '../../src/models/language-model.ts'
import type { ChatBody, ChatPlan } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'

const egress = createEgress({ allow: [] })
after(() => egress.close())

const userSays = (text: string): ModelRequest => ({
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
})

describe('a language model', () => {
  let provider: ScriptedModel
  before(async () => {
    provider = await startScriptedModel()
  })
  after(() => provider.stop())
  beforeEach(() => provider.reset())

  const open = (options: Partial<LanguageModelOptions> = {}) =>
    createLanguageModel({
      egress,
      baseUrl: `${provider.origin}/v1`,
      apiKey: provider.apiKey,
      model: 'writer',
      trusted: true,
      ...options,
    })

  const ask = async (request: ModelRequest, model = open()) => {
    const pieces: string[] = []
    const answer = await model.generate(request, piece => pieces.push(piece), new AbortController().signal)
    return { ...answer, pieces }
  }

  const lastBody = (): ChatBody => provider.calls.chat.at(-1)!.body

  it('streams its answer piece by piece, and counts its tokens', async () => {
    const answer = await ask(userSays('the banyan, 榕树 🌳'))
    assert.equal(answer.text, 'echo: the banyan, 榕树 🌳')
    assert.ok(answer.pieces.length > 3)
    assert.equal(answer.pieces.join(''), answer.text)
    assert.deepEqual(answer.toolCalls, [])
    assert.deepEqual(answer.usage, { promptTokens: 5, completionTokens: 6 })
  })

  it('passes every piece on before the provider has sent the next', async () => {
    const arrived = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    // The provider waits for the previous piece and would wait for ever if that were buffered.
    provider.play(() => ({
      pieces: ['one ', 'two ', 'three'],
      beforePiece: index => arrived[index - 1]?.promise,
    }))
    const pieces: string[] = []
    const onText = (piece: string): void => {
      pieces.push(piece)
      arrived[pieces.length - 1]?.resolve()
    }
    await open().generate(userSays('count'), onText, AbortSignal.timeout(10_000))
    assert.deepEqual(pieces, ['one ', 'two ', 'three'])
  })

  it('is sent the key, the model, the settings and the idempotency key', async () => {
    await ask({ ...userSays('x'), temperature: 0.2, maxTokens: 50, idempotencyKey: 'run-1/step-2' })
    const { headers, body } = provider.calls.chat[0]!
    assert.equal(headers.authorization, `Bearer ${provider.apiKey}`)
    assert.equal(headers['idempotency-key'], 'run-1/step-2')
    assert.equal(body.model, 'writer')
    assert.equal(body['temperature'], 0.2)
    assert.equal(body['max_tokens'], 50)
    assert.deepEqual(body['stream_options'], { include_usage: true })
    assert.equal(provider.calls.chat.length, 1)
  })

  it('is sent nothing that was not requested', async () => {
    await ask(userSays('x'), open({ apiKey: undefined }))
    const { headers, body } = provider.calls.chat[0]!
    assert.equal(headers.authorization, undefined)
    assert.equal(headers['idempotency-key'], undefined)
    assert.deepEqual(Object.keys(body).sort(), ['messages', 'model', 'stream', 'stream_options'])
  })

  it('is sent a conversation with images, tool calls and their results', async () => {
    await ask({
      messages: [
        { role: 'system', text: 'Be short.' },
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', mimeType: 'image/png', bytes: Uint8Array.of(1, 2, 3) },
          ],
        },
        {
          role: 'assistant',
          text: '',
          toolCalls: [
            { id: 'a', name: 'look', arguments: '{"x":1}' },
            { id: 'b', name: 'rest', arguments: '' },
          ],
        },
        { role: 'tool', callId: 'a', name: 'look', text: 'a tree' },
        { role: 'tool', callId: 'b', name: 'rest', text: 'done' },
      ],
    })
    assert.deepEqual(lastBody().messages, [
      { role: 'system', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: '{"x":1}' } },
          { id: 'b', type: 'function', function: { name: 'rest', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'a tree' },
      { role: 'tool', tool_call_id: 'b', content: 'done' },
    ])
  })

  it('is sent text as a string, and no lone surrogates', async () => {
    const parts = [
      { type: 'text' as const, text: 'one\ud800' },
      { type: 'text' as const, text: 'two' },
    ]
    await ask({ messages: [{ role: 'user', parts }] })
    assert.equal(lastBody().messages[0]?.content, 'one\ufffd\n\ntwo')
  })

  it('returns tool calls, whose arguments arrive in pieces and may be invalid JSON', async () => {
    provider.play(() => ({
      toolCalls: [
        { id: 'c1', name: 'find', arguments: { query: 'banyan 榕树', top: 3 } },
        { id: 'c2', name: 'find', arguments: 'not json' },
      ],
    }))
    const parameters = { type: 'object', properties: { query: { type: 'string' } } }
    const answer = await ask({
      ...userSays('find it'),
      tools: [{ name: 'find', description: 'Finds.', parameters }],
    })
    assert.deepEqual(lastBody().tools, [
      { type: 'function', function: { name: 'find', description: 'Finds.', parameters } },
    ])
    assert.equal(answer.text, '')
    assert.deepEqual(answer.toolCalls, [
      { id: 'c1', name: 'find', arguments: '{"query":"banyan 榕树","top":3}' },
      { id: 'c2', name: 'find', arguments: 'not json' },
    ])
  })

  it('separates reasoning from the text', async () => {
    provider.play(() => ({ reasoning: 'let me think', text: 'the answer' }))
    const answer = await ask(userSays('x'))
    assert.equal(answer.text, 'the answer')
    assert.equal(answer.pieces.join(''), 'the answer')
  })

  it('is sent a shorter history under an idempotency key of its own', async () => {
    provider.play(({ messages }) =>
      messages.length > 1 ? { status: 400, message: 'the prompt is too long' } : { text: 'short' },
    )
    const messages = [
      ...userSays('old').messages,
      { role: 'assistant', text: 'answer', toolCalls: [] } as const,
      ...userSays('new').messages,
    ]
    assert.equal((await ask({ messages, idempotencyKey: 'k' })).text, 'short')
    const keys = provider.calls.chat.map(({ headers }) => headers['idempotency-key'])
    assert.deepEqual([keys[0], new Set(keys).size], ['k', keys.length])
  })

  it('omits an idempotency key that is invalid in a header', async () => {
    for (const idempotencyKey of ['run-1/节点', 'x'.repeat(300), 'a\nb']) {
      assert.equal((await ask({ ...userSays('x'), idempotencyKey })).text, 'echo: x')
      assert.equal(provider.calls.chat.at(-1)!.headers['idempotency-key'], undefined)
    }
  })

  it('reports an integer number of used tokens, whatever the provider sends', async () => {
    for (const [given, counted] of [
      [-5, 0],
      [1.5, 0],
      [1e300, 0],
      [5e12, 1e9],
      [7, 7],
    ] as const) {
      provider.play(() => ({ usage: { prompt_tokens: given, completion_tokens: given } }))
      const { usage } = await ask(userSays('x'))
      assert.deepEqual(usage, { promptTokens: counted, completionTokens: counted }, `${given}`)
    }
  })

  it('reports why its answer was cut off, under any name of it', async () => {
    for (const [reasons, cutBy] of [
      [['length', 'max_tokens', 'MAX_TOKENS', 'model_length'], 'length'],
      [['content_filter', 'sensitive', 'SAFETY', 'RECITATION', 'IMAGE_PROHIBITED_CONTENT'], 'content_filter'],
      [['stop', 'STOP', 'eos', 'end_turn'], undefined],
    ] as const)
      for (const finishReason of reasons) {
        provider.play(() => ({ text: 'half', finishReason }))
        assert.equal((await ask(userSays('x'))).cutBy, cutBy, finishReason)
      }
  })

  it('reports no used tokens when the provider does not', async () => {
    provider.play(() => ({ usage: null }))
    assert.deepEqual((await ask(userSays('x'))).usage, { promptTokens: 0, completionTokens: 0 })
  })

  it('accepts a complete response from a server that does not stream', async () => {
    provider.play(() => ({ withoutStream: true, text: 'all at once' }))
    const answer = await ask(userSays('x'))
    assert.equal(answer.text, 'all at once')
    provider.play(() => ({ withoutStream: true, toolCalls: [{ name: 'f', arguments: { a: 1 } }] }))
    assert.deepEqual((await ask(userSays('x'))).toolCalls, [
      { id: 'call_1', name: 'f', arguments: '{"a":1}' },
    ])
  })

  it('accepts an address with a trailing slash or a query', async () => {
    await ask(userSays('x'), open({ baseUrl: `${provider.origin}/some/v1/?api-version=2` }))
    assert.equal(provider.calls.chat[0]?.url, '/some/v1/chat/completions?api-version=2')
  })

  it('must have a URL, which may be private only if the operator configured it', async () => {
    assert.throws(() => open({ baseUrl: 'nonsense' }), /MODEL_BASE_URL/)
    await assert.rejects(ask(userSays('x'), open({ trusted: false })), {
      name: 'ModelFailure',
      retryable: false,
      message: /cannot be called with these settings.*EGRESS_ALLOW/,
    })
    assert.equal(provider.calls.chat.length, 0)
  })

  it('does not report an internal error as a failure of the model', async () => {
    const mistake = new TypeError('mine')
    const broken = { ...egress, request: () => Promise.reject(mistake) }
    const model = open({ egress: broken })
    // More often than the circuit breaker would allow.
    for (let count = 0; count < 8; count++) await assert.rejects(ask(userSays('x'), model), mistake)
  })

  it('rethrows an error of the listener unchanged', async () => {
    const mistake = new Error('mine')
    const onText = (): void => {
      throw mistake
    }
    await assert.rejects(open().generate(userSays('x'), onText, new AbortController().signal), mistake)
  })

  it('drops what it had already received when it was cancelled', async () => {
    const body = new PassThrough()
    for (const text of ['one', 'two'])
      body.write(`data: {"choices": [{"index": 0, "delta": {"content": "${text}"}}]}\n\n`)
    const fetch = modelFetch({
      egress: { ...egress, request: async () => ({ status: 200, headers: {}, url: '', body }) },
      endpoint: { trusted: true } as ModelEndpoint,
      timeouts: { connectMilliseconds: 1000, idleMilliseconds: 1000, totalMilliseconds: 1000 },
      onDone: () => {},
      onImage: () => {},
    })
    const { body: events } = await fetch(provider.origin)
    // Reading has begun, but nothing was read: that needs more than microtasks.
    for (let count = 0; count < 10; count++) await Promise.resolve()
    await events?.cancel()
    await new Promise(setImmediate)
    assert.equal(body.destroyed, true)
  })
})

describe('a language model that answers in JSON', () => {
  let provider: ScriptedModel
  before(async () => {
    provider = await startScriptedModel()
  })
  after(() => provider.stop())
  beforeEach(() => provider.reset())

  const color = { type: 'string', enum: ['red', 'green'] }
  const closed = { type: 'object', properties: { color }, required: ['color'], additionalProperties: false }
  const request = (schema: Record<string, unknown> = closed): ModelRequest => ({
    messages: [
      { role: 'system', text: 'Be exact.' },
      { role: 'user', parts: [{ type: 'text', text: 'a green leaf' }] },
    ],
    jsonSchema: { name: 'leaf', schema },
  })

  const open = (more: Partial<LanguageModelOptions> = {}): LanguageModel =>
    createLanguageModel({ egress, baseUrl: `${provider.origin}/v1`, model: 'm', trusted: true, ...more })
  const ask = (given: ModelRequest = request(), model = open()) =>
    model.generate(given, () => {}, new AbortController().signal)

  const formats = (): (string | undefined)[] =>
    provider.calls.chat.map(({ body }) => body.response_format?.type)

  const refuses = (...types: string[]) => {
    provider.play((body): ChatPlan | undefined =>
      types.includes(body.response_format?.type ?? '')
        ? { status: 400, message: `response_format.type '${body.response_format?.type}' is not supported` }
        : undefined,
    )
  }

  it('is sent the schema, strict where possible', async () => {
    assert.equal((await ask()).text, '{"color":"green"}')
    const format = provider.calls.chat[0]?.body.response_format
    assert.deepEqual(format, {
      type: 'json_schema',
      json_schema: { name: 'leaf', strict: true, schema: closed },
    })
    for (const loose of [
      { ...closed, additionalProperties: undefined },
      { ...closed, required: [] },
      { ...closed, properties: { color: { anyOf: [color, { type: 'object' }] } } },
    ]) {
      await ask(request(loose))
      assert.equal(provider.calls.chat.at(-1)?.body.response_format?.json_schema?.strict, false)
    }
  })

  it('gets the schema in the prompt where the provider rejects schemas, which is remembered', async () => {
    refuses('json_schema')
    const model = open()
    await ask(request(), model)
    await ask(request(), model)
    assert.deepEqual(formats(), ['json_schema', 'json_object', 'json_object'])
    const [system, user] = provider.calls.chat[2]!.body.messages
    assert.ok(String(system?.content).startsWith('Be exact.\n\n'))
    assert.ok(String(system?.content).includes(JSON.stringify(closed)))
    assert.equal(user?.content, 'a green leaf')
  })

  it('gets another schema again, and every schema after a while: a rejected one may be invalid', async () => {
    refuses('json_schema')
    const time = { now: 1000 }
    const model = open({ clock: { now: () => time.now } })
    await ask(request(), model)
    refuses()
    await ask(request(), model)
    await ask(request({ type: 'object' }), model)
    assert.deepEqual(formats(), ['json_schema', 'json_object', 'json_object', 'json_schema'])
    time.now += 3_600_000
    await ask(request(), model)
    assert.equal(formats()[4], 'json_schema')
  })

  it('gets the schema again after a request that failed without it, too', async () => {
    provider.play(() => ({ status: 400, message: 'Invalid schema for response_format' }))
    const model = open()
    await assert.rejects(ask(request(), model), { status: 400 })
    provider.reset()
    await ask(request(), model)
    assert.deepEqual(formats(), ['json_schema'])
  })

  it('gets the schema only in the prompt where the provider does not support JSON', async () => {
    refuses('json_schema', 'json_object')
    const model = open()
    await ask(request(), model)
    await ask(request(), model)
    assert.deepEqual(formats(), ['json_schema', 'json_object', undefined, undefined])
    assert.ok(String(provider.calls.chat[3]?.body.messages[0]?.content).includes('JSON Schema'))
  })

  it('gets the schema as the system message where there is none', async () => {
    refuses('json_schema')
    const { jsonSchema, messages } = request()
    await ask({ jsonSchema, messages: messages.slice(1) })
    assert.deepEqual(
      provider.calls.chat[1]?.body.messages.map(each => each.role),
      ['system', 'user'],
    )
  })

  it('handles concurrent calls during that detection', async () => {
    refuses('json_schema')
    const model = open()
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(request(), model)))
    assert.ok(answers.every(answer => answer.text === '{}'))
  })

  it('fails when the request is rejected for another reason', async () => {
    provider.play(() => ({ status: 400, message: 'the prompt is too long' }))
    await assert.rejects(ask(), { status: 400, retryable: false, message: /too long/ })
    assert.equal(provider.calls.chat.length, 1)
  })

  for (const [member, message] of [
    ['max_tokens', "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."],
    ['temperature', "'temperature' does not support 0.2 with this model. Only the default is supported."],
    ['stream_options', 'stream_options: Extra inputs are not permitted'],
  ] as const)
    it(`omits ${member} where the provider does not support it`, async () => {
      provider.play(body => (body[member] === undefined ? undefined : { status: 400, message }))
      const { messages } = request()
      const answer = await ask({ messages, temperature: 0.2, maxTokens: 70 })
      assert.equal(answer.text, 'echo: a green leaf')
      assert.equal(provider.calls.chat.length, 2)
      if (member === 'max_tokens') assert.equal(provider.calls.chat[1]?.body['max_completion_tokens'], 70)
    })
})
