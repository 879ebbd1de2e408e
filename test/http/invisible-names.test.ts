import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chain, output } from '../support/run-graphs.ts'
import { makeWorkflow, talkWith } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

// Zero-width space, joiner and byte order mark; soft hyphen, Hangul filler, braille blank, tag, variation selector.
const invisible = [' \u200b\u200d\ufeff', '\u00ad', '\u3164', '\u2800', '\u{e0041}', '\ufe0f']

test('names without visible characters are refused like blank ones', async () => {
  const { api } = server
  const workflow_id = await makeWorkflow(api, chain(output('say', 'x')))
  const graph = { nodes: [], edges: [] }
  const hook = { kind: 'webhook', workflow_id }
  const model = { type: 'chat', base_url: 'http://127.0.0.1:1/v1', model: 'm' }
  for (const name of invisible)
    for (const [path, body] of [
      ['agent/create', { name }],
      ['knowledge/create', { name }],
      ['token/create', { name, role: 'viewer' }],
      ['workspace/create', { name }],
      ['workflow/create', { name, workflow: graph }],
      ['workflow/import', { name, content: JSON.stringify({ workflow: graph }) }],
      ['trigger/create', { name, ...hook }],
      ['test/create', { name, workflow_id }],
      ['model/create', { name, ...model }],
      ['files/upload', { name, content_base64: 'eA==' }],
    ] as [string, object][]) {
      const { status, json } = await api.post(path, body)
      assert.deepEqual(
        [status, json.data?.errors?.[0].path],
        [400, '/name'],
        `${path} ${name.codePointAt(0)}`,
      )
    }
  const { id } = (await api.post('model/create', { name: 'fast', ...model })).json.data
  for (const named of [' ', ...invisible])
    for (const [path, body] of [
      ['model/create', { name: 'other', ...model, model: named }],
      ['model/update', { id, model: named }],
    ] as [string, object][]) {
      const { status, json } = await api.post(path, body)
      assert.deepEqual([status, json.data?.errors?.[0].path], [400, '/model'], path)
    }
  const family = { name: '👨‍👩‍👧️' }
  assert.equal((await api.post('agent/create', family)).json.code, 0)
})

test('messages without visible characters are refused like blank ones', async () => {
  const { api } = server
  const talk = await talkWith(api, chain(output('say', 'x')))
  for (const content of invisible) {
    const { status, json } = await api.post('conversation/chat', { ...talk, data_type: 'text', content })
    assert.deepEqual([status, json.errors?.[0].path], [400, '/content'], String(content.codePointAt(0)))
  }
})
