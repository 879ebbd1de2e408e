import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { chain, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'
import { runConformance } from './support/conformance.ts'
import { startEverythingServer } from './support/everything-server.ts'

type Data = ApiAnswer['json']

let model: ScriptedModel
let server: TestServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
})
after(async () => {
  await server.stop()
  await model.stop()
})
beforeEach(() => model.reset())

for (const transport of ['streamableHttp', 'sse'] as const)
  describe(`server-everything over ${transport}`, () => {
    let everything: Awaited<ReturnType<typeof startEverythingServer>>
    before(async () => {
      everything = await startEverythingServer(transport)
    })
    after(() => everything.stop())

    /** The outputs of a node that calls a tool. */
    async function call(tool: string, args: object, more: object = {}): Promise<Data> {
      const data = { url: everything.url, tool, arguments: args, ...more }
      const id = await makeWorkflow(api, chain(node('call', 'mcp', data), output('say', '{{#call.text#}}')))
      const run = await runWorkflow(api, id, 'go')
      assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
      const { nodes } = await runOf(api, run.run_id)
      return nodes.find((step: Data) => step.path === 'call').outputs
    }

    it('gives text and structured content', async () => {
      assert.equal((await call('echo', { message: '你好' })).text, 'Echo: 你好')
      const { result } = await call('get-structured-content', { location: 'New York' })
      assert.deepEqual(Object.keys(result).sort(), ['conditions', 'humidity', 'temperature'])
    })

    it('gives an image as a file that can be read', async () => {
      const { text, files } = await call('get-tiny-image', {})
      assert.match(text, /image/)
      assert.equal(files[0].mime_type, 'image/png')
      const { status, text: content } = await api.get(`files/${files[0].file_id}`)
      assert.equal(status, 200)
      assert.match(content, /PNG/)
    })

    it('gives a binary resource as a file under its own name', async () => {
      const args = { name: 'a.txt.gz', data: 'data:text/plain,hello', outputType: 'resource' }
      const { files } = await call('gzip-file-as-resource', args)
      assert.deepEqual([files[0].name, files[0].mime_type], ['a.txt.gz', 'application/gzip'])
    })

    it('may take longer than the timeout of the node as long as it reports progress', async () => {
      const { text } = await call(
        'trigger-long-running-operation',
        { duration: 6, steps: 12 },
        { timeout_ms: 4000 },
      )
      assert.match(text, /completed/i)
    })

    it('serves an agent, whose model sees the image', async () => {
      const running_config = { type: 'mcp', url: everything.url, tools: ['get-tiny-image'] }
      const tools = { everything: { running_config } }
      model.play(({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { text: 'I saw it' }
          : { toolCalls: [{ name: 'get-tiny-image', arguments: {} }] },
      )
      const { feedback } = await say(api, await openTalk(api, await makeAgent(api, { tools })), 'Look')
      assert.equal(feedback[0].content, 'I saw it')
      const last = model.calls.chat.at(-1)!.body.messages.at(-1)!
      assert.equal(last.role, 'user')
      assert.match(JSON.stringify(last.content), /data:image\/png;base64,/)
    })
  })

describe('the conformance suite', () => {
  const program = join(import.meta.dirname, 'support/conformance-client.ts')
  const command = `${process.execPath} --disable-warning=ExperimentalWarning ${program}`

  const passes = (scenario: string): Promise<void> =>
    runConformance('client', scenario, ['--command', command])

  for (const scenario of ['initialize', 'tools_call', 'auth/client-credentials-basic'])
    it(`passes the client scenario ${scenario}`, () => passes(scenario))

  // This scenario measures how long the client waits, which is longer on a busy machine.
  it('passes the client scenario sse-retry in one of three attempts', () =>
    passes('sse-retry')
      .catch(() => passes('sse-retry'))
      .catch(() => passes('sse-retry')))
})
