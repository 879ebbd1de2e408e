import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openAdapters } from '../../src/app/adapters.ts'
import { createRuntime } from '../../src/app/runtime.ts'
import { readConfig } from '../../src/config/config.ts'
import { operations } from '../../src/contract/operations.ts'
import { runEventSchemas } from '../../src/contract/run-events.ts'
import { openapiDocument } from '../../src/http/openapi.ts'
import { operationsOf } from '../../src/http/pages/docs-page.ts'
import { runEventNames } from '../../src/workflow/run/run-event.ts'
import type { ApiAnswer } from '../support/api-client.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'

const document = openapiDocument()
const described = operationsOf(document)
const { schemas } = document.components
const named = (id: string) => described.find(({ operationId }) => operationId === id)!

/** Strict mode fails the test on keywords unknown to JSON Schema 2020-12. */
const ajv = new Ajv2020({ allErrors: true, strict: true, formats: { binary: true } })
ajv.addVocabulary(['components'])
ajv.addSchema({ components: document.components }, 'openapi')

const compiled = new Map<string, ValidateFunction>()

/** References are those of the document. Every schema is compiled once, which takes most of the time of these tests. */
function compile(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text))
  compiled.set(text, validate)
  return validate
}

function assertValid(schema: object, value: unknown, label: string): void {
  const validate = compile(schema)
  assert.ok(validate(value), `${label}: ${JSON.stringify(validate.errors)}`)
}

function* everyValue(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  yield value as Record<string, unknown>
  for (const child of Object.values(value)) yield* everyValue(child)
}

function resolvePointer(pointer: string): unknown {
  let value: unknown = document
  for (const key of pointer.slice('#/'.length).split('/')) value = (value as Record<string, unknown>)?.[key]
  return value
}

describe('OpenAPI document', () => {
  it('is a valid OpenAPI 3.1 document', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
    for (const field of ['title', 'version', 'description'] as const) assert.ok(document.info[field])
    for (const path of Object.keys(document.paths)) assert.match(path, /^\//)
    const ids = described.map(({ operationId }) => operationId)
    assert.equal(new Set(ids).size, ids.length, 'operationIds are unique')
    assert.deepEqual(JSON.parse(JSON.stringify(document)).openapi, document.openapi)
  })

  it('has no dangling reference', () => {
    const references = [...everyValue(document)].map(value => value['$ref']).filter(ref => ref !== undefined)
    assert.ok(references.length > 0)
    for (const reference of references) assert.ok(resolvePointer(String(reference)), String(reference))
  })

  for (const operation of described)
    it(`describes ${operation.operationId}`, () => {
      assert.ok(operation.summary)
      assert.ok(operation.description)
      const tags = document.tags.map(({ name }) => name)
      for (const tag of operation.tags) assert.ok(tags.includes(tag), `the tag ${tag} is not described`)
      const schemes = document.components['securitySchemes'] as object
      for (const scheme of operation.security.flatMap(entry => Object.keys(entry as object)))
        assert.ok(scheme in schemes)
      assert.equal(operation.security.length === 0, operation['x-access'] === 'anyone')

      const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
      const parameters = operation.parameters.map(parameter => `${parameter.in} ${parameter.name}`)
      assert.equal(new Set(parameters).size, parameters.length, 'parameters are unique')
      assert.deepEqual(
        operation.parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name),
        inPath,
      )
      for (const parameter of operation.parameters) assert.ok(parameter.description, parameter.name)
      for (const { schema } of operation.parameters) compile(schema)

      assert.ok(operation.responses['200'] && operation.responses['default'])
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.match(status, /^([1-5](\d\d|XX)|default)$/)
        assert.ok(response.description)
        for (const { schema } of Object.values(response.content ?? {})) if (schema) compile(schema)
      }
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        if (media.schema) compile(media.schema)
        if (type !== 'application/json') continue
        assert.ok(media.example !== undefined, 'a JSON body needs an example')
        assertValid(media.schema!, media.example, 'the example keeps to its own schema')
      }
    })

  it('describes both responses of a webhook, and what it takes', () => {
    const { responses, requestBody } = named('trigger.fire')
    const dataOf = (status: string) =>
      responses[status]!.content!['application/json']!.schema!.properties!['data']!
    assert.deepEqual(dataOf('200'), { $ref: '#/components/schemas/RunResult' })
    assert.deepEqual(Object.keys(dataOf('202').properties!), ['run_id'])
    const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']
    assert.deepEqual(Object.keys(requestBody!.content), types)
  })

  it('describes the graph with a schema that matches the example graph', () => {
    const examples = schemas['Graph']!.examples!
    assert.equal(examples.length, 1)
    assertValid({ $ref: '#/components/schemas/Graph' }, examples[0], 'the example graph')
  })

  it('contains every operation of the contract and every route of the server', async () => {
    const database = await migratedDatabase()
    const config = readConfig({
      LOG_LEVEL: 'silent',
      DATA_DIR: database.folder,
      DATABASE_URL: database.url,
    })
    const runtime = createRuntime(await openAdapters(config), config)
    await runtime.server.ready()
    const registered = routesIn(runtime.server.printRoutes({ commonPrefix: false }))
    await runtime.stop()
    await database.drop()
    const published = described.map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(registered, published.toSorted())
    assert.deepEqual(
      operations.map(({ method, path }) => `${method} ${path}`).toSorted(),
      published.toSorted(),
    )
  })
})

