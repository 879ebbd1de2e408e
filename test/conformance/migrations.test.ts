import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { migrate } from '../../src/adapters/sql/migrate.ts'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { Database } from '../../src/database/database.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

const isPostgres = process.env['TEST_DATABASE_URL'] !== undefined
const migratingProcess = join(import.meta.dirname, '../support/migrating-process.ts')

/** Takes long enough to be killed in the middle. */
const slowStatement = isPostgres
  ? 'CREATE TABLE slow AS SELECT pg_sleep(3)::text AS slept'
  : `CREATE TABLE slow AS WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 3000000)
     SELECT count(*) AS total FROM n`

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > giveUpAt) assert.fail('the condition was not met in time')
    await sleep(20)
  }
}

/** Collects what a migration logs. */
class Log {
  readonly warnings: { message: string; holder?: { statement: string } }[] = []
  info(): void {}
  warn(details: object, message: string): void {
    this.warnings.push({ ...details, message })
  }
}

describe('migrations', () => {
  let fresh: FreshDatabase
  let database: Database
  let folder: string
  const write = (name: string, sql: string): void => writeFileSync(join(folder, name), sql)
  const migrateHere = (log = new Log()): Promise<void> =>
    migrate(database, log, pathToFileURL(join(fresh.folder, 'migrations/')))
  const applied = async (): Promise<string[]> =>
    (await database.all<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')).map(
      row => row.name,
    )
  const hasTable = async (name: string): Promise<boolean> =>
    database.all(`SELECT 1 AS one FROM ${name}`).then(
      () => true,
      () => false,
    )

  before(async () => {
    fresh = await freshDatabase()
    database = await openDatabase(fresh)
    folder = join(fresh.folder, 'migrations', database.dialect)
  })
  beforeEach(async () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await database.transaction(async transaction => {
      await transaction.run('DELETE FROM schema_migrations')
      for (const table of ['one', 'two', 'slow']) await transaction.run(`DROP TABLE IF EXISTS ${table}`)
    })
  })
  after(async () => {
    await database.close()
    await fresh.drop()
  })

  test('are committed one by one, so that a failure loses only its own', async () => {
    write('0001_one.sql', 'CREATE TABLE one (x BIGINT);\n')
    write('0002_two.sql', 'CREATE TABLE two (x BIGINT);\nINSERT INTO absent VALUES (1);\n')
    await assert.rejects(migrateHere(), /absent/)
    assert.deepEqual(await applied(), ['0001_one.sql'])
    assert.equal(await hasTable('two'), false, 'what failed is undone as a whole')

    write('0002_two.sql', 'CREATE TABLE two (x BIGINT);\n')
    await migrateHere()
    assert.deepEqual(await applied(), ['0001_one.sql', '0002_two.sql'])
  })

  test('are applied when one with a smaller number arrives later', async () => {
    write('0002_two.sql', 'CREATE TABLE two (x BIGINT);\n')
    await migrateHere()
    write('0001_one.sql', 'CREATE TABLE one (x BIGINT);\n')
    await migrateHere()
    assert.deepEqual(await applied(), ['0001_one.sql', '0002_two.sql'])
    assert.equal(await hasTable('one'), true)
  })

  test('continue where kill -9 interrupted them', async () => {
    write('0001_one.sql', 'CREATE TABLE one (x BIGINT);\n')
    write('0002_slow.sql', `CREATE TABLE two (x BIGINT);\n${slowStatement};\n`)
    const child = spawn(
      process.execPath,
      [migratingProcess, fresh.url ?? '', fresh.folder, join(fresh.folder, 'migrations/')],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    )
    const ended = once(child, 'exit')
    await until(async () => (await applied()).length > 0)
    child.kill('SIGKILL')
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    assert.deepEqual(await applied(), ['0001_one.sql'])

    await migrateHere()
    assert.deepEqual(await applied(), ['0001_one.sql', '0002_slow.sql'])
    assert.equal(await hasTable('slow'), true)
  })

  test('wait for another process and keep reporting it', async () => {
    write('0001_one.sql', 'CREATE TABLE one (x BIGINT);\n')
    const log = new Log()
    const release = await holdLock(fresh)
    const done = migrateHere(log)
    await until(() => log.warnings.length >= 2)
    assert.deepEqual(await applied(), [])
    await release()
    await done
    assert.deepEqual(await applied(), ['0001_one.sql'])
    assert.match(log.warnings[0]!.message, /^Another process is migrating the database; waiting/)
    if (isPostgres) assert.match(log.warnings[0]!.holder!.statement, /pg_advisory_lock/)
  })

  describe('on PostgreSQL', {
    skip: !isPostgres && 'SQLite has no timeouts and no concurrent builds',
  }, () => {
    const buildIndex = 'CREATE INDEX CONCURRENTLY one_by_x ON one (x);\n'
    const isValid = async (): Promise<boolean | undefined> =>
      (
        await database.get<{ valid: boolean }>(
          `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('one_by_x')`,
        )
      )?.valid
    /** An open transaction that wrote to the table: an index build has to wait for its end. */
    const openWriter = async (): Promise<pg.Client> => {
      const client = await connect(fresh)
      await client.query('BEGIN; INSERT INTO one VALUES (1)')
      return client
    }

    test('are not limited by the statement timeout of the database', async () => {
      const name = new URL(fresh.url!).pathname.slice(1)
      await database.transaction(transaction =>
        transaction.run(`ALTER DATABASE ${name} SET statement_timeout = '100ms'`),
      )
      write('0001_one.sql', 'CREATE TABLE one (x BIGINT);\nSELECT pg_sleep(0.5);\n')
      write('0002_index.sql', buildIndex)
      await migrateHere()
      assert.deepEqual(await applied(), ['0001_one.sql', '0002_index.sql'])
      await database.transaction(transaction =>
        transaction.run(`ALTER DATABASE ${name} RESET statement_timeout`),
      )
    })

    test('build indexes beside writes, and build an interrupted index again', async () => {
      write('0001_one.sql', 'CREATE TABLE one (x BIGINT);\n')
      await migrateHere()
      write('0002_index.sql', buildIndex)
      const writer = await openWriter()
      const interrupted = assert.rejects(migrateHere(), { reason: 'unavailable' })
      await until(async () => (await isValid()) === false)
      await database.transaction(transaction => transaction.run('INSERT INTO one VALUES (2)'))
      await writer.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY one%'`,
      )
      await interrupted
      await writer.query('COMMIT')
      await writer.end()
      assert.equal(await isValid(), false, 'the interrupted build left its index behind')
      assert.deepEqual(await applied(), ['0001_one.sql'])

      await migrateHere()
      assert.equal(await isValid(), true)
      assert.deepEqual(await applied(), ['0001_one.sql', '0002_index.sql'])
    })

    test('of several processes do not deadlock while one builds an index', async () => {
      write('0001_one.sql', 'CREATE TABLE one (x BIGINT);\n')
      await migrateHere()
      write('0002_index.sql', buildIndex)
      const writer = await openWriter()
      const logs = [new Log(), new Log(), new Log()]
      const all = Promise.all(logs.map(migrateHere))
      await until(() => logs.filter(log => log.warnings.length > 0).length === 2)
      await writer.query('COMMIT')
      await writer.end()
      await all
      assert.equal(await isValid(), true)
    })

    test('are rejected if they mix concurrent builds with other statements', async () => {
      write('0001_one.sql', `CREATE TABLE one (x BIGINT);\n${buildIndex}`)
      await assert.rejects(migrateHere(), /mixes CREATE INDEX CONCURRENTLY/)
      assert.deepEqual(await applied(), [])
    })
  })
})

async function connect({ url }: FreshDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** Holds the lock as a migrating process does, until the returned function is called. */
async function holdLock(fresh: FreshDatabase): Promise<() => Promise<void>> {
  if (fresh.url) {
    const client = await connect(fresh)
    await client.query('SELECT pg_advisory_lock(7236140)')
    return () => client.end()
  }
  const connection = new DatabaseSync(join(fresh.folder, 'banyan.db'))
  connection.exec('BEGIN IMMEDIATE')
  return async () => {
    connection.exec('COMMIT')
    connection.close()
  }
}
