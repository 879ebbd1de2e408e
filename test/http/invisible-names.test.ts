import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chain, output } from '../support/run-graphs.ts'
import { makeWorkflow } from '../support/talk.ts'
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
  const family = { name: '👨‍👩‍👧️' }
  assert.equal((await api.post('agent/create', family)).json.code, 0)
})
