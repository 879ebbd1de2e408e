import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { ApiAnswer } from '../support/api-client.ts'
import { chain, echoGraph, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeWorkflow } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

const root = join(import.meta.dirname, '../..')

type Data = ApiAnswer['json']
/** As a program in another folder imports it, where the compiler of this project finds no types. */
interface Client {
  call(name: string, input: object, options?: object): Promise<Data>
  stream(name: string, input: object): AsyncIterable<{ event: string; data: Data }>
  upload(content: Blob, name: string): Promise<Data>
  download(fileId: string): Promise<Response>
}

const config = {
  compilerOptions: {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, module: 'nodenext', target: 'es2022' },
    ...{ lib: ['es2022', 'dom', 'dom.asynciterable'], types: ['node'], allowImportingTsExtensions: true },
  },
  include: ['*.ts'],
}

/** What the compiler must refuse. */
const misuse = `
import { Banyan } from '@banyan/client'
const banyan = new Banyan({ baseUrl: 'http://x' })
// @ts-expect-error: an unknown operation
await banyan.call('workflow.fly', {})
// @ts-expect-error: the id is required
await banyan.call('workflow.run', {})
// @ts-expect-error: an operation without a stream
banyan.stream('workflow.list', {})
const { items } = await banyan.call('workflow.list', {})
// @ts-expect-error: a workflow has no such field
items[0]?.colour
for await (const { event, data } of banyan.stream('workflow.run', { id: 'x' }))
  if (event === 'node.delta') {
    const text: string = data.text
    text.trim()
  } else if (event === 'run.finished') {
    // @ts-expect-error: only a delta has a text
    data.text
  }
`

