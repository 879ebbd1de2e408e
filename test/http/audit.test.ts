import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { operations } from '../../src/contract/operations.ts'
import type { Database } from '../../src/database/database.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { chain } from '../support/run-graphs.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { openTalk } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

type Entry = ApiAnswer['json']

const graph = { nodes: [], edges: [] }
const otherGraph = { nodes: [], edges: [], note: 'another' }
const runnable = chain()
const model = { base_url: 'https://models.example/v1', model: 'm' }

describe('the audit log', () => {
  let fresh: FreshDatabase
  let database: Database
  let provider: ScriptedProvider
  let server: TestServer
  let api: ApiClient
  before(async () => {
    fresh = await migratedDatabase()
    provider = await startScriptedProvider()
    const embedding = { EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_MODEL: 'scripted' }
    const settings = { DEMO: 'off', SECRET_KEY: 'a secret key of the audit test', ...embedding }
    server = await startTestServer(settings, fresh)
    database = await openDatabase(fresh)
    api = server.api
  })
  after(async () => {
    await server.stop()
    await provider.close()
    await database.close()
    await fresh.drop()
  })

  const list = async (query = '', as = api): Promise<Entry[]> =>
    (await dataOf(as.get(`audit?page_size=100${query}`))).items
  const newest = async (): Promise<Entry> => (await list())[0]

  /** Every operation that changes something, once. Returns the id of the changed object by operation. */
  async function changeEverything(): Promise<Record<string, string>> {
    const made = async (path: string, body: object) => dataOf(api.post(path, body))
    const agent = (await made('agent/create', { name: 'Tea', config: { persona: 'a private persona' } })).id
    await made('agent/update', { id: agent, access: 'public' })
    const { conversation_id: conversation } = await openTalk(api, agent)
    const exported = await api.post('conversation/export', { format: 'csv', agent_id: agent })
    assert.equal(exported.status, 200)
    await made('conversation/delete', { conversation_id: conversation })
    const note = (await made('annotation/create', { agent_id: agent, question: 'Q?', answer: 'A.' })).id
    await made('annotation/update', { id: note, answer: 'B.' })
    await made('annotation/import', { agent_id: agent, format: 'csv', content: 'question,answer\nR?,C.' })
    await made('annotation/delete', { id: note })
    await made('agent/delete', { id: agent })
    await made('workflow/update', { id: 'w', workflow: graph })
    await made('workflow/update', { id: 'w', workflow: otherGraph, name: 'Second' })
    await made('workflow/rollback', { id: 'w', version: 1 })
    await made('workflow/update', { id: 'w', workflow: runnable })
    await made('workflow/publish', { id: 'w', note: 'Out' })
    await made('workflow/unpublish', { id: 'w' })
    await made('workflow/note', { id: 'w', version: 1, note: 'Old' })
    const workflow = (await made('workflow/create', { workflow: graph, name: 'Created' })).id
    const imported = (await made('workflow/import', { workflow: graph })).id
    await made('workflow/delete', { id: workflow })
    const base = await makeBase(api)
    const [file] = await addTexts(api, base, { 'a.txt': 'green tea' })
    const chunks = await dataOf(api.get(`knowledge/${base}/files/${file}/chunks`))
    await made(`knowledge/${base}/files/${file}/chunks/${chunks.items[0].chunk_id}/update`, {
      content: 'black tea',
    })
    const own = await made(`knowledge/${base}/files/${file}/chunks/create`, { content: 'white tea' })
    await made(`knowledge/${base}/files/${file}/chunks/${own.chunk_id}/delete`, {})
    await made(`knowledge/${base}/rebind`, { file_ids: [file] })
    await whenIngested(api, base)
    await made(`knowledge/${base}/update`, { description: 'about tea' })
    const golden = `knowledge/${base}/golden`
    const question = (await made(`${golden}/create`, { question: 'Tea?', file_ids: [file] })).id
    await made(`${golden}/questions/${question}/update`, { question: 'Green tea?' })
    await made(`${golden}/import`, { format: 'csv', content: 'question,document\nBlack tea?,a.txt' })
    const checked = async (retrieval: object): Promise<string> => {
      await made(`knowledge/${base}/update`, { retrieval })
      return until('the check', async () => {
        const { golden_check: check } = await dataOf(api.get(`knowledge/${base}`))
        return check?.status === 'lost' && check.run_id
      })
    }
    // No passage has such a score.
    const run = await checked({ mode: 'keyword', score_threshold: 1 })
    await made(`${golden}/runs/${run}/discard`, {})
    await made(`${golden}/runs/${await checked({ mode: 'keyword', score_threshold: 0.99 })}/accept`, {})
    await made(`${golden}/questions/${question}/delete`, {})
    const pages = `knowledge/${base}/pages`
    const page = (await made(`${pages}/create`, { urls: ['http://127.0.0.1/'] })).items[0].page_id
    // A refresh during a fetch changes nothing.
    await until('the end of the fetch', async () => {
      const { status } = await dataOf(api.get(`${pages}/${page}`))
      return status === 'failed'
    })
    await made(`${pages}/${page}/update`, { refresh: 'daily' })
    await made(`${pages}/${page}/refresh`, {})
    await made(`${pages}/${page}/delete`, {})
    await made(`knowledge/${base}/files/${file}/delete`, {})
    await made(`knowledge/${base}/delete`, {})
    const upload = (await dataOf(api.upload('b.txt', 'uploaded'))).file_id
    await made('files/delete', { file_ids: [upload, 'file_missing'] })
    const modelId = (await made('model/create', { name: 'Fast', ...model, api_key: 'sk-very-private-key' }))
      .id
    await made('model/update', { id: modelId, temperature: 0.5 })
    await made('model/delete', { id: modelId })
    await made('secret/set', { name: 'crm', value: 'a value to be kept' })
    await made('secret/delete', { name: 'crm' })
    const tool = (await made('tool/create', { name: 'weather', type: 'http', url: 'https://tools.invalid/' }))
      .id
    await made('tool/update', { id: tool, description: 'Weather' })
    await made('tool/delete', { id: tool })
    const hook = { kind: 'webhook', name: 'Hook', workflow_id: 'w', secret: 'a secret to be kept' }
    const trigger = (await made('trigger/create', hook)).id
    await made('trigger/update', { id: trigger, enabled: false })
    await made('trigger/delete', { id: trigger })
    const set = (await made('test/create', { name: 'Set', workflow_id: 'w' })).id
    await made('test/update', { id: set, gate: 'warn' })
    const testCase = (await made('test/saveCase', { id: set, name: 'Case', inputs: {} })).id
    await made('test/importCases', { id: set, format: 'csv', content: 'question\nWhy?' })
    await made('test/deleteCase', { id: set, case_id: testCase })
    await made('test/delete', { id: set })
    const token = (await made('token/create', { name: 'Robot', role: 'viewer' })).id
    await made('token/delete', { id: token })
    const workspace = (await made('workspace/create', { name: 'Team' })).id
    await made('workspace/update', { id: workspace, limits: { documents: 3 } })
    await made('workspace/delete', { id: workspace })
    return {
      agent,
      annotation: note,
      'annotation.import': agent,
      conversation,
      'conversation.export': agent,
      workflow: 'w',
      'workflow.create': workflow,
      'workflow.import': imported,
      'workflow.delete': workflow,
      knowledge: base,
      files: upload,
      model: modelId,
      secret: 'crm',
      tool,
      trigger,
      test: set,
      token,
      workspace,
    }
  }

  test('has an entry for every operation that changes something, without secrets', async () => {
    const ids = await changeEverything()
    const entries = await list()
    const expected = operations.filter(({ changes }) => changes).map(({ name }) => name)
    assert.deepEqual([...new Set(entries.map(entry => entry.operation))].sort(), expected.sort())
    for (const { operation, object_kind, object_id } of entries)
      assert.equal(object_id, ids[operation] ?? ids[object_kind], operation)
    assert.doesNotMatch(JSON.stringify(entries), /private (persona|key)|very-private|to be kept|banyan_/)
    const self = await dataOf(api.get('token/self'))
    for (const entry of entries)
      assert.deepEqual(
        [entry.actor_id, entry.actor_name, entry.actor_role, entry.address],
        [self.id, 'operator', 'operator', '127.0.0.1'],
      )
    const detailsOf = (name: string) => entries.filter(entry => entry.operation === name).map(e => e.details)
    assert.deepEqual(detailsOf('workflow.publish'), [{ version: 4, note: 'Out' }])
    assert.deepEqual(detailsOf('workflow.note'), [{ version: 1, note: 'Old' }])
    assert.deepEqual(detailsOf('workflow.update'), [
      { version: 4, changed: ['workflow'] },
      { name: 'Second', version: 2, changed: ['workflow'] },
      { version: 1, changed: ['workflow'] },
    ])
    assert.deepEqual(detailsOf('workflow.rollback'), [{ version: 1 }])
    assert.deepEqual(detailsOf('agent.update'), [{ name: 'Tea', access: 'public' }])
    assert.deepEqual(detailsOf('trigger.create'), [
      { kind: 'webhook', name: 'Hook', workflow_id: 'w', enabled: true, changed: ['secret'] },
    ])
    assert.deepEqual(detailsOf('files.upload'), [{ name: 'b.txt' }])
    assert.deepEqual(detailsOf('workspace.update'), [{ limits: { documents: 3 } }])
  })

  test('covers every operation that needs write access, except those that change nothing', () => {
    const unlogged = operations.filter(
      ({ access, method, changes }) =>
        ['write', 'admin', 'operator'].includes(access) && method === 'POST' && !changes,
    )
    assert.deepEqual(
      unlogged.map(({ name }) => name),
      [
        ...[
          'workflow.place',
          'workflow.debug',
          'annotation.list',
          'annotation.preview',
          'knowledge.preview',
          'knowledge.runGoldenQuestions',
          'tool.inspect',
          'tool.try',
          'tool.import',
        ],
        ...['model.test', 'model.discover'],
        ...['test.run', 'test.stop', 'token.list', 'workspace.list'],
      ],
    )
  })

  test('has no entry for a request that was refused, changed nothing or was replayed', async () => {
    await dataOf(api.post('workflow/update', { id: 'still', workflow: graph }))
    const before = await newest()
    assert.equal((await api.post('workflow/update', { id: 'still', workflow: graph })).status, 200)
    assert.equal((await api.post('workflow/delete', { id: 'nowhere' })).status, 404)
    assert.equal((await api.post('agent/create', { name: ' ' })).status, 400)
    assert.equal((await api.post('files/delete', { file_ids: ['file_missing'] })).status, 200)
    assert.equal((await newest()).id, before.id)
    const headers = { 'idempotency-key': 'once', 'x-traceid': 'trace-of-the-test' }
    const create = () => api.post('agent/create', { name: 'Once' }, { headers })
    const first = await create()
    assert.equal((await create()).text, first.text)
    const upload = () =>
      api.post(
        'files/upload',
        { name: 'a.txt', content_base64: 'SGVsbG8=' },
        { headers: { 'idempotency-key': 'f' } },
      )
    await upload()
    await upload()
    const entries = (await list()).slice(0, 3)
    assert.deepEqual(
      entries.map(entry => entry.operation),
      ['files.upload', 'agent.create', 'workflow.update'],
    )
    assert.deepEqual([entries[1].object_id, entries[1].trace_id], [first.json.data.id, 'trace-of-the-test'])
  })

  test('has an entry for an edited passage only if it was edited, though its vector is cached either way', async () => {
    const base = await makeBase(api)
    const [file] = await addTexts(api, base, { 'p.txt': 'green tea' })
    const path = `knowledge/${base}/files/${file}/chunks`
    const [chunk] = (await dataOf(api.get(path))).items
    const edit = (content: string) => api.post(`${path}/${chunk.chunk_id}/update`, { content })
    const logged = async (): Promise<string[]> =>
      (await list(`&object_id=${base}`)).map(entry => entry.operation)
    provider.decide(call =>
      call.inputs.some(input => input.includes('refused')) ? { status: 400 } : undefined,
    )
    assert.notEqual((await edit('refused tea')).status, 200)
    assert.deepEqual(await logged(), ['knowledge.add', 'knowledge.create'])
    // The document is removed while the vector is computed, so that the edit finds no chunk.
    provider.decide(call =>
      call.inputs.some(input => input.includes('late'))
        ? { until: api.post(`knowledge/${base}/files/${file}/delete`) }
        : undefined,
    )
    assert.equal((await edit('late tea')).status, 409)
    provider.decide(() => undefined)
    assert.deepEqual(await logged(), ['knowledge.deleteFile', 'knowledge.add', 'knowledge.create'])
  })

  test('is read by admins in pages, with filters', async () => {
    const token = await dataOf(api.post('token/create', { name: 'Editor', role: 'editor' }))
    const editor = api.as(token.token)
    for (let at = 0; at < 5; at++)
      await dataOf(editor.post('workflow/update', { id: `p${at}`, workflow: graph }))
    assert.equal((await editor.get('audit')).status, 403)
    const all = await list(`&actor_id=${token.id}`)
    assert.deepEqual(
      all.map(entry => entry.object_id),
      ['p4', 'p3', 'p2', 'p1', 'p0'],
    )
    const read: Entry[] = []
    for (let cursor = ''; ; ) {
      const page = await dataOf(api.get(`audit?actor_id=${token.id}&page_size=2${cursor}`))
      read.push(...page.items)
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    assert.deepEqual(read, all)
    assert.equal((await list('&object_id=p3')).length, 1)
    assert.equal((await list(`&object_id=p3&actor_id=${token.id}`)).length, 1)
    assert.equal((await list('&object_id=p3&actor_id=tok_nobody')).length, 0)
    const middle = encodeURIComponent(all[2].at)
    const later = await list(`&actor_id=${token.id}&from=${middle}`)
    const earlier = await list(`&actor_id=${token.id}&to=${middle}`)
    assert.deepEqual([...later, ...earlier], all)
    assert.ok(later.some(entry => entry.id === all[2].id))
    for (const wrong of ['cursor=nonsense', 'from=yesterday', 'page_size=1000'])
      assert.equal((await api.get(`audit?${wrong}`)).status, 400, wrong)
  })

  test('of one workspace is not read by another', async () => {
    const other = api.as((await dataOf(api.post('workspace/create', { name: 'Other' }))).token)
    assert.deepEqual(await list('', other), [])
    await dataOf(other.post('workflow/update', { id: 'theirs', workflow: graph }))
    assert.equal((await list('', other)).length, 1)
    assert.deepEqual(await list('&object_id=theirs'), [])
  })

  test('is written with the change or not at all', async () => {
    const update = (workflow: object) => api.post('workflow/update', { id: 'both', workflow })
    await dataOf(update(graph))
    const refuse =
      database.dialect === 'sqlite'
        ? ["CREATE TRIGGER refuse BEFORE INSERT ON audit_queue BEGIN SELECT RAISE(ABORT, 'refused'); END"]
        : ['ALTER TABLE audit_queue ADD CONSTRAINT refuse CHECK (id IS NULL) NOT VALID']
    const allow =
      database.dialect === 'sqlite' ? 'DROP TRIGGER refuse' : 'ALTER TABLE audit_queue DROP CONSTRAINT refuse'
    await database.transaction(async transaction => {
      for (const statement of refuse) await transaction.run(statement)
    })
    const names = async () => (await dataOf(api.post('agent/list'))).total
    const before = await names()
    assert.equal((await update(otherGraph)).status, 500)
    assert.equal((await api.post('agent/create', { name: 'Refused' })).status, 500)
    assert.equal((await api.post('workflow/delete', { id: 'both' })).status, 500)
    assert.equal((await api.upload('refused.txt', 'refused')).status, 500)
    await database.transaction(transaction => transaction.run(allow))
    assert.equal((await dataOf(api.get('workflow?id=both'))).workflow.version, 1)
    assert.equal(await names(), before)
    assert.equal((await dataOf(api.post('files', { keyword: 'refused' }))).total, 0)
    assert.equal((await update(otherGraph)).json.data.version, 2)
  })
})
