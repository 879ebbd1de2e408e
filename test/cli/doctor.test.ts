import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { CheckResult } from '../../src/cli/doctor-checks.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { noPython } from '../support/python.ts'
import { startTestServer } from '../support/test-server.ts'
import { commandRunner } from './run-banyan.ts'

const isPostgres = process.env['TEST_DATABASE_URL'] !== undefined

describe('doctor', () => {
  let database: FreshDatabase
  before(async () => {
    database = await freshDatabase()
  })
  after(() => database.drop())

  const command = commandRunner()
  const examine = async (on = database, ...words: string[]) => {
    const { code, stdout, stderr } = await command(on, ['doctor', '--json', ...words])
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: CheckResult[] }
    assert.equal(code, ok ? 0 : 1, stderr)
    return { ok, stderr, of: (name: string) => checks.find(check => check.name === name)! }
  }

  test('reports no problem before the first start, and creates nothing', async () => {
    const { ok, of } = await examine()
    assert.ok(ok)
    assert.match(
      of(isPostgres ? 'database schema' : 'database').message,
      /The next start applies|first start creates/,
    )
    assert.equal(of('language model').status, 'skipped')
    assert.deepEqual(readdirSync(database.folder), [])
  })

  test('reports a DATA_DIR that does not exist, and creates nothing', async () => {
    const folder = join(database.folder, 'typo')
    const { ok, of } = await examine({ ...database, folder }, '--offline')
    assert.equal(ok, false)
    assert.match(of('disk').message, /typo does not exist. Set DATA_DIR/)
    assert.equal(existsSync(folder), false)
  })

  test('describes a healthy installation', async () => {
    await (await startTestServer({ DEMO: 'off' }, database)).stop()
    const { ok, of } = await examine(database, '--offline')
    assert.ok(ok)
    assert.match(of('database').message, isPostgres ? /^PostgreSQL \d/ : /^SQLite 3/)
    assert.equal(of('database schema').message, 'The schema is up to date.')
    assert.match(of('files').message, /can be read and written and belongs to the database \(inst_/)
    assert.match(of('disk').message, /GiB free/)
    assert.equal(of('open files').status === 'failed', false)
    assert.equal(of('language model'), undefined)
    assert.match(of('python').message, noPython ? /not installed for/ : /can run Python/)
    if (isPostgres) assert.match(of('database clock').message, /differs by -?\d{1,3} ms/)
  })

  test('checks the store at BLOB_URL, also before the first start', async () => {
    const empty = await freshDatabase()
    const { code, stdout } = await command(empty, ['doctor', '--json', '--offline'], {
      BLOB_URL: 's3://absent/banyan',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_REGION: 'nowhere',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    })
    assert.equal(code, 1)
    const { checks } = JSON.parse(stdout) as { checks: CheckResult[] }
    assert.equal(checks.find(({ name }) => name === 'files')?.status, 'failed')
    await empty.drop()
  })

  test('reports files whose database was lost, and a database whose files are gone', async () => {
    const other = await freshDatabase()
    const server = await startTestServer({ DEMO: 'off' }, other)
    assert.equal((await server.api.post('files/upload?name=a.txt', 'text')).status, 200)
    await server.stop()
    const empty = await freshDatabase()
    renameSync(join(other.folder, 'files'), join(empty.folder, 'files'))
    const { ok, of } = await examine(empty, '--offline')
    assert.equal(ok, false)
    assert.match(
      of('files').message,
      /belongs to the installation inst_.* is new and knows none of its files/,
    )
    const gone = (await examine(other, '--offline')).of('files')
    assert.deepEqual([gone.status, /does not exist, but/.test(gone.message)], ['failed', true])
    mkdirSync(join(other.folder, 'files'))
    const unknown = (await examine(other, '--offline')).of('files')
    assert.deepEqual([unknown.status, /belongs to no installation/.test(unknown.message)], ['failed', true])
    await Promise.all([other.drop(), empty.drop()])
  })

  test('reports files of another installation, a model that does not answer and a database out of reach', async () => {
    const file = readdirSync(join(database.folder, 'files')).find(name => name.startsWith('installation'))!
    writeFileSync(join(database.folder, 'files', file), 'inst_another')
    process.env['MODEL_BASE_URL'] = 'http://127.0.0.1:1/v1'
    process.env['MODEL_NAME'] = 'absent'
    try {
      const { ok, stderr, of } = await examine()
      assert.equal(ok, false)
      assert.match(stderr, /2 of \d+ checks failed/)
      assert.match(of('files').message, /belongs to the installation inst_another, but the database to inst_/)
      assert.equal(of('language model').status, 'failed')
      const gone = { ...database, url: 'postgres://nobody@127.0.0.1:1/nothing' }
      assert.match(
        (await examine(gone, '--offline')).of('database').message,
        /cannot be reached.*DATABASE_URL/,
      )
    } finally {
      delete process.env['MODEL_BASE_URL']
      delete process.env['MODEL_NAME']
    }
  })
})
