import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endpointLabels, endpointOf } from '../../src/adapters/model/endpoint.ts'
import { reportedFailure } from '../../src/adapters/model/endpoint-failure.ts'
import { plainSchema } from '../../src/adapters/model/plain-schema.ts'
import { shortenedFor } from '../../src/adapters/model/shorten-request.ts'
import { repairEvent } from '../../src/adapters/model/stream-events.ts'
import { ThinkSplitter } from '../../src/adapters/model/think-splitter.ts'
import type { ModelMessage } from '../../src/models/language-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { trimHistory } from '../../src/models/trim-history.ts'

function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const found = { text: '', reasoning: '' }
  const splitter = new ThinkSplitter(
    (piece, restarts) => {
      found.text = restarts ? piece : found.text + piece
    },
    piece => {
      found.reasoning += piece
    },
  )
  for (const piece of pieces) splitter.write(piece)
  splitter.end()
  return found
}

it('blank space without end is not held back', () => {
  let text = ''
  const splitter = new ThinkSplitter(
    piece => {
      text += piece
    },
    () => {},
  )
  for (let at = 0; at < 2000; at++) splitter.write(' ')
  assert.equal(text.length, 2000)
})

describe('the reasoning in a text', () => {
  const cases: [source: string, reasoning: string, text: string][] = [
    ['<think>a < b </ c</think>\n\nyes', 'a < b </ c', 'yes'],
    ['\n<think>\n\n</think>\n\nyes', '\n\n', 'yes'],
    ['<think>cut off', 'cut off', ''],
    ['<think>cut off</thi', 'cut off</thi', ''],
    ['no <think>x</think> here', '', 'no <think>x</think> here'],
    ['<thinker> is a word', '', '<thinker> is a word'],
    ['<thin', '', '<thin'],
    ['  indented', '', '  indented'],
    ['', '', ''],
    ['<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
    ['2 and 2\nis 4\n</think>\n\n4', '2 and 2\nis 4', '4'],
    ['</think>\n\nyes', '', 'yes'],
    ['Hm\n</think>\na\n</think>', 'Hm', 'a\n</think>'],
    ['ends with `</think>`, x</think>y', '', 'ends with `</think>`, x</think>y'],
    ['In XML:\n<think>\na\n</think>', '', 'In XML:\n<think>\na\n</think>'],
  ]
  for (const [source, reasoning, text] of cases)
    it(`is found in ${JSON.stringify(source)}, however it is cut into pieces`, () => {
      assert.deepEqual(split([source]), { text, reasoning })
      assert.deepEqual(split([...source]), { text, reasoning })
      for (let at = 1; at < source.length; at++)
        assert.deepEqual(split([source.slice(0, at), source.slice(at)]), { text, reasoning })
    })
})

describe('a message of a provider', () => {
  const failureWith = (body: unknown, apiKey: string, status = 400) =>
    reportedFailure(
      endpointOf(endpointLabels('Model', 'MODEL'), {
        egress: {} as never,
        baseUrl: 'https://x.example',
        apiKey,
      }),
      { status, headers: {}, body },
    )!

  it('keeps words that contain a short key, and loses the key itself', () => {
    const { message } = failureWith({ error: { message: 'max_tokens of k: "k" is not ok' } }, 'k')
    assert.match(message, /max_tokens of \[key\]: "\[key\]" is not ok/)
  })

  it('loses a long key even inside other words', () => {
    const key = 'abcdefghijklmnopqrst'
    assert.doesNotMatch(failureWith({ error: { message: `x${key}y` } }, key).message, /abcdefgh/)
  })

  const detail = [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted', type: 'extra' }]
  const forms: Record<string, unknown> = {
    'an array': [{ error: { message: 'body.stream_options: Extra inputs are not permitted', code: 400 } }],
    'the detail of FastAPI': { detail },
    'an object of Mistral': { object: 'error', message: { detail }, type: 'invalid_request_error' },
    'a text': { error: 'body.stream_options: Extra inputs are not permitted' },
  }
  for (const [name, body] of Object.entries(forms))
    it(`is read from ${name}`, () => {
      assert.equal(failureWith(body, '').detail, 'body.stream_options: Extra inputs are not permitted')
    })

  it('in a stream has the status that its code stands for', () => {
    const event = repairEvent('{"code":"InvalidParameter","message":"temperature is out of range"}')
    assert.equal(failureWith(JSON.parse(event!), '', 200).status, 400)
    assert.equal(failureWith({ error: { type: 'rate_limit_error', message: 'slow' } }, '', 200).status, 429)
  })
})

describe('an event of a stream', () => {
  it('that is in order is passed on unchanged', () => {
    const data = '{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"x"}}],"usage":null}'
    assert.equal(repairEvent(data), data)
  })

  it('that is no part of the response is dropped', () => {
    assert.equal(repairEvent('{"type":"ping"}'), undefined)
    const chunk =
      '{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","error":null,"choices":[{"index":0,"delta":{"content":"hi"}}]}'
    assert.doesNotMatch(repairEvent(chunk)!, /error/)
    assert.equal(repairEvent('null'), undefined)
  })

  it('with usage alone is kept', () => {
    assert.deepEqual(JSON.parse(repairEvent('{"usage":{"prompt_tokens":1}}')!), {
      usage: { prompt_tokens: 1 },
      choices: [],
    })
  })
})

describe('a schema without references', () => {
  it('resolves them, also one inside another', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A', description: 'own' }, $ref: { const: 'x' } },
      additionalProperties: { type: 'string' },
      $defs: { A: { $ref: '#/$defs/B' }, B: { type: 'integer', description: 'other' } },
    }
    assert.deepEqual(plainSchema(schema), {
      type: 'object',
      properties: { a: { type: 'integer', description: 'own' }, $ref: { enum: ['x'] } },
    })
  })

  it('ends where they form a circle', () => {
    const tree = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#/$defs/T' } } }
    const text = JSON.stringify(plainSchema({ ...tree, $defs: { T: { ...tree, $ref: '#/$defs/T' } } }))
    assert.ok(text.length < 1_000_000)
    assert.doesNotMatch(text, /\$defs/)
  })
})

