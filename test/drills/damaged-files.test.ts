import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { runBanyan } from '../cli/run-banyan.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { documentOf, until } from '../support/watch.ts'

const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills' }

describe('damaged files', () => {
  let database: FreshDatabase
  let server: ServerProcess
  before(async () => {
    database = await migratedDatabase()
    server = await spawnServer(database, token)
  })
  after(async () => {
    await server.kill('SIGKILL')
    await database.drop()
  })

  const blobWith = (content: Uint8Array): string => {
    const folder = join(database.folder, 'files/blobs')
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
    return paths.find(path => readFileSync(path).equals(content)) ?? assert.fail('there is no such blob')
  }
  const damage = (path: string, at = 1000): void => {
    const file = openSync(path, 'r+')
    writeSync(file, 'DAMAGE', at)
    closeSync(file)
  }
  const upload = async (content: Uint8Array): Promise<string> =>
    (await dataOf(server.api.upload('a.bin', content))).file_id
  const range = (id: string, bytes: string) =>
    server.api.bytes(`files/${id}`, { headers: { range: `bytes=${bytes}` } })

  test('serves no range of a damaged file, and repairs it when it is uploaded again', async () => {
    const content = randomBytes(600_000)
    const id = await upload(content)
    assert.deepEqual((await range(id, '990-1010')).bytes, content.subarray(990, 1011))
    damage(blobWith(content))
    for (const bytes of ['990-1010', '500000-500010', '-5'])
      assert.equal((await range(id, bytes)).status, 500)
    await assert.rejects(server.api.bytes(`files/${id}`), 'the whole file breaks off before its end')

    const again = await upload(content)
    for (const file of [id, again]) {
      assert.deepEqual((await server.api.bytes(`files/${file}`)).bytes, content)
      assert.deepEqual((await range(file, '990-1010')).bytes, content.subarray(990, 1011))
    }
  })

  test('repairs a lost file when it is uploaded again, and leaves nothing behind', async () => {
    const content = randomBytes(5000)
    const id = await upload(content)
    rmSync(blobWith(content))
    assert.equal((await range(id, '0-1')).status, 500)
    await upload(content)
    assert.deepEqual((await range(id, '0-1')).bytes, content.subarray(0, 2))
    assert.deepEqual(readdirSync(join(database.folder, 'files/tmp')), [])
  })

  test('reports a damaged document as damaged, and processes it after the repair', async () => {
    const content = Buffer.from(`# Tea\n\n${'Green tea is brewed at 80 degrees.\n'.repeat(200)}`)
    const { file_id: id } = await dataOf(server.api.upload('tea.md', content))
    damage(blobWith(content))
    const knowledge = await makeBase(server.api)
    await dataOf(server.api.post(`knowledge/${knowledge}`, { file_ids: [id] }))
    await whenIngested(server.api, knowledge)
    assert.equal((await documentOf(server.api, knowledge, id)).error.code, 'file_damaged')
    await dataOf(server.api.upload('tea.md', content))
    await dataOf(server.api.post(`knowledge/${knowledge}/rebind`, { file_ids: [id] }))
    await whenIngested(server.api, knowledge)
    assert.equal((await documentOf(server.api, knowledge, id)).status, 'ready')
  })

  test('scrub finds damaged and missing contents; metrics and status report them until they are repaired', async () => {
    const contents = [randomBytes(3000), randomBytes(3000), randomBytes(3000)] as const
    const ids = [await upload(contents[0]), await upload(contents[1]), await upload(contents[2])]
    const scrub = async () => {
      const { code, stdout, stderr } = await runBanyan(database, ['scrub', '--json'])
      return { code, stderr, ...JSON.parse(stdout) }
    }
    const status = async () => (await dataOf(server.api.get('server'))).damaged_files
    const clean = await scrub()
    assert.deepEqual([clean.code, clean.items, clean.orphaned, clean.quarantined], [0, [], 0, 0])
    damage(blobWith(contents[0]))
    rmSync(blobWith(contents[1]))
    const found = await scrub()
    assert.equal(found.code, 1)
    assert.match(found.stderr, /^2 of \d+ stored contents are missing or damaged/)
    const named = found.items.map((item: { problem: string; files: { id: string }[] }) => [
      item.files[0]?.id,
      item.problem,
    ])
    assert.deepEqual(Object.fromEntries(named), { [ids[0]!]: 'damaged', [ids[1]!]: 'missing' })
    assert.equal(await status(), 2)
    assert.match((await server.api.get('/metrics')).text, /^banyan_files_damaged 2$/m)
    const text = await runBanyan(database, ['scrub'])
    assert.match(text.stdout, new RegExp(`^damaged +default +${ids[0]}`, 'm'))

    for (const content of contents) await upload(content)
    assert.equal(await status(), 0)
    assert.equal((await scrub()).code, 0)
  })

  test('the server finds damage by itself after a restart, and logs it', async () => {
    const content = randomBytes(70_000)
    const id = await upload(content)
    await server.kill('SIGTERM')
    damage(blobWith(content))
    // A new round is due when the last one began a day ago.
    const opened = await openDatabase(database)
    await opened.transaction(transaction => transaction.run('UPDATE installation SET scrub_started_at = 0'))
    await opened.close()
    server = await spawnServer(database, token)
    await until('the damage is logged', async () => server.output().includes(`"file_ids":["${id}"`))
    assert.equal((await dataOf(server.api.get('server'))).damaged_files, 1)
    await upload(content)
  })
})
