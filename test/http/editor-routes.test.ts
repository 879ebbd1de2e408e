import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const json = { headers: { 'content-type': 'application/json' } }
const llm = { id: 'ask', type: 'base', data: { type: 'llm', prompt_template: '{{#sys.query#}}' } }

describe('editor endpoints', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer()
    api = server.api
    await api.post('workflow/update', { id: 'drawn', workflow: { nodes: [llm], edges: [] } })
  })
  after(() => server.stop())

  const tokenFor = async (role: string, more: object = {}): Promise<ApiClient> => {
    const { data } = (await api.post('token/create', { name: role, role, ...more })).json
    return api.as(data.token)
  }

  test('serves the same node kinds to every workspace with an ETag', async () => {
    const answer = await api.get('workflow/kinds')
    assert.equal(answer.status, 200)
    assert.ok(answer.json.data.kinds.length > 10)
    const other = (await api.post('workspace/create', { name: 'Kinds' })).json.data.token
    assert.equal((await api.as(other).get('workflow/kinds')).text, answer.text)
    const etag = answer.headers.get('etag')!
    const again = await api.get('workflow/kinds', { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag])
    assert.equal((await api.get('workflow/kinds', { headers: { 'if-none-match': '"x"' } })).status, 200)
    const runner = await tokenFor('runner', { agent_ids: ['agent_x'] })
    assert.equal((await runner.get('workflow/kinds')).status, 403)
  })

  test('returns the outline from a check only on request', async () => {
    const outputs = [
      'text',
      'result',
      'citations',
      'usage',
      'files',
      'model',
      'reasoning',
      'finish_reason',
      'notice',
      'steps',
      'reasoning_ms',
    ]
    const outline = { ask: { outputs, cases: null } }
    const stored = await api.post('workflow/check', { id: 'drawn', outline: true })
    assert.deepEqual(stored.json.data.outline, outline)
    assert.equal((await api.post('workflow/check', { id: 'drawn' })).json.data.outline, undefined)
    const broken = await api.post('workflow/check', {
      workflow: { nodes: [llm, { id: 'bad' }, 3], edges: 'none' },
      outline: true,
    })
    assert.equal(broken.status, 200)
    assert.ok(broken.json.data.errors.length > 0)
    assert.deepEqual(broken.json.data.outline, outline)
    const strange = await api.post(
      'workflow/check',
      '{"workflow":{"nodes":[{"id":"__proto__","type":"base","data":{"type":"end"}}],"edges":[]},"outline":true}',
      json,
    )
    assert.match(strange.text, /"outline":\{"__proto__":\{"outputs":\[\],"cases":null\}\}/)
    assert.equal((await api.post('workflow/check', { id: 'drawn', outline: 1 })).status, 400)
  })

  test('merges a layout per node without changing the workflow', async () => {
    const before = await api.get('workflow?id=drawn')
    assert.deepEqual((await api.get('workflow/layout?id=drawn')).json.data, {
      positions: {},
      shapes: {},
    })
    const place = (positions: string) =>
      api.post('workflow/layout', `{"id":"drawn","positions":${positions}}`, json)
    assert.deepEqual((await place('{"a":{"x":1,"y":2.5},"__proto__":{"x":-3,"y":0}}')).json.data, {})
    await place('{"a":null,"b":{"x":7,"y":8,"z":9}}')
    const layout = await api.get('workflow/layout?id=drawn')
    assert.match(layout.text, /"positions":\{"__proto__":\{"x":-3,"y":0\},"b":\{"x":7,"y":8\}\}/)
    const now = await api.get('workflow?id=drawn')
    assert.deepEqual([now.text, now.headers.get('etag')], [before.text, before.headers.get('etag')])
  })

  const note = { type: 'note', x: 0, y: 8, width: 240, height: 120, text: 'Hi', color: 'green' }
  const group = { type: 'group', title: 'G', color: 'blue', nodes: ['a'], notes: ['n'] }

  test('stores notes and groups, exports them, and imports them', async () => {
    const put = (shapes: object) => api.post('workflow/layout', { id: 'drawn', shapes })
    const before = await api.get('workflow?id=drawn')
    assert.equal((await put({ n: { ...note, secret: 1 }, g: group, gone: note })).status, 200)
    await put({ gone: null })
    const shapes = { n: note, g: group }
    assert.deepEqual((await api.get('workflow/layout?id=drawn')).json.data.shapes, shapes)
    assert.equal((await api.get('workflow?id=drawn')).text, before.text)
    const { document } = (await api.post('workflow/export', { id: 'drawn' })).json.data
    assert.deepEqual(document.layout.shapes, shapes)
    const { id } = (await api.post('workflow/import', { document })).json.data
    assert.deepEqual((await api.get(`workflow/layout?id=${id}`)).json.data.shapes, shapes)
    await put({ n: null, g: null })
  })

  test('rejects invalid notes and groups with the place of the problem', async () => {
    const wrong: [object | string, string][] = [
      ['x', ''],
      [{ ...note, type: 'script' }, '/type'],
      [{ ...note, x: 'far' }, '/x'],
      [{ ...note, width: 1 }, '/width'],
      [{ ...note, color: 'url(x)' }, '/color'],
      [{ ...note, text: 'x'.repeat(limits.layoutNoteLength + 1) }, '/text'],
      [{ ...group, nodes: [1] }, '/nodes'],
      [{ ...group, title: 1 }, '/title'],
    ]
    for (const [shape, place] of wrong) {
      const { status, json } = await api.post('workflow/layout', { id: 'drawn', shapes: { s: shape } })
      assert.deepEqual([status, json.data.errors[0].path], [400, `/shapes/s${place}`])
    }
    const many = Array.from({ length: limits.layoutShapes }, (_, index) => [`n${index}`, note])
    const put = (shapes: object) => api.post('workflow/layout', { id: 'drawn', shapes })
    assert.equal((await put(Object.fromEntries(many))).status, 200)
    const tooMany = await put({ more: note })
    assert.deepEqual([tooMany.status, tooMany.json.data.errors[0].path], [400, '/shapes'])
    assert.match(tooMany.json.message, /201 sticky notes and groups.*at most 200/)
    await put(Object.fromEntries(many.map(([id]) => [id, null])))
  })

  test('rejects invalid positions with a helpful message', async () => {
    for (const position of [
      '1',
      '"x"',
      '{"x":1}',
      '{"x":1,"y":"2"}',
      '{"x":1e7,"y":0}',
      '{"x":1e999,"y":0}',
    ]) {
      const answer = await api.post(
        'workflow/layout',
        `{"id":"drawn","positions":{"__proto__":${position}}}`,
        json,
      )
      assert.equal(answer.status, 400, position)
    }
    const long = 'n'.repeat(limits.placedNodeIdLength)
    const place = (positions: object) => api.post('workflow/layout', { id: 'drawn', positions })
    assert.equal((await place({ [long]: { x: 0, y: 0 } })).status, 200)
    const tooLong = await place({ [`${long}n`]: { x: 0, y: 0 } })
    assert.deepEqual([tooLong.status, tooLong.json.data.errors[0].path], [400, '/positions'])
    assert.match(tooLong.json.message, /1001 characters.*at most 1000/)
    const many = Array.from({ length: limits.graphNodes + 1 }, (_, at) => [`n${at}`, { x: at, y: 0 }])
    const tooMany = await place(Object.fromEntries(many))
    assert.deepEqual([tooMany.status, tooMany.json.data.errors[0].path], [400, '/positions'])
    assert.equal((await place(Object.fromEntries(many.slice(1)))).status, 200)
    const { positions } = (await api.get('workflow/layout?id=drawn')).json.data
    assert.equal(Object.keys(positions).length, limits.graphNodes)
  })

  test('requires a workflow of the workspace and write permission for a layout', async () => {
    const other = api.as((await api.post('workspace/create', { name: 'Layouts' })).json.data.token)
    const deleted = await other.post('workflow/delete', { id: 'drawn' })
    const body = { id: 'drawn', positions: { a: { x: 1, y: 1 } } }
    for (const answer of [
      await other.get('workflow/layout?id=drawn'),
      await other.post('workflow/layout', body),
    ])
      assert.deepEqual(
        [answer.status, answer.json.code, answer.json.message],
        [404, deleted.json.code, deleted.json.message],
      )
    const viewer = await tokenFor('viewer')
    assert.equal((await viewer.get('workflow/layout?id=drawn')).status, 200)
    assert.equal((await viewer.post('workflow/layout', body)).status, 403)
  })

  test('returns its own details to every token', async () => {
    const operator = (await api.get('token/self')).json.data
    assert.deepEqual(
      [operator.role, operator.is_operator, operator.workspace_id, operator.workspace_name],
      ['admin', true, 'default', 'default'],
    )
    assert.equal(operator.expires_at, null)
    const runner = await tokenFor('runner', { agent_ids: ['agent_x'], expires_in_days: 2 })
    const self = (await runner.get('token/self')).json.data
    assert.deepEqual(
      [self.name, self.role, self.agent_ids, self.is_operator],
      ['runner', 'runner', ['agent_x'], false],
    )
    assert.ok(Date.parse(self.expires_at) > Date.now())
    const team = (await api.post('workspace/create', { name: 'Team tea' })).json.data
    const member = (await api.as(team.token).get('token/self')).json.data
    assert.deepEqual(
      [member.workspace_id, member.workspace_name, member.is_operator],
      [team.id, 'Team tea', false],
    )
    assert.ok(!JSON.stringify([operator, self, member]).includes(team.token))
    assert.equal((await api.as('nobody').get('token/self')).status, 401)
  })
})
