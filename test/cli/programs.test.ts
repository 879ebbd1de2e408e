import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { dataOf } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { chain, echoGraph, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { makeAgent } from '../support/talk.ts'
import { node } from '../workflow/graphs.ts'
import { callBanyan, commandRunner } from './run-banyan.ts'

const version = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version

describe('commands for programs', () => {
  let database: FreshDatabase
  let model: ScriptedModel
  let server: ServerProcess
  let folder: string

  before(async () => {
    database = await migratedDatabase()
    model = await startScriptedModel()
    server = await spawnServer(database, { ...model.environment, LOG_LEVEL: 'warn' })
    folder = await mkdtemp(join(tmpdir(), 'banyan-programs-'))
  })
  after(async () => {
    await server.kill('SIGTERM')
    await model.stop()
    await database.drop()
    await rm(folder, { recursive: true })
  })

  const command = commandRunner()
  const run = (...words: string[]) => command(database, [...words, '--server', server.base])
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words, '--json')
    assert.deepEqual([code, stderr], [0, ''], stdout)
    return JSON.parse(stdout)
  }
  const file = async (name: string, content: unknown): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const says = (text: string) => chain(output('say', text))

  test('a workflow goes from a file to the server and back', async () => {
    const path = await file('tree.json', says('A tree for {{#sys.query#}}'))
    const made = await json('workflow', 'import', path, '--id', 'wf_tree', '--name', 'Tree')
    assert.deepEqual([made.id, made.version, made.warnings], ['wf_tree', 1, []])
    const taken = await run('workflow', 'import', path, '--id', 'wf_tree')
    assert.deepEqual([taken.code, /The workflow wf_tree already exists/.test(taken.stderr)], [1, true])

    const exported = await run('workflow', 'export', 'wf_tree')
    assert.equal(exported.code, 0)
    const document = JSON.parse(exported.stdout)
    assert.deepEqual([document.format, document.name], ['banyan.workflow', 'Tree'])
    assert.deepEqual(document.workflow, says('A tree for {{#sys.query#}}'))
    assert.deepEqual(await json('workflow', 'export', 'wf_tree', '--version', '1'), document)

    document.workflow = says('A bush for {{#sys.query#}}')
    const changed = await file('bush.json', document)
    const replaced = await json('workflow', 'import', changed, '--id', 'wf_tree', '--replace')
    assert.deepEqual([replaced.version, replaced.message], [2, 'updated'])
    const { items } = await json('workflow', 'list', '--keyword', 'tree')
    assert.deepEqual(
      items.map((item: { id: string; version: number }) => [item.id, item.version]),
      [['wf_tree', 2]],
    )
    assert.match(
      (await run('workflow', 'list')).stdout,
      /^ID +VERSION +PUBLISHED +UPDATED +NAME\nwf_tree +2 +- /,
    )
    const fresh = await json('workflow', 'import', path)
    assert.match(fresh.id, /^wf_/)
  })

  test('a workflow keeps all digits of its numbers', async () => {
    const graph = JSON.stringify(says('A tree')).replace('"nodes"', '"id":687865202956247041,"nodes"')
    const path = await file('digits.json', graph)
    await json('workflow', 'import', path, '--id', 'wf_digits')
    const { stdout } = await run('workflow', 'export', 'wf_digits')
    assert.match(stdout, /"id": 687865202956247041,/)
    const exported = await file('exported.json', stdout.replace('A tree', 'A bush'))
    await json('workflow', 'import', exported, '--id', 'wf_digits', '--replace')
    const { text } = await server.api.get('workflow?id=wf_digits')
    assert.match(text, /"id":687865202956247041,.*A bush/)
  })

  test('check reports what prevents a run, in a file and in a stored workflow', async () => {
    const good = await file('good.json', { format: 'banyan.workflow', workflow: says('Hi') })
    const fine = await run('workflow', 'check', good)
    assert.deepEqual([fine.code, fine.stdout.trim()], [0, 'No problems were found.'])
    const bad = await file('bad.json', says('{{#nobody.text#}}'))
    const found = await run('workflow', 'check', bad)
    assert.equal(found.code, 1)
    assert.match(
      found.stdout,
      /blocking +\/workflow\/nodes\/1\/data\/answer +.*refers to a node that does not exist/,
    )
    assert.match(found.stderr, /bad\.json cannot run: 1 problem\./)
    const machine = await run('workflow', 'check', bad, '--json')
    assert.deepEqual([machine.code, JSON.parse(machine.stdout).runnable], [1, false])
    const refused = await run(
      'workflow',
      'check',
      await file('worse.json', { nodes: [{ id: 5 }], edges: [] }),
    )
    assert.equal(refused.code, 1)
    const stored = await run('workflow', 'import', bad, '--id', 'wf_bad')
    assert.deepEqual([stored.code, /wf_bad cannot run yet/.test(stored.stderr)], [1, true])
    assert.equal((await run('workflow', 'check', 'wf_bad')).code, 1)
  })

  test('run prints the answer or the outputs, and its exit code is that of the run', async () => {
    await json('workflow', 'import', await file('echo.json', echoGraph()), '--id', 'wf_echo')
    const answered = await run('workflow', 'run', 'wf_echo', '--query', 'Hello')
    assert.deepEqual([answered.code, answered.stderr], [0, ''])
    assert.match(answered.stdout, /^A: .*Hello/)

    const quiet = chain(node('t', 'template', { template: '{{#sys.inputs.city#}}' }))
    await json('workflow', 'import', await file('quiet.json', quiet), '--id', 'wf_quiet')
    const inputs = await file('inputs.json', { city: 'Rome' })
    const ended = await json('workflow', 'run', 'wf_quiet', '--inputs', inputs, '--version', 'draft')
    assert.deepEqual([ended.status, ended.outputs.text, ended.answer], ['succeeded', 'Rome', ''])
    assert.equal(
      JSON.parse((await run('workflow', 'run', 'wf_quiet', '--inputs', inputs)).stdout).text,
      'Rome',
    )

    const failing = chain(node('call', 'http_request', { url: 'http://10.0.0.1/' }))
    await json('workflow', 'import', await file('failing.json', failing), '--id', 'wf_failing')
    const failed = await run('workflow', 'run', 'wf_failing', '--json')
    assert.equal(failed.code, 1)
    const { run_id, status } = JSON.parse(failed.stdout)
    assert.equal(status, 'failed')
    assert.match(failed.stderr, new RegExp(`The run ${run_id} failed in node call: .*10\\.0\\.0\\.1`))
    const shown = await run('run', 'show', run_id)
    assert.equal(shown.code, 0)
    assert.match(shown.stdout, /call +http_request +failed +\d+ +\S/)
    const details = await json('run', 'show', run_id)
    assert.deepEqual([details.run_id, details.nodes.length], [run_id, 2])

    const asking = chain(node('ask', 'question', { question: 'Which size?' }))
    await json('workflow', 'import', await file('asking.json', asking), '--id', 'wf_asking')
    const waiting = await run('workflow', 'run', 'wf_asking')
    assert.deepEqual([waiting.code, /waits for an answer: Which size\?/.test(waiting.stderr)], [1, true])
    const gone = await run('workflow', 'run', 'wf_none')
    assert.deepEqual([gone.code, /wf_none/.test(gone.stderr)], [1, true])
  })

  test('a run that takes longer than one call is awaited', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    model.play(() => ({ text: 'at last', beforePiece: () => promise }))
    await json('workflow', 'import', await file('slow.json', echoGraph()), '--id', 'wf_slow')
    const timer = setTimeout(resolve, 12_000)
    const ended = await run('workflow', 'run', 'wf_slow', '--query', 'Slowly')
    clearTimeout(timer)
    model.reset()
    assert.deepEqual([ended.code, ended.stdout.trim()], [0, 'A: at last'], ended.stderr)
  })

  test('agents are listed and answer, and a conversation continues', async () => {
    const id = await makeAgent(server.api, { character_profile: 'You repeat.' })
    const { items } = await json('agent', 'list')
    assert.ok(items.some((item: { id: string }) => item.id === id))
    const first = await json('agent', 'chat', id, '--message', 'One')
    assert.match(first.feedback[0].content, /One/)
    const next = await run('agent', 'chat', id, '--message', 'Two', '--conversation', first.conversation_id)
    assert.deepEqual([next.code, /Two/.test(next.stdout)], [0, true])
    assert.match(JSON.stringify(model.calls.chat.at(-1)!.body), /One/)
    model.play(() => ({ status: 400, message: 'No.' }))
    const failed = await run('agent', 'chat', id, '--message', 'Three')
    model.reset()
    assert.deepEqual([failed.code, failed.stdout], [1, ''])
    assert.match(failed.stderr, /No\./)
  })

  test('an agent gets the values of the input variables of its workflow', async () => {
    const graph = chain(output('say', 'To {{#input.city#}}'))
    Object.assign(graph.nodes[0]!.data, { variables: [{ name: 'city', type: 'text', required: true }] })
    await json('workflow', 'import', await file('trip.json', graph), '--id', 'wf_trip')
    const id = await makeAgent(server.api, { workflow_id: 'wf_trip' })
    const missing = await run('agent', 'chat', id, '--message', 'Go')
    assert.deepEqual([missing.code, /inputs.city/.test(missing.stderr)], [1, true], missing.stderr)
    const inputs = await file('trip-inputs.json', { city: 'Rome' })
    const turn = await run('agent', 'chat', id, '--message', 'Go', '--inputs', inputs)
    assert.deepEqual([turn.code, turn.stdout.trim()], [0, 'To Rome'], turn.stderr)
  })

  test('the token and the server can be given, and errors name the wrong one', async () => {
    const made = await dataOf(server.api.post('token/create', { name: 'ci', role: 'viewer' }))
    const token = await file('token', made.token)
    assert.ok((await json('workflow', 'list', '--token-file', token)).items.length > 0)
    const refused = await run('workflow', 'run', 'wf_echo', '--token-file', token)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /role viewer may not do this.*--token-file/)
    const nowhere = await callBanyan(database, ['workflow', 'list', '--server', 'http://127.0.0.1:9'])
    assert.deepEqual([nowhere.code, /does not respond/.test(nowhere.stderr)], [1, true])
  })

  test('wrong usage ends with exit code 2 and points to the help of the command', async () => {
    const refused = async (words: string[], because: RegExp): Promise<void> => {
      const { code, stdout, stderr } = await run(...words)
      assert.deepEqual([code, stdout], [2, ''], stderr)
      assert.match(stderr, because)
    }
    await refused(['workflow', 'run'], /Usage: workflow run ID .* See: .*help workflow run/)
    await refused(
      ['workflow', 'run', 'wf_echo', '--inputs', join(folder, 'none')],
      /cannot be read \(ENOENT\)/,
    )
    await refused(['workflow', 'run', 'wf echo'], /ID: .*help workflow run/)
    await refused(['workflow', 'check', './none.json'], /There is no file .\/none.json.*help workflow check/)
    await refused(['workflow', 'check', await file('x.json', { a: 1 })], /is not a workflow/)
    await refused(
      ['workflow', 'import', await file('y.json', says('Hi')), '--replace'],
      /--replace: needs --id/,
    )
    await refused(['agent', 'chat', 'agent_1'], /--message: is required/)
    await refused(['workflow'], /Choose one of: workflow list.*help workflow\n/)
  })
})

