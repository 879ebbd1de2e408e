import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dataOf } from '../support/knowledge.ts'
import { echoGraph } from '../support/run-graphs.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

let model: Awaited<ReturnType<typeof startScriptedModel>>
let server: TestServer

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
})
after(async () => {
  await server.stop()
  await model.stop()
})

type Samples = ReadonlyMap<string, number>

/** All samples by name and labels. */
async function scrape(): Promise<Samples> {
  const { text } = await server.api.get('/metrics')
  return new Map(
    text
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}

const change = (earlier: Samples, later: Samples, name: string): number =>
  (later.get(name) ?? 0) - (earlier.get(name) ?? 0)

test('does not reset counters on scrape', async () => {
  await scrape()
  const first = await scrape()
  const second = await scrape()
  const cumulative = [...first].filter(([name]) => /_(total|count|sum|bucket)(\{|$)/.test(name))
  assert.ok(cumulative.length > 10)
  for (const [name, value] of cumulative) assert.ok(second.get(name)! >= value, name)
  assert.equal(change(first, second, 'banyan_http_requests_total{route="server.metrics",status="200"}'), 1)
})

test('measures the delay of the event loop', async () => {
  await until('there is a measurement', async () => {
    const samples = await scrape()
    return ['0.5', '0.99', '1'].every(
      quantile => samples.get(`nodejs_event_loop_delay_seconds{quantile="${quantile}"}`)! > 0,
    )
  })
})

test('counts a run, its steps, its model call and its tokens', async () => {
  const id = await makeWorkflow(server.api, echoGraph())
  const earlier = await scrape()
  const { usage } = await runWorkflow(server.api, id, 'Hello')
  const later = await scrape()
  assert.equal(change(earlier, later, 'banyan_runs_started_total{trigger="run"}'), 1)
  assert.equal(change(earlier, later, 'banyan_runs_finished_total{status="succeeded"}'), 1)
  assert.equal(change(earlier, later, 'banyan_step_seconds_count{kind="llm",outcome="succeeded"}'), 1)
  assert.equal(change(earlier, later, 'banyan_model_call_seconds_count{call="chat",outcome="succeeded"}'), 1)
  assert.equal(change(earlier, later, 'banyan_model_tokens_total{type="prompt"}'), usage.prompt_tokens)
  assert.equal(
    change(earlier, later, 'banyan_model_tokens_total{type="completion"}'),
    usage.completion_tokens,
  )
  assert.equal(later.get('banyan_runs_active'), 0)
  assert.equal(later.get('banyan_runs_queued'), 0)
  for (const idle of ['runs_queue_age_seconds', 'ingestion_queue_age_seconds', 'ingestion_active'])
    assert.equal(later.get(`banyan_${idle}`), 0, idle)
  for (const lost of ['runs_taken_over_total', 'runs_given_up_total'])
    assert.equal(later.get(`banyan_${lost}`), 0, lost)
})

test('counts a failed run with its step and model call', async () => {
  const id = await makeWorkflow(server.api, echoGraph())
  model.play(() => ({ status: 400, error: 'refused' }))
  const earlier = await scrape()
  assert.equal((await runWorkflow(server.api, id, 'Hello')).status, 'failed')
  const later = await scrape()
  assert.equal(change(earlier, later, 'banyan_runs_finished_total{status="failed"}'), 1)
  assert.equal(change(earlier, later, 'banyan_step_seconds_count{kind="llm",outcome="failed"}'), 1)
  assert.equal(change(earlier, later, 'banyan_model_call_seconds_count{call="chat",outcome="failed"}'), 1)
})

test('counts ingested documents by outcome, and chunks', async () => {
  const { knowledge_id } = await dataOf(server.api.post('knowledge/create', { name: 'Metrics' }))
  const earlier = await scrape()
  await dataOf(
    server.api.post(`knowledge/${knowledge_id}`, {
      texts: [
        { name: 'good.md', content: '# Good\n\nThis document has text.' },
        { name: 'empty.md', content: ' ' },
      ],
    }),
  )
  const later = await until('both documents are counted', async () => {
    const samples = await scrape()
    const counted = ['ready', 'failed'].map(outcome =>
      change(earlier, samples, `banyan_ingestion_seconds_count{outcome="${outcome}"}`),
    )
    return counted.every(count => count === 1) && samples
  })
  assert.equal(change(earlier, later, 'banyan_ingestion_chunks_total'), 1)
  assert.equal(later.get('banyan_ingestion_queued'), 0)
})
