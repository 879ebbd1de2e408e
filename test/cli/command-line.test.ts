import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { callBanyan, commandRunner, type Finished, runBanyan } from './run-banyan.ts'

type Call = (database: FreshDatabase, words: string[]) => Promise<Finished>

describe('the command line', () => {
  let database: FreshDatabase
  let server: ServerProcess

  before(async () => {
    database = await migratedDatabase()
    server = await spawnServer(database)
  })
  after(async () => {
    await server.kill('SIGTERM')
    await database.drop()
  })

  const command = commandRunner()
  const run = (...words: string[]): Promise<Finished> => command(database, words)
  const runJson = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words, '--json')
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
    return JSON.parse(stdout)
  }
  const refused = async (words: string[], because: RegExp, call: Call = callBanyan): Promise<void> => {
    const { code, stdout, stderr } = await call(database, words)
    assert.match(stderr, because)
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.equal(stderr.trim().split('\n').length, 1, 'one sentence')
  }
  const fails = async (words: string[], because: RegExp, call: Call = callBanyan): Promise<void> => {
    const { code, stderr } = await call(database, words)
    assert.match(stderr, because)
    assert.equal(code, 1)
    assert.doesNotMatch(stderr, /\n {4}at |\.ts:/, 'no stack')
  }

  test('shows every command with an example in the help', async () => {
    for (const [words, call] of [
      [[], runBanyan],
      [['help'], callBanyan],
      [['--help'], callBanyan],
    ] as const) {
      const { code, stdout } = await call(database, [...words])
      assert.equal(code, 0)
      for (const name of [
        'token create',
        'token list',
        'token delete',
        'workspace create',
        'backup',
        'restore',
      ])
        assert.match(stdout, new RegExp(`npm run banyan -- ${name}`))
    }
    assert.match((await callBanyan(database, ['help', 'restore'])).stdout, /Stop the server first/)
    assert.match((await callBanyan(database, ['token', 'create', '--help'])).stdout, /Roles: admin/)
  })

  test('reports wrong usage with one sentence and exit code 2', async () => {
    await Promise.all([
      refused(['dance'], /There is no command dance/, runBanyan),
      refused(['token'], /token create, token list, token delete/),
      refused(['token', 'create', '--role', 'admin'], /--name: is required/),
      refused(['token', 'create', '--name', 'x', '--role', 'boss'], /--role: must be one of admin/),
      refused(['token', 'create', '--name', 'x', '--role', 'admin', '--days', '0'], /--days/),
      refused(['token', 'create', '--name', 'x', '--role', 'admin', '--days', 'ten'], /--days/),
      refused(['token', 'create', '--name', 'x', '--role', 'runner'], /--agents: is required for a runner/),
      refused(['token', 'create', '--name', 'x', '--role', 'admin', '--agents', 'a'], /--agents/),
      refused(
        ['token', 'create', '--name', 'x', '--role', 'runner', '--agents', 'agent_none'],
        /--agents: there is no agent agent_none in the workspace default.*help token create/,
      ),
      refused(['token', 'list', '--colour'], /Unknown option '--colour'/),
      refused(['token', 'delete'], /Usage: token delete ID/),
      refused(['workspace', 'create', ''], /NAME/),
      refused(['workspace', 'delete', 'ws_x'], /--yes/),
      refused(['workspace', 'limit', 'ws_x', '--bytes', 'many'], /--bytes: must be an integer/),
      refused(
        ['token', 'create', '--name', 'x', '--role', 'admin', '--user', 'u'],
        /--user: is only allowed/,
      ),
      refused(['backup'], /backup FILE/),
      refused(['restore', 'a', 'b'], /restore FILE/),
    ])
  })

  test('reports failures with one sentence and exit code 1', async () => {
    await fails(['token', 'delete', 'tok_none'], /The token tok_none does not exist/, runBanyan)
    await fails(
      ['token', 'create', '--name', 'x', '--role', 'admin', '--workspace', 'none'],
      /The workspace none does not exist/,
    )
    await fails(['token', 'list', '--workspace', 'ws_nope'], /The workspace ws_nope does not exist/)
    await fails(
      ['audit', 'export', join(database.folder, 'a.jsonl'), '--workspace', 'ws_nope'],
      /The workspace ws_nope does not exist/,
    )
    await fails(['workspace', 'delete', 'default', '--yes'], /workspace `default` cannot be deleted/)
    await fails(['backup', '/no/such/folder/a.tar'], /There is no folder \/no\/such\/folder/)
    await fails(['restore', join(database.folder, 'none.tar')], /There is no file|is in use/)
    const { code, stderr } = await callBanyan({ ...database, url: 'mysql://x' }, ['token', 'list'])
    assert.deepEqual([code, /DATABASE_URL must begin/.test(stderr)], [1, true])
  })

  test('reports an invalid setting by its name', async () => {
    for (const [url, settings, problem] of [
      ['postgres://u:pa/ss@localhost/db', {}, /^Invalid settings:\s+DATABASE_URL must .*%2F/],
      ['postgres://u:p@localhost:99999/db', {}, /^Invalid settings:\s+DATABASE_URL must/],
      ['postgres://u@/db?sslrootcert=/none.pem', {}, /^\/none.pem cannot be read \(ENOENT\).* DATABASE_URL/],
      ['', { EGRESS_ALLOW: 'http://127.0.0.1:11434' }, /^Invalid settings:\s+EGRESS_ALLOW .*give a host/],
      ['', { EGRESS_ALLOW: 'intranet,10.0.0.0/40' }, /^Invalid settings:\s+EGRESS_ALLOW .*10\.0\.0\.0\/40/],
    ] as const) {
      const { code, stderr } = await callBanyan({ ...database, url }, ['token', 'list'], settings)
      assert.deepEqual([code, stderr.match(problem) !== null], [1, true], stderr)
    }
  })

  test('creates and revokes tokens that a running server accepts and rejects immediately', async () => {
    const made = await runJson('token', 'create', '--name', 'robot', '--role', 'viewer', '--days', '2')
    assert.equal(made.role, 'viewer')
    const robot = server.api.as(made.token)
    assert.equal((await robot.post('workflow/list', {})).status, 200)
    assert.equal((await robot.post('token/list', {})).status, 403)
    const { items } = await runJson('token', 'list')
    assert.ok(items.some((token: { id: string }) => token.id === made.id))
    assert.ok(!JSON.stringify(items).includes(made.token))

    // Used up to the last moment, so that any cache of the server is warm.
    let isDeleted = false
    const using = (async () => {
      while (!isDeleted) await robot.post('workflow/list', {})
    })()
    await runJson('token', 'delete', made.id)
    isDeleted = true
    assert.equal((await robot.post('workflow/list', {})).status, 401)
    await using
  })

  test('shows the same in text output as in JSON output', async () => {
    const made = await run('token', 'create', '--name', 'person', '--role', 'editor')
    const [secret] = made.stdout.split('\n')
    assert.equal((await server.api.as(secret).post('workflow/list', {})).status, 200)
    const list = await run('token', 'list')
    assert.match(list.stdout, /^ID +ROLE +CREATED +EXPIRES +NAME\n/)
    assert.match(list.stdout, /operator +\d{4}-\d\d-\d\d +never +operator/)
    assert.match(list.stdout, /editor +\d{4}-\d\d-\d\d +never +person/)
  })

  test('creates, lists and deletes a workspace', async () => {
    const made = await runJson('workspace', 'create', 'Team tea')
    const team = server.api.as(made.token)
    assert.equal((await team.post('token/list', {})).json.data.total, 1)
    const names = (await runJson('workspace', 'list')).items.map((item: { name: string }) => item.name)
    assert.deepEqual(names, ['default', 'Team tea'])
    await fails(['workspace', 'create', 'Team tea'], /The workspace Team tea already exists/)
    await runJson('workspace', 'limit', made.id, '--bytes', '10', '--documents', '5')
    const { limits } = await runJson('workspace', 'limit', made.id, '--documents', 'default')
    assert.deepEqual([limits.storage_bytes, limits.documents], [10, null])
    assert.equal((await team.upload('a.txt', 'more than ten bytes')).json.code, 42902)
    assert.equal((await runJson('token', 'list', '--workspace', made.id)).items.length, 1)
    await runJson('workspace', 'delete', made.id, '--yes')
    assert.equal((await team.post('token/list', {})).status, 401)
  })

  test('restores a backup of a running server elsewhere, with its first token', async () => {
    await server.api.upload('a.txt', 'content')
    const file = join(database.folder, 'all.tar')
    const summary = await runJson('backup', file)
    assert.equal(summary.file, file)
    assert.equal(summary.rows.files, 1)
    if (!database.url) await fails(['restore', file, '--force'], /is in use. Stop the server first/)

    const elsewhere = await freshDatabase()
    try {
      const done = await runBanyan(elsewhere, ['restore', file])
      assert.deepEqual([done.code, done.stderr], [0, ''])
      assert.match(done.stdout, /Restored the backup of/)
      const again = await runBanyan(elsewhere, ['restore', file])
      assert.deepEqual([again.code, /--force/.test(again.stderr)], [1, true])
      const second = await spawnServer(elsewhere)
      try {
        const { json } = await second.api.as(tokenOf(server)).post('files', {})
        assert.equal(json.data.total, 1)
        assert.doesNotMatch(second.output(), /Your token/)
        const { bytes } = await second.api.as(tokenOf(server)).bytes(`files/${json.data.items[0].file_id}`)
        assert.equal(String(bytes), 'content')
      } finally {
        await second.kill('SIGTERM')
      }
    } finally {
      await elsewhere.drop()
    }
    assert.ok(existsSync(file))
    assert.ok(!(await readdir(database.folder)).some(name => name.endsWith('.partial')))
  })
})

const tokenOf = (server: ServerProcess): string => /Your token\s+(\S+)/.exec(server.output())![1]!
