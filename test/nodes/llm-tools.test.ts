import assert from 'node:assert/strict'
import test from 'node:test'
import type { ModelMessage, ToolCall } from '../../src/models/language-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { llm } from '../../src/nodes/llm.ts'
import type { NodeServices } from '../../src/nodes/node-services.ts'
import type { HttpRequest } from '../../src/tools/http-client.ts'
import { ToolFailure } from '../../src/tools/tool-failure.ts'
import type { JsonRecord } from '../../src/workflow/node-kind.ts'
import { StepFailure, waitForChildren } from '../../src/workflow/step.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf, runKind } from '../support/run-kind.ts'
import {
  onlyModel,
  type ScriptedLanguageModel,
  scriptedLanguageModel,
} from '../support/scripted-language-model.ts'

const uses = (...entries: unknown[]): JsonRecord => ({ prompt_template: 'Do it.', '数据源/API工具': entries })
const call = (name: string, args: unknown = {}, id = 'c1'): ToolCall => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
})
/** Calls the tools in the first answer and is done in the second. */
const callsOnce = (...toolCalls: ToolCall[]): ScriptedLanguageModel =>
  scriptedLanguageModel((_, count) => (count === 1 ? { toolCalls } : { text: 'done' }))

const toolTexts = (model: ScriptedLanguageModel, request = 1): string[] =>
  model.requests[request]!.messages.flatMap((message: ModelMessage) =>
    message.role === 'tool' ? [message.text] : [],
  )

function recordingHttp(answer: { status?: number; text?: string } = {}) {
  const sent: HttpRequest[] = []
  const http: NodeServices['http'] = {
    request: async request => {
      sent.push(request)
      return { status: answer.status ?? 200, headers: {}, text: answer.text ?? 'sunny' }
    },
  }
  return { sent, http }
}

const weather = {
  type: 'http',
  name: 'weather',
  description: 'Weather of a city',
  method: 'GET',
  url: 'https://api.test/{city}/now?lang=en',
  parameters: { type: 'object', properties: { units: { type: 'string' } } },
  headers: { Authorization: 'Bearer {{#memory.key#}}' },
}

test('an HTTP tool is offered and called, and its result goes back to the model', async () => {
  const model = callsOnce(call('weather', { city: 'São Paulo/x', units: 'c' }))
  const { sent, http } = recordingHttp()
  const step = fakeStep({ memory: { key: 'k1' } })
  const outputs = await outputsOf(llm, step, uses(weather), { ...onlyModel(model), http })
  assert.equal(outputs['text'], 'done')
  assert.deepEqual(JSON.parse(JSON.stringify(model.requests[0]!.tools)), [
    {
      name: 'weather',
      description: 'Weather of a city',
      parameters: {
        type: 'object',
        properties: { units: { type: 'string' }, city: { type: 'string' } },
        required: ['city'],
      },
    },
  ])
  assert.equal(sent[0]!.url, 'https://api.test/S%C3%A3o%20Paulo%2Fx/now?lang=en&units=c')
  assert.deepEqual(sent[0]!.headers, { authorization: 'Bearer k1' })
  assert.deepEqual(toolTexts(model), ['sunny'])
  assert.deepEqual(outputs['usage'], { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 })
  assert.doesNotMatch(JSON.stringify(model.requests), /k1/, 'the model sees no header')
})

test('a tool gets all digits of an id that the model passes', async () => {
  const model = callsOnce(call('order', '{"id":687865202956247041,"count":2}'))
  const { sent, http } = recordingHttp()
  const order = {
    type: 'http',
    name: 'order',
    description: 'Orders',
    method: 'POST',
    url: 'https://api.test/o',
  }
  await outputsOf(llm, fakeStep(), uses(order), { ...onlyModel(model), http })
  assert.equal(sent[0]?.body, '{"id":"687865202956247041","count":2}')
})