/** Method and path of each line of the route tree that Fastify prints; every GET implies HEAD, and OPTIONS are preflights. */
function routesIn(drawing: string): string[] {
  const prefixes: string[] = []
  const routes: string[] = []
  for (const line of drawing.split('\n')) {
    const [, indent, part, methods] = /^([│├└─\s]*)(\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
    if (indent === undefined) continue
    const depth = indent.length / 4
    prefixes[depth] = (prefixes[depth - 1] ?? '') + part
    const path = prefixes[depth].replace(/:(\w+)/g, '{$1}')
    for (const method of methods?.split(', ') ?? [])
      if (method !== 'HEAD' && method !== 'OPTIONS') routes.push(`${method} ${path}`)
  }
  return routes.sort()
}

const port = (from: string, to: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
})
const askingGraph = {
  nodes: [
    { id: 'input', type: 'base', data: { type: 'input', title: '', desc: '' } },
    { id: 'ask', type: 'base', data: { type: 'question', title: '', desc: '', question: 'Which size?' } },
    { id: 'end', type: 'base', data: { type: 'end', title: '', desc: '' } },
  ],
  edges: [port('input', 'ask'), port('ask', 'end')],
}

describe('responses', () => {
  let server: TestServer
  let provider: ScriptedModel
  let tools: ScriptedToolServer
  before(async () => {
    provider = await startScriptedModel()
    tools = await new ScriptedToolServer({ tools: [{ name: 'forecast' }] }).start()
    server = await startTestServer({ SECRET_KEY: 'key of the responses', EGRESS_ALLOW: '127.0.0.1' })
  })
  after(async () => {
    await server.stop()
    await provider.stop()
    await tools.close()
  })

  it('match their schemas in the document', async () => {
    const checked = new Set<string>()
    const ids: Record<string, string> = {}
    const call = async (id: string, body?: unknown, query = ''): Promise<ApiAnswer['json']> => {
      const { method, path, responses } = named(id)
      const { example } = operations.find(({ name }) => name === id)!
      const sent = method === 'POST' ? (body ?? example) : undefined
      const place = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!)
      const answer = await server.api.call(method, place + query, sent)
      assert.equal(answer.status, 200, `${id}: ${answer.text}`)
      // What a client may keep depends on its token.
      if (answer.headers.get('cache-control') !== 'no-store')
        assert.equal(answer.headers.get('vary'), 'authorization', id)
      assertValid(responses['200']!.content!['application/json']!.schema!, answer.json, id)
      checked.add(id)
      // Conversation responses have no data envelope.
      return answer.json.data ?? answer.json
    }
    const saved = await call('workflow.update')
    assert.deepEqual(saved, { message: 'created', version: 1, warnings: [] })
    await call('workflow.get', undefined, '?id=wf_hello')
    await call('workflow.get', undefined, '?id=wf_unknown')
    await call('workflow.kinds')
    await call('workflow.place')
    await call('workflow.layout', undefined, '?id=wf_hello')
    await call('workflow.create')
    await call('workflow.list')
    await call('workflow.check')
    await call('workflow.check', { id: 'wf_hello', outline: true })
    await call('workflow.check', { workflow: { nodes: [{}], edges: [] } })
    await call('workflow.check', { workflow: { nodes: [], edges: [] } })
    // No model is configured, so the run fails while the request succeeds.
    ids['run_id'] = (await call('workflow.run')).run_id
    await call('workflow.getRun')
    await call('workflow.stopRun')
    await call('workflow.debug')
    await call('workflow.runs', undefined, '?id=wf_hello&status=failed')
    await call('workflow.update', { id: 'wf_asks', workflow: askingGraph })
    const asking = await call('workflow.run', { id: 'wf_asks', inputs: { query: 'x' } })
    assert.equal(asking.status, 'waiting')
    ids['run_id'] = asking.run_id
    await call('workflow.getRun')
    await call('workflow.rerun')
    await call('workflow.resumeRun')
    await call('usage.get')
    await call('tool.inspect', { url: tools.url })
    const tool = await call('tool.create')
    await call('tool.try', { type: 'mcp', url: tools.url, tool: 'none' })
    await call('tool.import')
    await call('tool.update', { id: tool.id, description: 'Weather' })
    await call('tool.get', { id: tool.id })
    await call('tool.list')
    await call('tool.usedBy', undefined, `?id=${tool.id}`)
    await call('tool.delete', { id: tool.id })
    await call('audit.list')
    await call('presence.report')
    const agent = await call('agent.create')
    await call('agent.update', { id: agent.id, config: { workflow_id: 'wf_asks' } })
    await call('agent.update', { id: agent.id, learn: { kb_unknown: {} } })
    await call('agent.list')
    const note = await call('annotation.create', { agent_id: agent.id, question: 'Q?', answer: 'A.' })
    await call('annotation.update', { id: note.id, answer: 'B.' })
    await call('annotation.import', { agent_id: agent.id, format: 'csv', content: 'question,answer\nR?,C.' })
    await call('annotation.preview', { agent_id: agent.id, format: 'jsonl', content: 'S?' })
    await call('annotation.list', { agent_id: agent.id })
    await call('annotation.delete', { id: note.id })
    await call('agent.gets', { id: [agent.id, 'agent_unknown'] })
    const { conversation_id } = await call('conversation.create', { agent_id: agent.id })
    const talk = { agent_id: agent.id, conversation_id }
    const asked = await call('conversation.chat', { ...talk, data_type: 'text', content: 'x' })
    assert.equal(asked.waiting, true)
    const [{ message_id }] = asked.feedback
    await call('conversation.chat', { ...talk, data_type: 'text', content: 'answer' })
    const last = await call('conversation.chat', { ...talk, data_type: 'text', content: 'y' })
    const again = { ...talk, data_type: 'text', content: 'another', replaces: last.chat_id }
    const { chat_id } = await call('conversation.chat', again)
    await call(
      'conversation.versions',
      undefined,
      `?${new URLSearchParams({ ...talk, chat_id, version: '1' })}`,
    )
    assert.ok((await call('conversation.retrieve', talk)).retrieve_data.length >= 3)
    await call('conversation.turn', undefined, `?${new URLSearchParams({ ...talk, chat_id: asked.chat_id })}`)
    await call('conversation.suggestions', { ...talk, chat_id: asked.chat_id })
    await call('conversation.stop', talk)
    await call('conversation.upload', undefined, `?${new URLSearchParams(talk)}`)
    await call('agent.update', { id: agent.id, access: 'public' })
    await call('agent.profile', undefined, `?agent_id=${agent.id}`)
    await call('agent.variables', undefined, `?agent_id=${agent.id}`)
    await call('agent.visitor', { agent_id: agent.id })
    await call('conversation.list', { agent_id: agent.id })
    await call('conversation.rename', { conversation_id, name: 'n' })
    await call('conversation.feedback', { conversation_id, message_id, rating: 'like' })
    await call('conversation.delete', { conversation_id })
    const model = agent.id
    await call('openai.models')
    ids['model'] = model
    await call('openai.model')
    ids['id'] = 'wf_asks'
    await call('openai.workflowModel')
    const { conversation_id: talked } = await call('openai.chatCompletions', {
      model,
      messages: [{ role: 'user', content: 'x' }],
    })
    assert.notEqual(talked, conversation_id)
    ids['id'] = (await call('openai.responses', { model, input: 'x' })).id
    await call('openai.response')
    await call('agent.delete', { id: agent.id })
    await call('workflow.versions', undefined, '?id=wf_hello')
    await call('workflow.version', undefined, '?id=wf_hello&version=1')
    await call('workflow.rollback')
    await call('workflow.publish')
    assert.equal((await call('workflow.get', undefined, '?id=wf_hello')).workflow.published_version, 2)
    await call('workflow.usedBy', undefined, '?id=wf_hello')
    await call('workflow.variables', undefined, '?id=wf_hello')
    const set = (await call('test.create')).id
    const added = await call('test.saveCase', { id: set, run_id: ids['run_id'] })
    await call('test.update', { id: set, gate: 'off' })
    await call('test.cases', { id: set })
    await call('test.get', { id: set })
    await call('test.importCases', { id: set, format: 'csv', content: 'question\nWhy?' })
    const tested = await call('test.run', { id: set, against: ['draft'] })
    await call('test.results', { id: tested.id })
    await call('test.runs', { id: set })
    await call('test.list')
    await call('test.stop', { id: tested.id })
    await call('test.deleteCase', { id: set, case_id: added.id })
    await call('test.delete', { id: set })
    const schedule = await call('trigger.create')
    await call('trigger.update', { id: schedule.id, enabled: false })
    // The client of the test sends its token, so that is the secret.
    const hook = { kind: 'webhook', name: 'Hook', workflow_id: 'wf_hello', webhook: { answer: 'sync' } }
    ids['id'] = (await call('trigger.create', { ...hook, secret: operatorToken })).id
    await call('trigger.fire', { hello: 'world' })
    await call('trigger.update', { id: ids['id'], webhook: { answer: 'async' } })
    const accepted = await server.api.post(`/hooks/${ids['id']}`, { hello: 'again' })
    assert.equal(accepted.status, 202, accepted.text)
    const { responses } = named('trigger.fire')
    assertValid(responses['202']!.content!['application/json']!.schema!, accepted.json, 'trigger.fire')
    await call('trigger.list')
    assert.equal((await call('trigger.runs', { id: ids['id'] })).total, 2)
    await call('trigger.delete', { id: ids['id'] })
    await call('workflow.note')
    await call('workflow.unpublish')
    await call('workflow.export')
    await call('workflow.import')
    await call('workflow.delete')
    const file = await call('files.upload')
    await call('files.list', { file_ids: [file.file_id, 'file_unknown'] })
    await call('files.list', {})
    await call('files.delete', { file_ids: [file.file_id] })
    ids['knowledge_id'] = (await call('knowledge.create')).knowledge_id
    ids['file_id'] = (await call('knowledge.add')).items[0].file_id
    const scan = await call('knowledge.add', { texts: [{ name: 'empty.txt', content: ' ' }] })
    await call('knowledge.add', { file_ids: [ids['file_id'], 'file_unknown'] })
    while ((await call('knowledge.get')).status !== 'ready') await sleep(20)
    assert.notEqual((await call('knowledge.files', undefined, '?status=failed')).items[0].error, null)
    await call('knowledge.files')
    await call('knowledge.list')
    await call('knowledge.list', { knowledge_ids: [ids['knowledge_id']] })
    ids['chunk_id'] = (await call('knowledge.chunks')).items[0].chunk_id
    await call('knowledge.view')
    await call('knowledge.preview', { file_id: ids['file_id'], chunking: { size: 200, separators: ['.'] } })
    assert.equal((await call('knowledge.search')).items.length, 1)
    await call('knowledge.search', { query: 'holiday', explain: { file_id: scan.items[0].file_id } })
    await call('knowledge.search', { query: 'nothing of the kind' })
    await call('knowledge.updateChunk')
    ids['chunk_id'] = (await call('knowledge.createChunk')).chunk_id
    await call('knowledge.deleteChunk')
    await call('knowledge.update')
    await call('knowledge.update', { chunking: { size: 200 } })
    const golden = await call('knowledge.createGoldenQuestion', {
      question: 'Days?',
      file_ids: [ids['file_id']],
    })
    ids['question_id'] = golden.id
    await call('knowledge.updateGoldenQuestion')
    await call('knowledge.importGoldenQuestions')
    await call('knowledge.goldenQuestions')
    ids['run_id'] = (await call('knowledge.runGoldenQuestions')).id
    const ended = async () => (await call('knowledge.goldenRun')).run.finished_at !== null
    while (!(await ended())) await sleep(20)
    await call('knowledge.goldenRuns')
    // The settings come into use whatever is found, and are restored.
    const lostCheck = async () => (await call('knowledge.get')).golden_check?.status === 'lost'
    for (const decision of ['knowledge.discardGoldenRun', 'knowledge.acceptGoldenRun'] as const) {
      await call('knowledge.update', { retrieval: { mode: 'keyword', score_threshold: 1 } })
      while (!(await lostCheck())) await sleep(20)
      ids['run_id'] = (await call('knowledge.get')).golden_check.run_id
      await call(decision)
    }
    await call('knowledge.deleteGoldenQuestion')
    const { origin } = provider
    const pages = await call('knowledge.addWebPages', { urls: [origin], sitemap: { url: `${origin}/map` } })
    assert.equal(pages.items.length, 2)
    for (const { page_id } of pages.items) {
      ids['page_id'] = page_id
      await call('knowledge.updateWebPage')
      await call('knowledge.refreshWebPage')
      while ((await call('knowledge.webPage')).error === null) await sleep(20)
    }
    await call('knowledge.webPages')
    await call('knowledge.deleteWebPage')
    await call('knowledge.rebind')
    await call('knowledge.rebind', {})
    await call('knowledge.deleteFile')
    await call('knowledge.usedBy')
    await call('knowledge.delete')
    const stored = await call('model.create', { name: 'm', base_url: 'http://127.0.0.1:1/v1', model: 'm' })
    await call('model.update', { id: stored.id, temperature: 0.5 })
    await call('model.list')
    await call('secret.set', { name: 'crm', value: 'a long enough value' })
    await call('secret.list')
    await call('secret.delete', { name: 'crm' })
    assert.equal((await call('model.test', { id: stored.id })).ok, false)
    await call('model.discover', { base_url: provider.origin })
    await call('model.delete', { id: stored.id })
    const token = await call('token.create')
    await call('token.self')
    await call('token.list')
    await call('token.delete', { id: token.id })
    await call('server.info')
    const workspace = await call('workspace.create')
    await call('workspace.update', { id: workspace.id, limits: { documents: 10 } })
    await call('workspace.list')
    await call('workspace.delete', { id: workspace.id })

    const answering = described.filter(({ responses }) => {
      const schema = responses['200']!.content?.['application/json']?.schema
      return schema?.properties ?? schema?.$ref
    })
    assert.deepEqual([...checked].sort(), answering.map(({ operationId }) => operationId).sort())
  })

  it('of event streams match their schemas', async () => {
    const { api } = server
    await api.post('workflow/update', { id: 'wf_events', workflow: askingGraph })
    const agent = (await api.post('agent/create', { name: 'A', config: { workflow_id: 'wf_events' } })).json
      .data.id
    const talk = { agent_id: agent, conversation_id: '' }
    talk.conversation_id = (await api.post('conversation/create', { agent_id: agent })).json.conversation_id
    const streams: [string, object][] = [
      ['workflow.run', { id: 'wf_events', inputs: { query: 'x' }, stream: 1 }],
      ['conversation.chat', { ...talk, data_type: 'text', content: 'x', stream: 1 }],
      ['openai.chatCompletions', { model: agent, messages: [{ role: 'user', content: 'x' }], stream: true }],
      ['openai.responses', { model: agent, input: 'x', stream: true, run_events: true }],
    ]
    for (const [id, body] of streams) {
      const { path, responses } = named(id)
      const { text } = await api.post(path, body)
      const lines = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, line]) => JSON.parse(line!))
      assert.ok(lines.length > 1, text)
      const { schema } = responses['200']!.content!['text/event-stream']!
      for (const line of lines) assertValid(schema!, line, `${id} ${JSON.stringify(line)}`)
    }
    const events = Object.keys(runEventSchemas)
    assert.deepEqual(events.sort(), Object.keys(runEventNames).sort())
  })

  it('match the error schema when a request fails', async () => {
    for (const [path, body] of [
      ['workflow/update', { id: 'wf_x', workflow: { nodes: [{}], edges: [] } }],
      ['workflow/list', { page: 0 }],
      ['workflow/delete', { id: 'wf_unknown' }],
    ] as const) {
      const answer = await server.api.post(path, body)
      assert.ok(answer.status >= 400)
      assertValid({ $ref: '#/components/schemas/Failure' }, answer.json, path)
    }
    const openai = await server.api.post('/v1/responses', { model: 'nobody', input: 'x' })
    assertValid({ $ref: '#/components/schemas/OpenaiFailure' }, openai.json, 'a failure of OpenAI')
    const flat = await server.api.post('conversation/retrieve', { agent_id: 'a', conversation_id: 'c' })
    assertValid({ $ref: '#/components/schemas/FlatFailure' }, flat.json, 'a flat failure')
  })

  it('serve the same document at /openapi.json', async () => {
    const answer = await server.api.as(undefined).get('/openapi.json')
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json, JSON.parse(JSON.stringify(document)))
  })
})
