import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiAnswer } from '../support/api-client.ts'
import { openEvents } from '../support/event-reader.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { chain, echoGraph, llm, output } from '../support/run-graphs.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { spawnServer } from '../support/server-process.ts'
import { startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow, openTalk } from '../support/talk.ts'
import { node } from '../workflow/graphs.ts'

const token = 'operator-token-of-the-drills'
const keys = {
  model: 'sk-scripted-canary-0123456789',
  ownModel: 'sk-own-model-canary-9876543210',
  search: 'search-canary-1122334455',
  embedding: 'embedding-canary-5544332211',
  operator: token,
  sealing: 'secret-canary-of-the-drills',
  secret: 'workspace-secret-canary-6677889900',
  literal: 'literal-canary-0099887766',
}

test('keeps provider keys out of responses, events and logs, whatever a provider returns', async () => {
  const model = await startScriptedModel()
  const sink = await startSinkServer()
  const database = await freshDatabase()
  const server = await spawnServer(database, {
    ...model.environment,
    BOOTSTRAP_TOKEN: token,
    LOG_LEVEL: 'trace',
    DEMO: 'off',
    SECRET_KEY: keys.sealing,
    WEB_SEARCH_API_KEY: keys.search,
    EMBEDDING_BASE_URL: `${model.origin}/v1`,
    EMBEDDING_API_KEY: keys.embedding,
    EMBEDDING_MODEL: 'scripted',
  })
  const { api, base } = server
  const seen: string[] = []
  const look = async (answer: Promise<ApiAnswer>): Promise<ApiAnswer> => {
    const got = await answer
    seen.push(got.text, JSON.stringify([...got.headers]))
    return got
  }
  const readEvents = async (path: string, body?: object): Promise<void> => {
    const events = await openEvents(base, path, { token, body })
    await events.rest()
    seen.push(events.text())
  }
  try {
    assert.equal(model.apiKey, keys.model)
    const faults = [
      { status: 401, message: `Incorrect API key provided: ${keys.model}` },
      { status: 400, message: `authorization: Bearer ${keys.model}, ${keys.ownModel}` },
      { errorIn200: `no such key ${keys.model} ${keys.ownModel}` },
      { errorInStream: { after: 2, message: `the key ${keys.model} (${keys.ownModel}) has no money left` } },
      { drop: true },
      undefined,
    ]
    model.play(body => faults[Number(/fault (\d)/.exec(lastUserText(body))?.[1])])
    model.playSearch(query => (query.includes('fault') ? { status: 403, message: keys.search } : undefined))
    const own = { name: 'own', base_url: `${model.origin}/v1`, api_key: keys.ownModel, model: 'own-model' }
    const made = await look(api.post('model/create', own))
    assert.equal(made.status, 200, made.text)
    const quick = { retry: { times: 0 } }
    const workflows = [
      await makeWorkflow(api, echoGraph(quick)),
      await makeWorkflow(api, echoGraph({ ...quick, model: 'own' })),
      await makeWorkflow(
        api,
        chain(
          node('search', 'web_search', { query: '{{#sys.query#}}', ...quick }),
          output('say', '{{#search.result#}}'),
        ),
      ),
      await makeWorkflow(
        api,
        chain(llm('model', '{{#sys.query#}}', { ...quick, on_error: 'skip' }), output('say', 'x')),
      ),
    ]
    const well = faults.length - 1
    for (const id of workflows)
      for (const [fault] of faults.entries()) {
        const inputs = { query: `fault ${fault}` }
        const { json } = await look(api.post('workflow/run', { id, inputs }))
        await readEvents(`workflow/runs/${json.data.run_id}/events`)
        await look(api.get(`workflow/runs/${json.data.run_id}`))
        // The circuit breaker stops calls to a provider that keeps failing.
        await look(api.post('workflow/run', { id, inputs: { query: `fault ${well}` } }))
        const node_id = id === workflows[2] ? 'search' : 'model'
        if (fault < 2) await look(api.post('workflow/debug', { id, node_id, inputs }))
      }
    for (const [config, count] of [
      [{}, 2],
      [{ model: 'own' }, 2],
      [{ tools: { web_search: {} } }, 2],
      [{ workflow_id: workflows[0] }, faults.length],
      [{ workflow_id: workflows[1] }, faults.length],
    ] as const) {
      const talk = await openTalk(api, await makeAgent(api, config))
      for (let fault = 0; fault < count; fault += 1) {
        const body = { ...talk, data_type: 'text', content: `fault ${fault}` }
        await look(api.post('conversation/chat', body))
        await readEvents('conversation/chat', { ...body, stream: 1 })
        await look(api.post('conversation/chat', { ...body, content: `fault ${well}` }))
      }
      await look(api.post('conversation/retrieve', talk))
    }
    await look(api.post('secret/set', { name: 'canary', value: keys.secret }))
    // The server sends back what it received, or breaks off with it.
    sink.answer(({ path, headers, body }) => ({
      status: path.includes('fail') ? 503 : 200,
      headers: { 'x-echo': String(headers['x-key']), location: path },
      json: { path, headers, body },
    }))
    for (const [value, more] of [
      ['{{#secret.canary#}}', {}],
      [
        '{{#secret.canary#}}',
        { url: `${sink.origin}/fail/{{#secret.canary#}}`, retry: { times: 1, delay_ms: 1 } },
      ],
      ['{{#secret.canary#}}', { url: 'http://{{#secret.canary#}}.example/' }],
      ['{{#secret.canary#}}', { url: '{{#secret.canary#}}' }],
      [keys.literal, { url: `${sink.origin}/?api_key=${keys.literal}`, body: { password: keys.literal } }],
    ] as const) {
      const call = { method: 'POST', url: sink.origin, headers: { 'X-Key': value }, body: { key: value } }
      const id = await makeWorkflow(
        api,
        chain(node('call', 'http_request', { ...call, ...more }), output('say', '{{#call.status#}}')),
      )
      if (value === keys.literal) sink.answer(() => undefined)
      const { json } = await look(api.post('workflow/run', { id }))
      await readEvents(`workflow/runs/${json.data.run_id}/events`)
      await look(api.get(`workflow/runs/${json.data.run_id}`))
      await look(api.post('workflow/debug', { id, node_id: 'call' }))
      await look(api.post('workflow/export', { id }))
      await look(api.post('workflow/check', { id }))
    }
    for (const key of [keys.secret, keys.literal])
      assert.ok(sink.received.some(({ headers }) => headers['x-key'] === key))
    await look(api.post('secret/list', {}))
    for (const path of ['workflow/runs?page_size=100', '/metrics', '/openapi.json', '/readyz'])
      await look(api.get(path))
    await look(api.post('model/test', { id: made.json.data.id }))
    await look(api.post('model/list', {}))
    await look(api.post('agent/list', {}))
    await look(api.post('workflow/export', { id: workflows[1] }))
    for (const key of [keys.model, keys.ownModel])
      assert.ok(model.calls.chat.some(({ headers }) => headers.authorization === `Bearer ${key}`))
  } finally {
    await server.kill('SIGTERM')
    await model.stop()
    await sink.stop()
    await database.drop()
  }
  seen.push(server.output())
  for (const [name, key] of Object.entries(keys))
    for (const text of seen) {
      const at = text.indexOf(key)
      assert.equal(at, -1, `${name}: …${text.slice(Math.max(0, at - 200), at + 100)}…`)
    }
  // The log did record failures, so that the absence of keys is meaningful.
  assert.match(server.output(), /workflow\.run/)
})