test('an unsafe HTTP tool sends JSON and the same idempotency key after a crash', async () => {
  const model = callsOnce(call('order', { item: 'tea', id: 7 }))
  const { sent, http } = recordingHttp()
  const order = {
    type: 'http',
    name: 'order',
    method: 'post',
    url: 'https://api.test/{id}',
    parameters: { item: 'what' },
  }
  await outputsOf(llm, fakeStep(), uses(order), { ...onlyModel(model), http })
  const [{ method, url, headers, body }] = sent as [HttpRequest]
  assert.deepEqual([method, url, body], ['POST', 'https://api.test/7', '{"item":"tea"}'])
  assert.equal(headers['idempotency-key'], 'run_1.node.tool-1-0')
  assert.equal(headers['content-type'], 'application/json')
})

test('the idempotency key of a tool is a valid header value for any node id', async () => {
  const model = callsOnce(call('order'))
  const { sent, http } = recordingHttp()
  const order = { type: 'http', name: 'order', method: 'POST', url: 'https://api.test/' }
  const step = { ...fakeStep(), idempotencyKey: 'run_1.节点' }
  await outputsOf(llm, step, uses(order), { ...onlyModel(model), http })
  assert.match(sent[0]!.headers['idempotency-key']!, /^[\x21-\x7e]{1,255}$/)
})

test('secrets in a URL are not shown to the model', async () => {
  const model = scriptedLanguageModel()
  const url = 'https://me:secret-1@api.test/items/{id}?key=secret-2#secret-3'
  await outputsOf(llm, fakeStep(), uses({ type: 'http', name: 'items', url }), {
    ...onlyModel(model),
    ...recordingHttp(),
  })
  assert.equal(model.requests[0]!.tools![0]!.description, 'Calls GET https://api.test/items/{id}')
})

test('an argument cannot escape its segment of the URL', async () => {
  for (const city of ['..', '.', '', undefined]) {
    const model = callsOnce(call('weather', { city }))
    const { sent, http } = recordingHttp()
    await outputsOf(llm, fakeStep(), uses(weather), { ...onlyModel(model), http })
    assert.match(toolTexts(model)[0]!, /^failed: The argument "city"/)
    assert.deepEqual(sent, [])
  }
})

test('the model cannot choose the host that receives the headers', async () => {
  for (const url of [
    'https://{host}/x',
    'https://api.{city}.test/',
    '{city}',
    'https://user:{city}@api.test/',
  ]) {
    const model = callsOnce(call('weather', { city: 'evil.test', host: 'evil.test' }))
    const { sent, http } = recordingHttp()
    await outputsOf(llm, fakeStep(), uses({ ...weather, url }), { ...onlyModel(model), http })
    assert.match(toolTexts(model)[0]!, /^failed: /, url)
    assert.deepEqual(sent, [])
  }
})

