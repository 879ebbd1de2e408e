import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { spawnServer } from '../support/server-process.ts'

const isPostgres = process.env['TEST_DATABASE_URL'] !== undefined
/** Mounts a file system on DATA_DIR that only the server sees. */
const mounted = (mount: string): string[] => ['unshare', '-Urm', 'sh', '-c', `${mount} && exec "$@"`, 'sh']
const canMount = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
const needsMount = canMount ? false : 'no file system can be mounted here'

describe('a start that cannot succeed', () => {
  let database: FreshDatabase
  beforeEach(async () => {
    database = await freshDatabase()
  })
  afterEach(() => database.drop())

  /** Ends with exit code 1 and one line on standard error. */
  const refused = async (
    because: RegExp,
    environment: Record<string, string> = {},
    wrapper: string[] = [],
  ): Promise<void> => {
    const error = await spawnServer(database, { LOG_LEVEL: 'silent', ...environment }, wrapper).then(
      async server => {
        await server.kill('SIGKILL')
        return assert.fail('the server started')
      },
      (reason: Error) => reason,
    )
    assert.match(error.message, /^The server ended with 1:\n/)
    assert.match(error.message, because)
    assert.equal(error.message.trim().split('\n').length, 2, error.message)
  }
  const startOnce = async (): Promise<void> => {
    const server = await spawnServer(database)
    await server.kill('SIGTERM')
  }

  describe('SQLite', { skip: isPostgres }, () => {
    test('a file that is not a database', async () => {
      writeFileSync(join(database.folder, 'banyan.db'), 'not a database '.repeat(1000))
      await refused(/banyan\.db is not a SQLite database/)
    })

    test('a damaged database', async () => {
      await startOnce()
      truncateSync(join(database.folder, 'banyan.db'), 8192)
      await refused(/banyan\.db is damaged/)
    })

    test('a lost database whose last changes are in its log', async () => {
      const server = await spawnServer(database)
      await server.kill('SIGKILL')
      const [path, lost] = ['banyan.db', 'lost.db'].map(name => join(database.folder, name)) as [
        string,
        string,
      ]
      renameSync(path, lost)
      await refused(/banyan\.db is missing, but banyan\.db-wal has its last changes/)
      writeFileSync(path, '')
      await refused(/banyan\.db is empty, but banyan\.db-wal has its last changes/)
      renameSync(lost, path)
      await startOnce()
    })

    test('a file in place of the data folder', async () => {
      database = { ...database, folder: join(database.folder, 'file') }
      writeFileSync(database.folder, '')
      await refused(/file cannot be used \(EEXIST\)|\(ENOTDIR\)/)
    })

    test('a folder that cannot exist', { skip: existsSync('/proc') ? false : 'there is no /proc' }, () =>
      refused(/\/proc\/nowhere cannot be used \(ENOENT\)\. Check DATA_DIR/, { DATA_DIR: '/proc/nowhere' }),
    )

    test('a full disk', { skip: needsMount }, () =>
      refused(/disk is full/, {}, mounted('mount -t tmpfs -o size=64k tmpfs "$DATA_DIR"')),
    )

    test('a read-only disk, empty or used', { skip: needsMount }, async () => {
      await refused(/cannot be opened/, {}, mounted('mount -t tmpfs -o ro tmpfs "$DATA_DIR"'))
      await startOnce()
      await refused(
        /(is read-only|cannot be opened)\. Check/,
        {},
        mounted('mount --bind "$DATA_DIR" "$DATA_DIR" && mount -o remount,bind,ro "$DATA_DIR"'),
      )
    })
  })

  test('a newer database, and one of a changed version', async () => {
    const opened = await openDatabase(database)
    const run = (sql: string) => opened.transaction(transaction => transaction.run(sql))
    await run("INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ('9999_later.sql', 'x', 1)")
    await refused(/created by a newer version \(migration 9999_later\.sql\)\. Start that version/)
    await run("DELETE FROM schema_migrations WHERE name = '9999_later.sql'")
    await run("UPDATE schema_migrations SET checksum = 'x' WHERE name = '0001_foundation.sql'")
    await opened.close()
    await refused(/Migration 0001_foundation\.sql was changed/)
  })

  test('an address that does not exist on this machine', () =>
    refused(/cannot listen on this address \(.*EADDRNOTAVAIL.*\)\. Check HOST/, { HOST: '192.0.2.1' }))

  test('an unreachable database server', () =>
    refused(/The database shop at 127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)\. Check DATABASE_URL/, {
      DATABASE_URL: 'postgres://banyan:secret@127.0.0.1:9/shop',
    }))

  describe('PostgreSQL', { skip: !isPostgres }, () => {
    const url = (change: (url: URL) => void): Record<string, string> => {
      const changed = new URL(database.url!)
      change(changed)
      return { DATABASE_URL: changed.href }
    }

    test('a database that does not exist', () =>
      refused(
        /The database nowhere at \S+ does not exist/,
        url(changed => {
          changed.pathname = '/nowhere'
        }),
      ))

    test('a user that is not known', () =>
      refused(
        /rejected the (user|password)/,
        url(changed => {
          changed.username = 'nobody_here'
          changed.password = 'wrong'
        }),
      ))
  })
})
