import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'

const modules = join(import.meta.dirname, 'node_modules')
const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')

let server: TestServer
let folder: string

before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  folder = await mkdtemp(join(tmpdir(), 'banyan-openapi-'))
  await writeFile(join(folder, 'openapi.json'), (await server.api.get('/openapi.json')).text)
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a program of the packages in the folder; resolves with its exit code and output. */
const run = (program: string, ...args: string[]): Promise<{ code: number; output: string }> =>
  new Promise(resolve => {
    const options = { cwd: folder, maxBuffer: 64 << 20 }
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    )
  })

test('redocly finds no problem', async () => {
  const program = join(modules, '@redocly/cli/bin/cli.js')
  const { code, output } = await run(program, 'lint', '--max-problems=20', 'openapi.json')
  assert.equal(code, 0, output)
  assert.doesNotMatch(output, /warning/i)
})

test('spectral finds no error', async () => {
  await writeFile(join(folder, '.spectral.json'), '{"extends": ["spectral:oas"]}')
  const program = join(modules, '@stoplight/spectral-cli/dist/index.js')
  const { code, output } = await run(program, 'lint', 'openapi.json', '--fail-severity=error')
  assert.equal(code, 0, output)
})

describe('@hey-api/openapi-ts', () => {
  test('generates a client that compiles in strict mode, uploads a file and reads events', async () => {
    const generator = join(modules, '@hey-api/openapi-ts/bin/run.js')
    const output = { path: 'client', module: { extension: '.ts' } }
    const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk']
    const config = JSON.stringify({ input: 'openapi.json', output, plugins })
    await writeFile(join(folder, 'openapi-ts.config.mjs'), `export default ${config}`)
    const generated = await run(generator, '-f', 'openapi-ts.config.mjs')
    assert.equal(generated.code, 0, generated.output)
    await writeFile(join(folder, 'main.ts'), usage)
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    await mkdir(join(folder, 'node_modules'))
    await symlink(join(import.meta.dirname, '../../node_modules/@types'), join(folder, 'node_modules/@types'))
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax']
    const target = ['--noEmit', '--allowImportingTsExtensions', '--target', 'es2024', '--module', 'nodenext']
    const compiled = await run(compiler, ...strict, ...target, 'main.ts')
    assert.equal(compiled.code, 0, compiled.output)
    const { main } = await import(pathToFileURL(join(folder, 'main.ts')).href)
    assert.deepEqual(await main(server.base, operatorToken), {
      name: 'hello.txt',
      events: ['run.started', 'run.finished'],
    })
  })
})

/** A program that uses the generated client: its types fail to compile where the document is wrong. */
const usage = `
import { createClient } from './client/client/index.ts'
import { filesUpload, workflowRun, workflowRunEvents, workflowUpdate } from './client/sdk.gen.ts'
import type { RunEvent, StoredFile } from './client/types.gen.ts'

const cell = (id: string, type: string) => ({ id, type: 'base', data: { type } })

export async function main(baseUrl: string, token: string) {
  const client = createClient({ baseUrl, auth: token })
  const file = new File(['Hello'], 'hello.txt')
  const uploaded = await filesUpload({ client, body: { file }, throwOnError: true })
  const stored: StoredFile = uploaded.data.data
  await workflowUpdate({
    client,
    throwOnError: true,
    body: {
      id: 'wf_generated',
      workflow: {
        nodes: [cell('input', 'input'), cell('end', 'end')],
        edges: [{ source: { cell: 'input', port: 'out.input' }, target: { cell: 'end', port: 'in.end' } }],
      },
    },
  })
  const run = await workflowRun({ client, body: { id: 'wf_generated' }, throwOnError: true })
  const { stream } = await workflowRunEvents({ client, path: { run_id: run.data.data.run_id } })
  const events: string[] = []
  for await (const event of stream) {
    const known: RunEvent = event
    if (known.event === 'run.started' || known.event === 'run.finished') events.push(known.event)
    if (known.event === 'run.finished') break
  }
  return { name: stored.name, events }
}
`
