import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const forecast = {
  name: 'forecast',
  description: 'Weather of the next days',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
}

let server: TestServer
let api: ApiClient
let tools: ScriptedToolServer

before(async () => {
  tools = await new ScriptedToolServer({ tools: [forecast], version: '2025-11-25' }).start()
  server = await startTestServer({ EGRESS_ALLOW: '127.0.0.1', SECRET_KEY: 'k'.repeat(32), DEMO: 'off' })
  api = server.api
})
after(async () => {
  await server.stop()
  await tools.close()
})

test('lists the tools of a server, with headers that refer to secrets', async () => {
  await dataOf(api.post('secret/set', { name: 'weather_key', value: 'the key "1"' }))
  const body = { url: tools.url, headers: { 'X-Key': '{{#secret.weather_key#}}' } }
  assert.deepEqual(await dataOf(api.post('tool/inspect', body)), {
    name: 'scripted',
    version: '1',
    protocol_version: '2025-11-25',
    instructions: '',
    tools: [{ name: 'forecast', description: forecast.description, parameters: forecast.inputSchema }],
  })
  assert.equal(tools.received[0]!.headers['x-key'], 'the key "1"')
})

test('reports why a server cannot be used', async () => {
  const reasonOf = async (body: object): Promise<[number, string]> => {
    const { json } = await api.post('tool/inspect', body)
    return [json.code, json.message]
  }
  assert.deepEqual(await reasonOf({ url: tools.url, headers: { a: '{{#secret.none#}}' } }), [
    42203,
    'There is no secret "none"; add it in Secrets, or send it with POST /api/v1/secret/set.',
  ])
  tools.fail('initialize', 'garbage')
  const [code, message] = await reasonOf({ url: tools.url })
  assert.equal(code, 42203)
  assert.match(message, /is not a tool server: it responded with something that is not JSON/)
  assert.match((await reasonOf({ url: 'http://10.0.0.1/mcp' }))[1], /may not be called/)
  assert.match((await reasonOf({ url: 'no address' }))[1], /is not a URL: write it in full/)
})