describe('a history that is too long', () => {
  const user = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
  const assistant = (text: string): ModelMessage => ({ role: 'assistant', text, toolCalls: [] })
  const long = 'word '.repeat(200)
  const messages: ModelMessage[] = [
    { role: 'system', text: 'rules' },
    user(long),
    assistant(long),
    user('short'),
    assistant('answer'),
    user('question'),
    { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 't', arguments: '{}' }] },
    { role: 'tool', callId: '1', name: 't', text: 'result' },
  ]

  it('loses its oldest turns as a whole, and neither the rules nor the last question', () => {
    const { messages: kept } = trimHistory({ messages }, 300)
    assert.deepEqual(kept, [messages[0], ...messages.slice(3)])
    assert.deepEqual(trimHistory({ messages }, 10).messages, [messages[0], ...messages.slice(5)])
  })

  it('does not lose the question to images that a tool returned for it', () => {
    const image: ModelMessage = { role: 'user', parts: [{ type: 'text', text: 'Images from the tools:' }] }
    const request = { messages: [...messages, image] }
    assert.deepEqual(trimHistory(request, 10).messages, [messages[0], ...messages.slice(5), image])
    const failure = new ModelFailure('', { retryable: false, status: 400, detail: 'prompt is too long' })
    assert.deepEqual(shortenedFor(failure, request)?.messages, [messages[0], ...messages.slice(3), image])
    const only = { messages: request.messages.slice(5) }
    assert.equal(shortenedFor(failure, only), undefined)
  })

  it('is unchanged where it fits', () => {
    const request = { messages }
    assert.equal(trimHistory(request, 8192), request)
  })
})