test('a failed tool call is reported to the model, which continues', async () => {
  const model = callsOnce(
    call('weather', 'not json', 'a'),
    call('nothing', {}, 'b'),
    call('weather', { city: 'x' }, 'c'),
    call('weather', `{"city":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'd'),
  )
  const http: NodeServices['http'] = {
    request: async () => {
      throw new ToolFailure('The address is private.', { retryable: false })
    },
  }
  const outputs = await outputsOf(llm, fakeStep(), uses(weather), { ...onlyModel(model), http })
  assert.equal(outputs['text'], 'done')
  assert.deepEqual(toolTexts(model), [
    'failed: the arguments are not a JSON object.',
    'failed: there is no tool named "nothing"; available: weather.',
    'failed: The address is private.',
    'failed: the arguments are nested too deeply.',
  ])
})

test('an error status is reported to the model, and long results are cut', async () => {
  const model = callsOnce(call('weather', { city: 'x' }))
  const { http } = recordingHttp({ status: 500, text: 'y'.repeat(30_000) })
  await outputsOf(llm, fakeStep(), uses(weather), { ...onlyModel(model), http })
  const [text] = toolTexts(model)
  assert.match(text!, /^failed: HTTP 500\ny+\n\(cut: \d+ characters in all\)$/)
  assert.ok(text!.length < 20_100)
})

test('calls of one answer run in parallel', async () => {
  const model = callsOnce(call('weather', { city: 'a' }, 'a'), call('weather', { city: 'b' }, 'b'))
  let waiting = 0
  const both = Promise.withResolvers<void>()
  const http: NodeServices['http'] = {
    request: async ({ url }) => {
      waiting += 1
      if (waiting === 2) both.resolve()
      await both.promise
      return { status: 200, headers: {}, text: url }
    },
  }
  await outputsOf(llm, fakeStep(), uses(weather), { ...onlyModel(model), http })
  assert.deepEqual(toolTexts(model), ['https://api.test/a/now?lang=en', 'https://api.test/b/now?lang=en'])
})

test('text before a tool call is streamed, with an empty line after it', async () => {
  const model = scriptedLanguageModel((_, count) =>
    count === 1
      ? { text: 'Let me look.', toolCalls: [call('weather', { city: 'x' })] }
      : { text: 'It is sunny.' },
  )
  const step = fakeStep()
  const outputs = await outputsOf(llm, step, uses(weather), { ...onlyModel(model), ...recordingHttp() })
  assert.equal(outputs['text'], 'Let me look.\n\nIt is sunny.')
  assert.equal(step.pieces.join(''), outputs['text'])
})

test('after a crash no finished call is repeated', async () => {
  const failure = new ModelFailure('gone', { retryable: true })
  const model = scriptedLanguageModel((_, count) => {
    if (count === 1) return { text: 'One moment.', toolCalls: [call('weather', { city: 'x' })] }
    return count === 2 ? { pieces: ['It '], error: failure } : { text: 'It is sunny.' }
  })
  const { sent, http } = recordingHttp()
  const services = { ...onlyModel(model), http }
  const first = fakeStep()
  await assert.rejects(runKind(llm, first, uses(weather), services), StepFailure)
  assert.deepEqual([model.requests.length, sent.length, first.restarts], [2, 1, 1])

  const second = fakeStep({ journal: first.journal, attempt: 2 })
  const outputs = await outputsOf(llm, second, uses(weather), services)
  assert.equal(outputs['text'], 'One moment.\n\nIt is sunny.')
  assert.equal(second.pieces.join(''), outputs['text'])
  assert.deepEqual([model.requests.length, sent.length], [3, 1])
  assert.equal(second.spent.length, 1, 'only the call of this attempt is counted')
  assert.deepEqual(outputs['usage'], { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 })

  const third = fakeStep({ journal: first.journal, attempt: 3 })
  assert.deepEqual(await outputsOf(llm, third, uses(weather), services), outputs)
  assert.deepEqual([model.requests.length, sent.length], [3, 1])
})

test('a model that keeps calling tools is stopped after eight calls', async () => {
  const model = scriptedLanguageModel(() => ({ toolCalls: [call('weather', { city: 'x' })] }))
  const run = runKind(llm, fakeStep(), uses(weather), { ...onlyModel(model), ...recordingHttp() })
  await assert.rejects(run, /no answer after 8 calls/)
  assert.equal(model.requests.length, 8)
  assert.equal(model.requests[7]!.tools, undefined, 'the last call can only answer')
})

test('a workflow tool answers the model and sends no messages to the user', async () => {
  const model = callsOnce(call('book_table', { query: 'two people' }))
  const step = fakeStep({
    runWorkflow: () => ({ status: 'succeeded', outputs: { seat: 4 }, answer: 'booked' }),
  })
  await outputsOf(llm, step, uses({ type: 'workflow', id: 'wf_1', name: 'book table' }), onlyModel(model))
  assert.deepEqual(step.calls, [
    { name: 'tool-1-0', workflowId: 'wf_1', inputs: { query: 'two people' }, sendsMessages: false },
  ])
  assert.deepEqual(toolTexts(model), ['{"answer":"booked","outputs":{"seat":4}}'])
})

test('the model passes files to a workflow only if the author declares them', async () => {
  const file = { file_id: 'file_1', name: 'a' }
  const given = { query: 'q', files: [file, 'file_2', { file_id: 3 }] }
  for (const [parameters, files] of [
    [undefined, undefined],
    [{ query: 'what' }, undefined],
    [{ query: 'what', files: { type: 'array' } }, [file]],
  ] as const) {
    const model = callsOnce(call('run_workflow', given))
    const step = fakeStep({ runWorkflow: () => ({ status: 'succeeded', outputs: {}, answer: 'ok' }) })
    await outputsOf(llm, step, uses({ type: 'workflow', id: 'wf_1', parameters }), onlyModel(model))
    assert.deepEqual(step.calls[0]!.inputs, { query: 'q', ...(files && { files }) })
  }
})

test('a workflow tool that asks the user makes the step wait and continues after the answer', async () => {
  const model = scriptedLanguageModel((_, count) =>
    count === 1 ? { text: 'Asking.', toolCalls: [call('run_workflow', { query: 'q' })] } : { text: 'done' },
  )
  const data = uses({ type: 'workflow', id: 'wf_1' })
  const first = fakeStep({ runWorkflow: () => ({ status: 'waiting' }) })
  assert.equal(await runKind(llm, first, data, onlyModel(model)), waitForChildren)
  assert.deepEqual(first.pieces, [])
  const second = fakeStep({
    journal: first.journal,
    resumed: { state: null, reply: { text: 'yes' } },
    runWorkflow: () => ({ status: 'succeeded', outputs: {}, answer: 'ok' }),
  })
  assert.equal((await outputsOf(llm, second, data, onlyModel(model)))['text'], 'Asking.\n\ndone')
  assert.equal(model.requests.length, 2)
})

test('a failed workflow is reported to the model', async () => {
  const model = callsOnce(call('run_workflow', { query: 'q' }))
  const step = fakeStep({
    runWorkflow: () => {
      throw new StepFailure('step_failed', 'It calls itself.')
    },
  })
  await outputsOf(llm, step, uses({ type: 'workflow', id: 'wf_1' }), onlyModel(model))
  assert.deepEqual(toolTexts(model), ['failed: It calls itself.'])
})

function toolServer() {
  const asked: unknown[] = []
  const served = ['add', 'remove', '查 天气'].map(name => ({
    name,
    description: `${name}!`,
    parameters: { type: 'object' },
  }))
  const toolServers: NodeServices['toolServers'] = {
    list: async ({ url, headers }) => {
      asked.push(['list', url, headers])
      return served
    },
    call: async ({ url }, tool, args) => {
      asked.push(['call', url, tool, args])
      return { text: '', structured: { sum: 3 }, files: [] }
    },
    inspect: () => assert.fail('a node does not inspect servers'),
  }
  return { asked, toolServers }
}

test('tools of an MCP server are listed once and called by their own names', async () => {
  const failure = new ModelFailure('gone', { retryable: true })
  const model = scriptedLanguageModel((_, count) =>
    count === 1
      ? { error: failure }
      : count === 2
        ? { toolCalls: [call('tool_2', { a: 1 })] }
        : { text: 'done' },
  )
  const { asked, toolServers } = toolServer()
  const data = uses({
    type: 'mcp',
    url: 'https://mcp.test',
    tools: ['add', '查 天气'],
    headers: { 'X-Key': 'k' },
  })
  const first = fakeStep()
  await assert.rejects(runKind(llm, first, data, { ...onlyModel(model), toolServers }), StepFailure)
  await outputsOf(llm, fakeStep({ journal: first.journal }), data, { ...onlyModel(model), toolServers })
  assert.deepEqual(
    model.requests[0]!.tools!.map(({ name }) => name),
    ['add', 'tool_2'],
  )
  assert.deepEqual(asked, [
    ['list', 'https://mcp.test', { 'x-key': 'k' }],
    ['call', 'https://mcp.test', '查 天气', { a: 1 }],
  ])
  assert.deepEqual(toolTexts(model, 2), ['{"sum":3}'])
})

test('a tool that the server does not have is named in the failure', async () => {
  const data = uses({ type: 'mcp', url: 'https://me:pw@mcp.test/path?key=k1', tools: ['fly'] })
  const services = { ...onlyModel(scriptedLanguageModel()), ...toolServer() }
  await assert.rejects(runKind(llm, fakeStep(), data, services), {
    message: 'The MCP server mcp.test has no tool named fly; check "tools".',
  })
})

test('tool names are valid and unique', async () => {
  const model = scriptedLanguageModel()
  const named = (name: string) => ({ ...weather, name })
  const data = uses(named('查天气'), named('a b'), named('a.b'), named('x'.repeat(80)), named('x'.repeat(70)))
  await outputsOf(llm, fakeStep(), data, { ...onlyModel(model), ...recordingHttp() })
  const names = model.requests[0]!.tools!.map(({ name }) => name)
  assert.deepEqual(names, ['tool_1', 'a_b', 'a_b_2', 'x'.repeat(64), `${'x'.repeat(62)}_2`])
})

test('web search is a tool if it is configured', async () => {
  const model = callsOnce(call('web_search', { query: 'banyan' }))
  const webSearch: NodeServices['webSearch'] = {
    search: async query => [{ title: query, url: 'https://example.org', content: 'a fig' }],
  }
  await outputsOf(llm, fakeStep(), uses({ type: 'web_search' }), { ...onlyModel(model), webSearch })
  assert.deepEqual(toolTexts(model), ['[{"title":"banyan","url":"https://example.org","content":"a fig"}]'])
  const run = runKind(llm, fakeStep(), uses({ type: 'web_search' }), onlyModel(model))
  await assert.rejects(run, (error: unknown) => {
    assert.ok(error instanceof StepFailure)
    return error.reason === 'not_configured' && /WEB_SEARCH_URL/.test(error.message)
  })
})

test('calls without unique ids get generated ones', async () => {
  const model = callsOnce(call('weather', { city: 'a' }, ''), call('weather', { city: 'b' }, ''))
  await outputsOf(llm, fakeStep(), uses(weather), { ...onlyModel(model), ...recordingHttp() })
  const ids = model.requests[1]!.messages.flatMap(message => {
    if (message.role === 'tool') return [message.callId]
    return message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : []
  })
  assert.deepEqual(ids, ['call_1_0', 'call_1_1', 'call_1_0', 'call_1_1'])
})

test('an aborted step does not journal a failure of its tools', async () => {
  const controller = new AbortController()
  const http: NodeServices['http'] = {
    request: async () => {
      controller.abort(new Error('time is up'))
      throw new ToolFailure('aborted', { retryable: false })
    },
  }
  const step = fakeStep({ signal: controller.signal })
  const model = callsOnce(call('weather', { city: 'x' }))
  await assert.rejects(runKind(llm, step, uses(weather), { ...onlyModel(model), http }))
  assert.deepEqual([...step.journal.keys()], ['call-1'])
})

test('invalid entries are gaps', () => {
  const places = llm.gaps!(
    uses(
      'kb_1',
      '',
      7,
      { type: 'tree' },
      { type: 'knowledge' },
      { type: 'http', url: 'nowhere' },
      {
        ...weather,
        method: 'FLY',
      },
      { type: 'workflow' },
      { type: 'mcp' },
      { ...weather, url: 'https://{a}.test/' },
      { type: 'web_search' },
      weather,
    ),
  ).map(({ place }) => place.slice(1).join('/'))
  assert.deepEqual(places, ['1', '2', '3', '4/id', '5/url', '6/method', '7/id', '8/url', '9/url'])
})
