import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const graph = { nodes: [], edges: [] }

describe('access over HTTP', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer()
    api = server.api
  })
  after(() => server.stop())

  const tokenFor = async (role: string, more: object = {}): Promise<ApiClient> => {
    const { data } = (await api.post('token/create', { name: role, role, ...more })).json
    return api.as(data.token)
  }

  test('refuses names without visible characters', async () => {
    await api.post('workflow/update', { id: 'tested', workflow: graph })
    const requests: [string, object][] = [
      ['token/create', { role: 'viewer' }],
      ['workspace/create', {}],
      ['test/create', { workflow_id: 'tested' }],
      ['agent/create', {}],
    ]
    for (const [path, body] of requests) {
      const answer = await api.post(path, { ...body, name: ' \u3000' })
      assert.deepEqual([answer.status, answer.json.data.errors[0].path], [400, '/name'], path)
    }
  })

  test('returns 401 for a missing or invalid token, even on unknown paths', async () => {
    const missing = await api.as(undefined).get('workflow?id=a')
    assert.deepEqual(
      [missing.status, missing.json.code, missing.headers.get('www-authenticate')],
      [401, 40101, 'Bearer'],
    )
    for (const header of [
      'Bearer',
      'Bearer ',
      'Bearer x',
      'Basic eDp4',
      'bearer null',
      'Bearer undefined',
      '',
      'x'.repeat(5000),
    ]) {
      const answer = await api.as(undefined).get('workflow?id=a', { headers: { authorization: header } })
      assert.deepEqual([answer.status, answer.json.code], [401, 40102], header)
    }
    assert.equal((await api.as(undefined).post('nothing/at/all', {})).status, 401)
    assert.equal((await api.post('nothing/at/all', {})).status, 404)
  })

  test('grants each role exactly its permissions', async () => {
    const attempts = {
      read: (client: ApiClient) => client.get('workflow?id=roles'),
      search: (client: ApiClient) => client.post('workflow/list', {}),
      write: (client: ApiClient) => client.post('workflow/update', { id: 'roles', workflow: graph }),
      upload: (client: ApiClient) => client.upload('a.txt', 'a'),
      tokens: (client: ApiClient) => client.post('token/list', {}),
      workspaces: (client: ApiClient) => client.post('workspace/list', {}),
    }
    const expected = {
      admin: [200, 200, 200, 200, 200, 403],
      editor: [200, 200, 200, 200, 403, 403],
      viewer: [200, 200, 403, 403, 403, 403],
      // Runner tokens belong to devices, which upload the files they attach to messages.
      runner: [403, 403, 403, 200, 403, 403],
    }
    for (const [role, statuses] of Object.entries(expected)) {
      const client = await tokenFor(role, role === 'runner' ? { agent_ids: ['agent_x'] } : {})
      const seen = []
      for (const attempt of Object.values(attempts)) seen.push((await attempt(client)).status)
      assert.deepEqual(seen, statuses, role)
    }
    assert.equal((await attempts.workspaces(api)).status, 200)
  })

  test('rejects a revoked token immediately and sets the expiry date from expires_in_days', async () => {
    const made = (await api.post('token/create', { name: 'short', role: 'viewer', expires_in_days: 1 })).json
      .data
    assert.match(made.token, /^banyan_[A-Za-z0-9_-]{43}$/)
    assert.ok(Date.parse(made.expires_at) - Date.parse(made.created_at) === 86_400_000)
    const client = api.as(made.token)
    assert.equal((await client.get('workflow?id=a')).status, 200)
    assert.deepEqual((await api.post('token/delete', { id: made.id })).json.data, {})
    assert.equal((await client.get('workflow?id=a')).json.code, 40102)
    assert.equal((await api.post('token/delete', { id: made.id })).json.code, 40401)
  })

  test('returns the token only when it is created, and never its hash', async () => {
    const made = (await api.post('token/create', { name: 'seen once', role: 'viewer' })).json.data
    const listed = await api.post('token/list', { page_size: 100 })
    assert.ok(listed.json.data.items.some((item: { id: string }) => item.id === made.id))
    assert.ok(!listed.text.includes(made.token))
    assert.ok(!listed.text.includes('hash'))
  })

  test('replays token creation for the same Idempotency-Key and caller only', async () => {
    const headers = { 'idempotency-key': 'make-a-token' }
    const body = { name: 'once', role: 'viewer' }
    const first = await api.post('token/create', body, { headers })
    const second = await api.post('token/create', body, { headers })
    assert.equal(first.json.data.token, second.json.data.token)
    const admin = await tokenFor('admin')
    assert.notEqual(
      (await admin.post('token/create', body, { headers })).json.data.token,
      first.json.data.token,
    )
  })

  test('validates the fields of tokens and workspaces', async () => {
    const wrong: [string, object, string][] = [
      ['token/create', { role: 'viewer' }, '/name'],
      ['token/create', { name: 'x', role: 'king' }, '/role'],
      ['token/create', { name: 'x', role: 'viewer', expires_in_days: 0 }, '/expires_in_days'],
      ['token/create', { name: 'x', role: 'viewer', agent_ids: ['agent_x'] }, '/agent_ids'],
      ['token/create', { name: 'x', role: 'runner' }, '/agent_ids'],
      ['token/create', { name: 'x', role: 'viewer', workspace_id: '../x' }, '/workspace_id'],
      ['token/create', { name: 'x', role: 'viewer', workspace_id: 'ws_nowhere' }, '/workspace_id'],
      ['workspace/create', { name: '' }, '/name'],
      ['workspace/create', { name: 'a\u0000b' }, '/name'],
    ]
    for (const [path, body, field] of wrong) {
      const answer = await api.post(path, body)
      assert.equal(answer.json.data.errors[0]?.path, field, answer.text)
    }
  })

  test('isolates workspaces from each other until they are deleted', async () => {
    const a = (await api.post('workspace/create', { name: 'tea' })).json.data
    const b = (await api.post('workspace/create', { name: 'coffee' })).json.data
    assert.equal((await api.post('workspace/create', { name: 'tea' })).json.code, 40903)
    const A = api.as(a.token)
    const B = api.as(b.token)
    await A.post('workflow/update', { id: 'mine', workflow: graph })
    const file = (await A.upload('mine.txt', 'mine')).json.data
    assert.deepEqual((await B.get('workflow?id=mine')).json.data, { exist: false })
    assert.deepEqual((await api.get('workflow?id=mine')).json.data, { exist: false })
    assert.deepEqual(
      (await B.post('files/delete', { file_ids: [file.file_id], force: true })).json.data.missing,
      [file.file_id],
    )
    assert.equal(
      (await A.post('token/create', { name: 'x', role: 'viewer', workspace_id: b.id })).json.code,
      40301,
    )
    assert.equal((await A.post('workspace/list', {})).json.code, 40301)
    assert.equal((await A.get('/metrics')).json.code, 40301)
    const forB = (await api.post('token/create', { name: 'x', role: 'viewer', workspace_id: b.id })).json.data
    assert.equal((await api.as(forB.token).get('workflow?id=mine')).json.data.exist, false)
    assert.equal((await A.post('token/delete', { id: forB.id })).json.code, 40401)

    assert.deepEqual((await api.post('workspace/delete', { id: a.id })).json.data, {})
    assert.equal((await A.get('workflow?id=mine')).json.code, 40102)
    assert.equal((await api.post('workspace/delete', { id: a.id })).json.code, 40401)
    assert.equal((await api.post('workspace/delete', { id: 'default' })).json.code, 40902)
    assert.equal((await B.get('workflow?id=mine')).status, 200)
  })
})
