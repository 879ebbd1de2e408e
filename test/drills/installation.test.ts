import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { openAdapters } from '../../src/app/adapters.ts'
import { readConfig } from '../../src/config/config.ts'
import { OrphanSweep } from '../../src/files/orphan-sweep.ts'
import { runBanyan } from '../cli/run-banyan.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { operatorToken, startTestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

const token = { BOOTSTRAP_TOKEN: operatorToken }
const contentOf = (number: number): string => `content of file ${number}`

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/** Makes everything look older than the time after which blobs without a row are orphans. */
function age(paths: string[]): void {
  const longAgo = new Date(Date.now() - 3 * 3_600_000)
  for (const path of paths) utimesSync(path, longAgo, longAgo)
}

describe('database and files that do not belong together', () => {
  let database: FreshDatabase
  let other: FreshDatabase
  let fileIds: string[]
  const blobs = () => filesBelow(join(database.folder, 'files/blobs'))
  const quarantine = () => filesBelow(join(database.folder, 'files/quarantine'))

  /** The same folder with an empty database: a lost banyan.db, or another DATABASE_URL. */
  const withEmptyDatabase = (): FreshDatabase => ({ ...other, folder: database.folder })
  const hideDatabase = (): void => {
    for (const name of readdirSync(database.folder))
      if (name.startsWith('banyan.db')) renameSync(join(database.folder, name), join(other.folder, name))
  }
  const restoreDatabase = (): void => {
    for (const name of readdirSync(database.folder))
      if (name.startsWith('banyan.db')) rmSync(join(database.folder, name))
    for (const name of readdirSync(other.folder))
      renameSync(join(other.folder, name), join(database.folder, name))
  }
  const servesAll = async (server: ServerProcess): Promise<void> => {
    for (const [number, id] of fileIds.entries())
      assert.equal((await server.api.bytes(`files/${id}`)).bytes.toString(), contentOf(number))
  }
  const refused = (given: FreshDatabase, environment: Record<string, string> = {}): Promise<string> =>
    spawnServer(given, { ...token, LOG_LEVEL: 'silent', ...environment }).then(
      () => assert.fail('the server started'),
      (error: Error) => {
        assert.match(error.message, /^The server ended with 1:\n/)
        assert.equal(error.message.trim().split('\n').length, 2, `one line: ${error.message}`)
        return error.message
      },
    )

  beforeEach(async () => {
    database = await migratedDatabase()
    other = await freshDatabase()
    const server = await startTestServer({}, database)
    fileIds = []
    for (let number = 0; number < 20; number++)
      fileIds.push((await server.api.upload(`${number}.txt`, contentOf(number))).json.data.file_id)
    await server.stop()
    age(blobs())
  })
  afterEach(async () => {
    await database.drop()
    await other.drop()
  })

  test('refuses to start with an empty database, and deletes nothing', async () => {
    hideDatabase()
    const before = blobs()
    assert.equal(before.length, 20)
    const id = readFileSync(join(database.folder, 'files/installation-id'), 'utf8').trim()
    for (const attempt of [1, 2]) {
      const message = await refused(withEmptyDatabase())
      assert.ok(message.includes(id) && message.includes(join(database.folder, 'files')), message)
      assert.match(message, /DATABASE_URL.*files adopt --yes/, `attempt ${attempt}`)
    }
    assert.deepEqual(blobs(), before)
    restoreDatabase()
    const server = await spawnServer(database, token)
    await servesAll(server)
    await server.kill('SIGTERM')
  })

  test('refuses a second database, even while there are no files', async t => {
    const own = await freshDatabase()
    t.after(() => own.drop())
    const first = await spawnServer(own, token)
    await first.kill('SIGTERM')
    for (const name of readdirSync(own.folder))
      if (name.startsWith('banyan.db')) rmSync(join(own.folder, name))
    assert.match(await refused({ ...other, folder: own.folder }), /is new/)
  })

  test('starts after a crash of the first start between the id of the database and that of the files', async t => {
    const own = await freshDatabase()
    t.after(() => own.drop())
    const first = await spawnServer(own, token)
    await first.kill('SIGTERM')
    rmSync(join(own.folder, 'files/installation-id'))
    const second = await spawnServer(own, token)
    await second.kill('SIGTERM')
    assert.match(readFileSync(join(own.folder, 'files/installation-id'), 'utf8'), /^inst_/)
  })

  test('refuses to start when DATABASE_URL is forgotten, and commands refuse, too', async t => {
    if (!database.url) return t.skip('needs PostgreSQL')
    assert.match(await refused(database, { DATABASE_URL: '' }), /banyan\.db is new/)
    const { code, stderr } = await runBanyan({ ...database, url: undefined }, ['token', 'list'])
    assert.equal(code, 1)
    assert.match(stderr, /belong to the installation/)
    assert.equal(blobs().length, 20)
  })

  test('refuses to start with an empty folder, such as a disk that is not mounted', async t => {
    if (!database.url) return t.skip('needs PostgreSQL')
    const folder = await mkdtemp(join(tmpdir(), 'banyan-test-'))
    t.after(() => rm(folder, { recursive: true }))
    assert.match(await refused({ ...database, folder }), /have no installation id, but the database/)
  })

  test('refuses the files of another installation', async () => {
    const server = await startTestServer({}, other)
    await server.api.upload('other.txt', 'other')
    await server.stop()
    renameSync(join(other.folder, 'files'), join(other.folder, 'own'))
    renameSync(join(database.folder, 'files'), join(other.folder, 'files'))
    const ids = ['own', 'files'].map(name =>
      readFileSync(join(other.folder, name, 'installation-id'), 'utf8').trim(),
    )
    const message = await refused(other)
    for (const id of ids) assert.ok(message.includes(id), message)
  })

  test('gives an installation of an older version one id on both sides', async () => {
    rmSync(join(database.folder, 'files/installation-id'))
    const opened = await openDatabase(database)
    await opened.transaction(transaction => transaction.run('DELETE FROM installation'))
    await opened.close()
    for (const start of [1, 2]) {
      const server = await spawnServer(database, token)
      await servesAll(server)
      await server.kill('SIGTERM')
      assert.match(
        readFileSync(join(database.folder, 'files/installation-id'), 'utf8'),
        /^inst_\S{22}\n$/,
        `start ${start}`,
      )
    }
    assert.equal(blobs().length, 20)
  })

  test('reports where the files were moved, and does not suggest to adopt the remaining ones', async () => {
    writeFileSync(join(database.folder, 'files/installation-id'), 'moved to s3://bucket/prefix')
    const message = await refused(database)
    assert.match(message, /files were moved to s3:\/\/bucket\/prefix\. Nothing was changed\. Set BLOB_URL/)
    assert.doesNotMatch(message, /adopt/)
  })

  test('moves unknown files of an adopted folder to the quarantine, and back when their rows return', async () => {
    hideDatabase()
    const empty = withEmptyDatabase()
    assert.equal((await runBanyan(empty, ['files', 'adopt'])).code, 2)
    assert.equal((await runBanyan(empty, ['files', 'adopt', '--yes'])).code, 0)
    const adopter = await spawnServer(empty, token)
    await until('the files are in quarantine', async () => quarantine().length === 20)
    await until('the sweep is logged', async () => /"quarantined":20/.test(adopter.output()))
    await adopter.kill('SIGTERM')
    assert.equal(blobs().length, 0)

    restoreDatabase()
    assert.match(await refused(database), /belong to the installation/)
    assert.equal((await runBanyan(database, ['files', 'adopt', '--yes'])).code, 0)
    const server = await spawnServer(database, token)
    await until('the files are back', async () => blobs().length === 20)
    await until('that is logged', async () => /"restored":20/.test(server.output()))
    await servesAll(server)
    await server.kill('SIGTERM')
  })

  test('deletes orphans a week after they were moved to the quarantine', async () => {
    const key = 'ab'.repeat(16)
    const place = join(database.folder, 'files/quarantine/ab')
    mkdirSync(place, { recursive: true })
    for (const [name, days] of [
      [key, 8],
      ['ab'.repeat(15).concat('cd'), 6],
    ] as const) {
      writeFileSync(join(place, name), 'orphan')
      const time = new Date(Date.now() - days * 86_400_000)
      utimesSync(join(place, name), time, time)
    }
    const again = await spawnServer(database, token)
    await until('the old orphan is deleted', async () => /"deleted":1/.test(again.output()))
    assert.equal(quarantine().length, 1)
    await again.kill('SIGTERM')
  })

  test('does not sweep a folder that another database adopted after the start', async t => {
    const config = readConfig({ DATA_DIR: database.folder, DATABASE_URL: database.url, LOG_LEVEL: 'silent' })
    const adapters = await openAdapters(config)
    t.after(() => adapters.close())
    const { signal } = new AbortController()
    const sweep = new OrphanSweep({ ...adapters, files: adapters.stores.files })
    await adapters.database.transaction(transaction => transaction.run('DELETE FROM blobs'))
    writeFileSync(join(database.folder, 'files/installation-id'), 'inst_of_another_database\n')
    await assert.rejects(sweep.run(signal), /inst_of_another_database/)
    assert.equal(blobs().length, 20)
  })
})