describe('the command line without a data directory', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'banyan-nothing-'))
  })
  after(() => rm(folder, { recursive: true }))

  const on = (dataDir: string, ...words: string[]) =>
    callBanyan({ folder: dataDir, url: undefined } as FreshDatabase, words)

  test('a DATA_DIR that does not exist is an error, and is not created', async () => {
    const missing = join(folder, 'typo')
    for (const words of [
      ['token', 'list'],
      ['token', 'create', '--name', 'x', '--role', 'admin'],
      ['workspace', 'list'],
      ['backup', join(folder, 'a.tar')],
      ['restore', join(folder, 'a.tar')],
      ['files', 'adopt', '--yes'],
      ['scrub'],
      ['fsck'],
      ['audit', 'export', join(folder, 'audit.jsonl')],
    ]) {
      const { code, stdout, stderr } = await on(missing, ...words)
      assert.deepEqual([code, stdout], [1, ''], words.join(' '))
      assert.match(stderr, /DATA_DIR .*typo does not exist/)
    }
    assert.equal(existsSync(missing), false)
    assert.match((await on(missing, 'doctor', '--offline')).stdout, /failed .*typo does not exist/)
    assert.equal(existsSync(missing), false)
  })

  test('a folder without a database is an error, too, and stays empty', async () => {
    const { code, stderr } = await on(folder, 'token', 'list')
    assert.deepEqual([code, /has no database/.test(stderr)], [1, true])
    assert.deepEqual(await readdir(folder), [])
  })

  test('the version and the help need no data', async () => {
    const shown = await on(join(folder, 'typo'), '--version')
    assert.deepEqual([shown.code, shown.stdout], [0, `${version}\n`])
    const group = await on(join(folder, 'typo'), 'help', 'token')
    assert.equal(group.code, 0)
    for (const name of ['token create', 'token list', 'token delete'])
      assert.match(group.stdout, new RegExp(name))
    assert.doesNotMatch(group.stdout, /workspace create/)
    assert.match((await on(folder, 'help', 'workflow', 'run')).stdout, /Run a stored workflow/)
    const unknown = await on(folder, 'help', 'dance')
    assert.deepEqual([unknown.code, /There is no command dance/.test(unknown.stderr)], [2, true])
  })
})
