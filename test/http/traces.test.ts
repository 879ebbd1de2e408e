import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { echoGraph } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, openTalk, runWorkflow, send } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, unknown> }[]
  status?: { code: number; message: string }
}

const attributesOf = ({ attributes }: SentSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** A collector that remembers what it received. */
async function startCollector() {
  const spans: SentSpan[] = []
  const headers: Record<string, unknown>[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    headers.push({ ...request.headers, path: request.url })
    const body = JSON.parse(await text(request))
    if (status === 200)
      for (const { scopeSpans } of body.resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans)
    response.writeHead(status).end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    spans,
    headers,
    fail: (code: number) => {
      status = code
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  }
}

describe('traces', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>
  let model: ScriptedModel
  let server: TestServer
  before(async () => {
    collector = await startCollector()
    model = await startScriptedModel()
    server = await startTestServer({
      ...model.environment,
      DEMO: 'off',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key,authorization=Basic dGVhOnBvdA==,share=100%',
      OTEL_SERVICE_NAME: 'tea',
    })
  })
  after(async () => {
    await server.stop()
    await model.stop()
    collector.close()
  })

  const spansOf = (traceId: string): SentSpan[] => collector.spans.filter(span => span.traceId === traceId)
  const whenExported = (traceId: string, count: number): Promise<unknown> =>
    until('the spans are exported', async () => spansOf(traceId).length >= count)
  const traceId = (digit: string): string => digit.repeat(32)

  test('go from the request over run and node to the model, and on to its provider', async () => {
    const id = await makeWorkflow(server.api, echoGraph())
    const trace = traceId('a')
    const headers = { traceparent: `00-${trace}-${'b'.repeat(16)}-01` }
    const calls = model.calls.chat.length
    const run = await server.api.post(
      'workflow/run',
      { id, inputs: { query: 'a private question' } },
      { headers },
    )
    assert.equal(run.json.data.status, 'succeeded')
    assert.equal(run.headers.get('x-traceid'), trace)
    await whenExported(trace, 6)
    const spans = spansOf(trace)
    const named = (name: string): SentSpan => {
      const found = spans.find(span => span.name === name)
      assert.ok(found, `${name} among ${spans.map(span => span.name)}`)
      return found
    }
    const request = named('POST /api/v1/workflow/run')
    const ran = named(`invoke_workflow ${id}`)
    const node = named('node llm')
    const chat = spans.find(span => span.name.startsWith('chat '))!
    assert.deepEqual(
      [request.parentSpanId, ran.parentSpanId, node.parentSpanId, chat.parentSpanId],
      ['b'.repeat(16), request.spanId, ran.spanId, node.spanId],
    )
    for (const span of spans.filter(({ name }) => name.startsWith('node ')))
      assert.equal(span.parentSpanId, ran.spanId, `${span.name} is a child of the run`)
    assert.deepEqual([request.kind, ran.kind, chat.kind], [2, 1, 3])
    for (const span of spans) assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))
    assert.deepEqual(attributesOf(ran)['banyan.run.id'], run.json.data.run_id)
    assert.equal(attributesOf(request)['http.response.status_code'], '200')
    const { 'gen_ai.operation.name': operation, 'gen_ai.usage.input_tokens': tokens } = attributesOf(chat)
    assert.deepEqual([operation, Number(tokens) > 0], ['chat', true])
    assert.equal(model.calls.chat[calls]!.headers['traceparent'], `00-${trace}-${chat.spanId}-01`)
    assert.doesNotMatch(JSON.stringify(spans), /private question/)
    const sent = collector.headers[0]!
    assert.deepEqual([sent['path'], sent['api-key']], ['/v1/traces', 'a key'])
    assert.deepEqual([sent['authorization'], sent['share']], ['Basic dGVhOnBvdA==', '100%'])
  })

  test('name the agent and the conversation of a turn, and the type of an error', async () => {
    const agent = await makeAgent(server.api, { persona: 'Answer.' })
    const talk = await openTalk(server.api, agent)
    model.play(() => ({ status: 401 }))
    await send(server.api, talk, 'Hello')
    model.reset()
    const find = () => collector.spans.find(span => span.name === `invoke_agent ${agent}`)
    await until('the run is exported', async () => find() !== undefined)
    const attributes = attributesOf(find()!)
    assert.equal(attributes['gen_ai.conversation.id'], talk.conversation_id)
    assert.equal(attributes['banyan.run.status'], 'failed')
    assert.equal(find()!.status?.code, 2)
  })

  test('are not recorded where the caller does not record them', async () => {
    const before = collector.spans.length
    const headers = { traceparent: `00-${traceId('c')}-${'b'.repeat(16)}-00` }
    await server.api.get('usage', { headers })
    await server.api.get('usage', { headers: { 'x-traceid': traceId('d') } })
    await whenExported(traceId('d'), 1)
    assert.deepEqual(
      collector.spans.slice(before).map(span => span.traceId),
      [traceId('d')],
    )
  })

  test('contain requests that could be answered from memory', async () => {
    const id = await makeWorkflow(server.api, echoGraph())
    const headers = { traceparent: `00-${traceId('1')}-${'b'.repeat(16)}-01` }
    for (let at = 0; at < 5; at++) await server.api.get(`workflow?id=${id}`, { headers })
    await server.api.get('usage', { headers: { 'x-traceid': traceId('2') } })
    await whenExported(traceId('2'), 1)
    assert.equal(spansOf(traceId('1')).length, 5)
  })

  test('leave out everything in a request whose caller does not record it', async () => {
    const id = await makeWorkflow(server.api, echoGraph())
    const headers = { traceparent: `00-${traceId('e')}-${'b'.repeat(16)}-00` }
    const run = await server.api.post('workflow/run', { id, inputs: { query: 'x' } }, { headers })
    assert.equal(run.json.data.status, 'succeeded')
    await server.api.get('usage', { headers: { 'x-traceid': traceId('f') } })
    await whenExported(traceId('f'), 1)
    const ofRun = collector.spans.filter(span => attributesOf(span)['banyan.run.id'] === run.json.data.run_id)
    assert.deepEqual(
      ofRun.map(({ name }) => name),
      [],
    )
  })

  test('are dropped and counted when the collector refuses them', async () => {
    collector.fail(400)
    await server.api.get('usage')
    const dropped = async (): Promise<number> =>
      Number(
        /banyan_trace_spans_total\{outcome="dropped"\} (\d+)/.exec(
          (await server.api.get('/metrics')).text,
        )?.[1],
      )
    await until('spans are dropped', async () => (await dropped()) > 0)
    collector.fail(200)
    assert.equal(
      (await runWorkflow(server.api, await makeWorkflow(server.api, echoGraph()), 'x')).status,
      'succeeded',
    )
  })

  test('contain prompts and answers only where the settings say so', async () => {
    const open = await startTestServer({
      ...model.environment,
      DEMO: 'off',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    })
    await runWorkflow(open.api, await makeWorkflow(open.api, echoGraph()), 'an open question')
    // Spans that are left are sent before the server ends; on a slow machine, this one may have been sent already.
    await open.stop()
    const content = collector.spans.map(attributesOf).find(each => each['gen_ai.input.messages'])
    assert.ok(content, 'a span with messages')
    assert.match(
      String(content['gen_ai.input.messages']),
      /"role":"user","parts":\[\{"type":"text","content":"an open question/,
    )
    assert.match(String(content['gen_ai.output.messages']), /echo: an open question/)
  })
})