describe('the TypeScript client', () => {
  let folder: string
  let model: ScriptedModel
  let server: TestServer
  let client: Client
  let workflow: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'banyan-client-test-'))
    const pack = ['--disable-warning=ExperimentalWarning', join(root, 'scripts/pack-client.ts'), folder]
    execFileSync(process.execPath, pack, { stdio: 'pipe' })
    const installed = join(folder, 'node_modules/@banyan/client')
    mkdirSync(installed, { recursive: true })
    const [archive] = globSync('*.tgz', { cwd: folder })
    execFileSync('tar', ['-xzf', join(folder, archive!), '-C', installed, '--strip-components=1'])
    model = await startScriptedModel()
    server = await startTestServer({ ...model.environment, DEMO: 'off' })
    workflow = (await server.api.post('workflow/create', { workflow: echoGraph() })).json.data.id
    const { Banyan } = await import(pathToFileURL(join(installed, 'dist/index.js')).href)
    client = new Banyan({ baseUrl: server.base, token: operatorToken })
  })
  after(async () => {
    await server?.stop()
    await model?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('has types that accept its README and refuse misuse, in strict mode', () => {
    const readme = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8')
    writeFileSync(join(folder, 'readme.ts'), /```ts\n([\s\S]*?)```/.exec(readme)![1]!)
    writeFileSync(join(folder, 'misuse.ts'), misuse)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    mkdirSync(join(folder, 'node_modules/@types'))
    for (const name of ['@types/node', 'undici-types'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    const checked = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
    assert.equal(checked.stdout, '')
    assert.equal(checked.status, 0)
  })

  test('reports errors of the OpenAI-compatible API, also within a stream', async () => {
    const asked = { model: 'absent', messages: [{ role: 'user', content: 'hi' }] }
    const unknown = { status: 404, reason: 'model_not_found', message: /^The model absent does not exist/ }
    await assert.rejects(client.call('openai.chatCompletions', asked), unknown)
    model.play(() => ({ status: 400, message: 'no' }))
    const agent = await client.call('agent.create', { name: 'Failing' })
    const stream = client.stream('openai.chatCompletions', { ...asked, model: agent.id })
    const streamed = async (): Promise<void> => {
      for await (const { data } of stream) assert.equal(data.error, undefined)
    }
    await assert.rejects(streamed, { reason: 'model_failed' })
    model.reset()
  })

  test('throws at the end of a streamed turn that failed', async () => {
    model.play(() => ({ status: 401, message: 'wrong key' }))
    const agent = await client.call('agent.create', { name: 'Failing' })
    const { conversation_id } = await client.call('conversation.create', { agent_id: agent.id })
    const turn = { agent_id: agent.id, conversation_id, data_type: 'text', content: 'hi' }
    const streamed = async (): Promise<void> => {
      for await (const { event } of client.stream('conversation.chat', turn)) assert.notEqual(event, 'end')
    }
    await assert.rejects(streamed, {
      name: 'BanyanError',
      code: 50201,
      reason: 'model_failed',
      message: /rejected the API key/,
    })
    model.reset()
  })

  test('reads large numbers that keep their digits as numbers', async () => {
    const code = 'function main() { return { power: 2 ** 60, text: "x" } }'
    const graph = chain(node('count', 'code', { code }), output('say', '{{#count.text#}}'))
    const id = await makeWorkflow(server.api, graph)
    const { run_id } = await client.call('workflow.run', { id })
    const { nodes } = await client.call('workflow.getRun', { run_id })
    const { outputs } = nodes.find((step: Data) => step.node_id === 'count')
    assert.equal(outputs.power, 2 ** 60)
  })

  test('calls operations with path, query and body', async () => {
    const run = await client.call('workflow.run', { id: workflow, inputs: { query: 'tea' } })
    assert.deepEqual([run.status, run.answer], ['succeeded', 'A: echo: tea'])
    const details = await client.call('workflow.getRun', { run_id: run.run_id })
    assert.equal(details.inputs.query, 'tea')
    const { items } = await client.call('workflow.runs', { id: workflow, page_size: 1 })
    assert.equal(items[0].run_id, run.run_id)
  })

  test('reads a graph and sends it back with all digits of its integers', async () => {
    const graph =
      '{"nodes":[{"id":"input","type":"base","data":{"type":"input","id":687865202956247041}}],"edges":[]}'
    const json = { headers: { 'content-type': 'application/json' } }
    await server.api.post('workflow/update', `{"id":"digits","workflow":${graph}}`, json)
    const { workflow } = await client.call('workflow.get', { id: 'digits' })
    await client.call('workflow.update', { id: 'copy', workflow: workflow.config })
    assert.ok((await server.api.get('workflow?id=copy')).text.includes(`"config":${graph}`))
  })

  test('streams the events of runs and turns', async () => {
    const events: string[] = []
    for await (const { event, data } of client.stream('workflow.run', {
      id: workflow,
      inputs: { query: 'x' },
    })) {
      events.push(event)
      if (event === 'run.finished') assert.equal(data.answer, 'A: echo: x')
    }
    assert.deepEqual([events[0], events.at(-1)], ['run.started', 'run.finished'])
    const agent = await client.call('agent.create', { name: 'Echo', config: { workflow_id: workflow } })
    const talk = { agent_id: agent.id, conversation_id: '' }
    talk.conversation_id = (await client.call('conversation.create', { agent_id: agent.id })).conversation_id
    const turn: string[] = []
    for await (const { event } of client.stream('conversation.chat', {
      ...talk,
      data_type: 'text',
      content: 'y',
    }))
      turn.push(event)
    assert.deepEqual([turn.includes('delta'), turn.at(-1)], [true, 'end'])
  })

  test('ends a stream that the caller leaves', async () => {
    for await (const { event } of client.stream('workflow.run', { id: workflow })) {
      assert.equal(event, 'run.started')
      break
    }
    assert.ok((await client.call('workflow.list', {})).total > 0)
  })

  test('uploads and downloads a file', async () => {
    const file = await client.upload(new Blob(['green tea']), 'tea.txt')
    assert.equal(file.name, 'tea.txt')
    assert.equal(await (await client.download(file.file_id)).text(), 'green tea')
  })

  test('reports errors with their reason and fields, also instead of a stream', async () => {
    const unknown = { id: 'wf_none' }
    await assert.rejects(client.call('workflow.run', unknown), {
      status: 404,
      reason: 'not_found',
      code: 40401,
    })
    await assert.rejects(client.call('workflow.create', { name: 1 }), (error: Data) => {
      assert.deepEqual([error.reason, error.errors[0].path], ['invalid_request', '/name'])
      return error.traceId.length > 0
    })
    const stream = client.stream('workflow.run', unknown)[Symbol.asyncIterator]()
    await assert.rejects(stream.next(), { reason: 'not_found' })
  })

  test('repeats a call with an idempotency key without effect', async () => {
    const create = () => client.call('agent.create', { name: 'Once' }, { idempotencyKey: 'agent-once' })
    assert.equal((await create()).id, (await create()).id)
  })
})
