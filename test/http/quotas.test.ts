import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { Gates } from '../support/gates.ts'
import { dataOf } from '../support/knowledge.ts'
import { echoGraph } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, openTalk, send } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

type Workspace = { api: ApiClient; id: string }

describe('quotas', () => {
  let model: ScriptedModel
  let server: TestServer
  let operator: ApiClient
  before(async () => {
    model = await startScriptedModel()
    const settings = { DEMO: 'off', WORKSPACE_STORAGE_BYTES: '100000' }
    server = await startTestServer({ ...model.environment, ...settings })
    operator = server.api
  })
  after(async () => {
    await server.stop()
    await model.stop()
  })

  let workspaces = 0
  const openWorkspace = async (limits: object = {}): Promise<Workspace> => {
    const made = await dataOf(operator.post('workspace/create', { name: `team ${++workspaces}` }))
    await dataOf(operator.post('workspace/update', { id: made.id, limits }))
    return { api: operator.as(made.token), id: made.id }
  }
  const quotasOf = async (api: ApiClient): Promise<ApiAnswer['json']> =>
    (await dataOf(api.get('usage'))).quotas
  const quotaOf = ({ status, json }: ApiAnswer) => [status, json.code, json.data?.quota ?? json.quota]

  test('limit the stored bytes exactly, for concurrent uploads of different content', async () => {
    const { api } = await openWorkspace({ storage_bytes: 1000 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => api.upload(`${at}.txt`, String(at).padEnd(100, '.'))),
    )
    assert.equal(answers.filter(({ json }) => json.code === 0).length, 10)
    const refused = answers.filter(({ json }) => json.code !== 0)
    for (const answer of refused) assert.deepEqual(quotaOf(answer), [429, 42902, 'storage_bytes'])
    assert.deepEqual((await quotasOf(api)).storage_bytes, { limit: 1000, used: 1000 })
    const same = await api.upload('same.txt', '3'.padEnd(100, '.'))
    const isStored = answers[3]!.json.code === 0
    assert.equal(same.json.code, isStored ? 0 : 42902, 'content that is stored already takes no space')
    const file = answers.find(({ json }, at) => at !== 3 && json.code === 0)!.json.data.file_id
    await dataOf(api.post('files/delete', { file_ids: [file] }))
    assert.equal((await quotasOf(api)).storage_bytes.used, 900)
    const large = await api.upload('large.bin', Buffer.alloc(3 << 20))
    assert.deepEqual(quotaOf(large), [429, 42902, 'storage_bytes'])
  })

  test('do not refuse a repeated upload whose file is stored already', async () => {
    const { api } = await openWorkspace({ storage_bytes: 4 << 20 })
    const upload = (key: string) =>
      api.post('files/upload?name=large.bin', Buffer.alloc(3 << 20), {
        headers: { 'content-type': 'application/octet-stream', 'idempotency-key': key },
      })
    const first = await upload('once')
    const again = await upload('once')
    assert.deepEqual([again.status, again.text], [200, first.text])
    const more = await api.post('files/upload?name=more.bin', Buffer.alloc(3 << 20, 'x'), {
      headers: { 'content-type': 'application/octet-stream', 'idempotency-key': 'more' },
    })
    assert.deepEqual(quotaOf(more), [429, 42902, 'storage_bytes'])
  })

  test('count the versions of workflows, until the workflow is deleted', async () => {
    const { api } = await openWorkspace({ storage_bytes: 3000 })
    const save = (note: string) =>
      api.post('workflow/update', { id: 'w', workflow: { nodes: [], edges: [], note: note.repeat(900) } })
    assert.equal((await save('a')).json.code, 0)
    assert.equal((await save('b')).json.code, 0)
    assert.equal((await save('b')).json.data.message, 'unchanged')
    assert.equal((await save('c')).json.code, 0)
    const refused = await save('d')
    assert.deepEqual(quotaOf(refused), [429, 42902, 'storage_bytes'])
    assert.equal((await save('c')).json.data.message, 'unchanged')
    assert.equal((await dataOf(api.get('workflow?id=w'))).workflow.version, 3)
    await api.post('workflow/delete', { id: 'w' })
    assert.equal((await quotasOf(api)).storage_bytes.used, 0)
  })

  test('limit the documents of all knowledge bases', async () => {
    const { api } = await openWorkspace({ documents: 3 })
    const base = async (name: string): Promise<string> =>
      (await dataOf(api.post('knowledge/create', { name }))).knowledge_id
    const [one, two] = [await base('one'), await base('two')]
    const add = (to: string, count: number) =>
      api.post(`knowledge/${to}`, {
        texts: Array.from({ length: count }, (_, at) => ({ name: `${at}.txt`, content: `text ${to} ${at}` })),
      })
    assert.equal((await add(one, 2)).json.code, 0)
    assert.deepEqual(quotaOf(await add(two, 2)), [429, 42902, 'documents'])
    assert.equal((await dataOf(api.get(`knowledge/${two}/files`))).total, 0)
    assert.equal((await dataOf(api.post('files'))).total, 2, 'the texts of a refused request are not stored')
    assert.equal((await add(two, 1)).json.code, 0)
    assert.deepEqual((await quotasOf(api)).documents, { limit: 3, used: 3 })
  })

  test('limit the model tokens of a day for runs and turns, but not for the replay of a run', async () => {
    const { api } = await openWorkspace({ tokens_per_day: 1 })
    const id = await makeWorkflow(api, echoGraph())
    const talk = await openTalk(api, await makeAgent(api, { workflow_id: id }))
    const headers = { 'idempotency-key': 'first' }
    const first = await api.post('workflow/run', { id, inputs: { query: 'one' } }, { headers })
    assert.equal(first.json.data.status, 'succeeded')
    await until('the tokens are used up', async () => (await quotasOf(api)).tokens_per_day.used > 0)
    const run = () => api.post('workflow/run', { id, inputs: { query: 'two' } })
    await until('runs are refused', async () => (await run()).status === 429)
    const refused = await run()
    assert.deepEqual(quotaOf(refused), [429, 42902, 'tokens_per_day'])
    assert.ok(Number(refused.headers.get('retry-after')) <= 86_400)
    assert.deepEqual(quotaOf(await send(api, talk, 'Hi')), [429, 42902, 'tokens_per_day'])
    const open = await makeAgent(api, { workflow_id: id }, { access: 'public' })
    const anonymous = operator.as(undefined)
    const { json, text, status } = await send(anonymous, await openTalk(anonymous, open), 'Hi')
    assert.deepEqual([status, json.code, json.quota], [429, 42902, undefined])
    assert.doesNotMatch(text, /tokens|workspace/, 'an anonymous user is not told what the workspace uses')
    const again = await api.post('workflow/run', { id, inputs: { query: 'one' } }, { headers })
    assert.equal(again.text, first.text)
  })

  test('limit the active runs exactly, for runs that start at the same time', async () => {
    const { api, id: workspaceId } = await openWorkspace({ concurrent_runs: 3 })
    const id = await makeWorkflow(api, echoGraph())
    const gates = new Gates()
    gates.hold('the model')
    model.play(() => ({ beforePiece: piece => (piece === 1 ? gates.pass('the model') : undefined) }))
    const start = () => api.post('workflow/run', { id, inputs: { query: 'hold' }, wait: 0 })
    const answers = await Promise.all(Array.from({ length: 10 }, start))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 7)
    for (const { json, headers } of refused)
      assert.deepEqual([json.code, headers.get('retry-after')], [42901, '1'])
    assert.deepEqual((await quotasOf(api)).concurrent_runs, { limit: 3, used: 3 })
    await operator.post('workspace/update', { id: workspaceId, limits: { concurrent_runs: 0 } })
    assert.equal((await start()).status, 200)
    gates.open()
    await until('the runs have ended', async () => (await quotasOf(api)).concurrent_runs.used === 0)
    model.reset()
  })

  test('apply together with an Idempotency-Key, which stays free when they refuse', async () => {
    const { api, id } = await openWorkspace({ storage_bytes: 10 })
    const headers = { 'idempotency-key': 'full' }
    const upload = () =>
      api.post('files/upload', { name: 'a.txt', content_base64: 'SGVsbG8gSGVsbG8gSGVsbG8=' }, { headers })
    assert.equal((await upload()).json.code, 42902)
    await operator.post('workspace/update', { id, limits: { storage_bytes: 0 } })
    const stored = await upload()
    assert.equal(stored.json.code, 0)
    assert.equal((await upload()).text, stored.text)
  })

  test('are set by the operator alone, and null returns to the server settings', async () => {
    const { api, id } = await openWorkspace()
    assert.equal((await api.post('workspace/update', { id, limits: {} })).json.code, 40301)
    assert.equal((await quotasOf(api)).storage_bytes.limit, 100_000)
    const set = (limits: object) => operator.post('workspace/update', { id, limits })
    const { limits } = await dataOf(set({ storage_bytes: 0, documents: 5 }))
    assert.deepEqual([limits.storage_bytes, limits.documents, limits.tokens_per_day], [0, 5, null])
    assert.equal((await quotasOf(api)).storage_bytes.limit, null)
    assert.equal((await dataOf(set({ storage_bytes: null }))).limits.documents, 5)
    assert.equal((await quotasOf(api)).storage_bytes.limit, 100_000)
    assert.equal((await set({ storage_bytes: -1 })).json.code, 40001)
    assert.equal((await operator.post('workspace/update', { id: 'ws_no', limits: {} })).json.code, 40401)
    const listed = (await dataOf(operator.post('workspace/list'))).items
    assert.equal(listed.find((item: { id: string }) => item.id === id).limits.documents, 5)
  })
})
