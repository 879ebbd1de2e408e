import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { rounds } from '../support/rounds.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { until } from '../support/watch.ts'

const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills', LOG_LEVEL: 'warn' }
const kills = rounds(1)
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
/** Takes the type from the listing: the server may delete a file before it could be asked for. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/** Lets `work` go on in several loops until the server is killed in the middle of them, after the first success. */
async function killAmid(
  server: ServerProcess,
  loops: number,
  work: (loop: number) => Promise<void>,
): Promise<void> {
  let running = true
  const first = Promise.withResolvers<void>()
  const all = Array.from({ length: loops }, async (_, loop) => {
    while (running)
      try {
        await work(loop)
        first.resolve()
      } catch {
        return
      }
  })
  await Promise.race([first.promise, Promise.all(all)])
  await sleep(Math.random() * 300)
  assert.equal(await server.kill('SIGKILL'), 'SIGKILL')
  running = false
  await Promise.all(all)
}

describe('kill -9', () => {
  let database: FreshDatabase
  before(async () => {
    database = await migratedDatabase()
  })
  after(() => database.drop())

  test('executes a request with an Idempotency-Key once, whether or not its answer arrived', async () => {
    const answers = new Map<string, string>()
    const sent = new Set<string>()
    const create = async (api: ApiClient, key: string): Promise<string> => {
      const headers = { 'idempotency-key': key }
      const answer = await api.post('agent/create', { name: `keyed ${key}` }, { headers })
      assert.equal(answer.status, 200, answer.text)
      return answer.text
    }
    for (let round = 0; round < kills; round++) {
      const server = await spawnServer(database, token)
      const writers = Array.from({ length: 16 }, async (_, writer) => {
        for (let count = 0; ; count++) {
          const key = `${round}-${writer}-${count}`
          sent.add(key)
          const answer = await create(server.api, key).catch((error: unknown) => {
            if (error instanceof assert.AssertionError) throw error
          })
          if (answer === undefined) return
          answers.set(key, answer)
        }
      })
      await sleep(100 + Math.random() * 300)
      assert.equal(await server.kill('SIGKILL'), 'SIGKILL')
      await Promise.all(writers)
    }
    const server = await spawnServer(database, token)
    for (const key of sent) {
      const again = await create(server.api, key)
      assert.equal(again, answers.get(key) ?? again, `another answer for ${key}`)
    }
    const { json } = await server.api.post('agent/list', { keyword: 'keyed' })
    assert.equal(json.data.total, sent.size)
    await server.kill('SIGTERM')
  })

  test('loses no acknowledged update and never mixes two graphs', async t => {
    const newest = new Map<string, number>()
    let acknowledged = new Map<string, string>()
    let sent = new Set<string>()
    let checked = 0

    const check = async ({ api }: ServerProcess): Promise<void> => {
      const current = new Set<string>()
      for (const [id, version] of newest) {
        const { json, text } = await api.get(`workflow?id=${id}`)
        assert.ok(json.data.workflow.version >= version, `${id} went back to ${json.data.workflow.version}`)
        const config = text.slice(text.indexOf('"config":') + 9, text.lastIndexOf(',"created_at"'))
        assert.ok(sent.has(config), 'the current graph is one of those sent')
        current.add(config)
      }
      for (const [place, graph] of acknowledged) {
        const { text } = await api.get(`workflow/version?${place}`)
        assert.ok(text.includes(graph), `${place} was acknowledged but is missing`)
      }
      checked += acknowledged.size
      acknowledged = new Map()
      sent = current
    }

    for (let round = 0; round < kills; round++) {
      const server = await spawnServer(database, token)
      await check(server)
      await killAmid(server, 16, async writer => {
        const id = `w${writer % 8}`
        const graph = `{"nodes":[],"edges":[],"by":${writer},"pad":"${randomBytes(600).toString('hex')}"}`
        sent.add(graph)
        const { json } = await server.api.post('workflow/update', `{"id":"${id}","workflow":${graph}}`, {
          headers: { 'content-type': 'application/json' },
        })
        const { version } = json.data
        newest.set(id, Math.max(version, newest.get(id) ?? 0))
        acknowledged.set(`id=${id}&version=${version}`, graph)
      })
    }
    const server = await spawnServer(database, token)
    await check(server)
    assert.ok(checked >= kills, `only ${checked} updates were acknowledged`)
    assert.equal(await server.kill('SIGTERM'), 0)
    t.diagnostic(`${kills} kills, ${checked} acknowledged updates, none lost`)
  })

  test('loses no acknowledged upload, shows no partial one, and sweeps leftovers', async t => {
    let acknowledged = new Map<string, string>()
    let checked = 0

    /** Every file that is listed is complete, and everything acknowledged is listed. They are deleted, to save space. */
    const check = async ({ api }: ServerProcess): Promise<void> => {
      for (;;) {
        const { items } = (await api.post('files', { page_size: 100 })).json.data
        if (items.length === 0) break
        for (const item of items) {
          const { status, bytes } = await api.bytes(`files/${item.file_id}`)
          assert.deepEqual([status, bytes.length, sha256(bytes)], [200, item.size, item.sha256])
          assert.equal(acknowledged.get(item.file_id) ?? item.sha256, item.sha256)
          if (acknowledged.delete(item.file_id)) checked++
        }
        const file_ids = items.map((item: { file_id: string }) => item.file_id)
        assert.equal((await api.post('files/delete', { file_ids })).json.data.deleted.length, items.length)
      }
      assert.deepEqual([...acknowledged.keys()], [], 'acknowledged files are missing')
    }

    for (let round = 0; round < kills; round++) {
      const server = await spawnServer(database, token)
      await check(server)
      acknowledged = new Map()
      await killAmid(server, 8, async () => {
        const content = randomBytes(Math.floor(Math.random() * 2_000_000))
        const { json } = await server.api.upload('drill.bin', content)
        acknowledged.set(json.data.file_id, sha256(content))
      })
    }
    const temporary = join(database.folder, 'files/tmp')
    const stray = join(database.folder, 'files/blobs/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
    mkdirSync(join(stray, '..'), { recursive: true })
    writeFileSync(stray, 'a blob whose row never came')
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    utimesSync(stray, longAgo, longAgo)
    for (const path of filesBelow(temporary)) utimesSync(path, longAgo, longAgo)

    const server = await spawnServer(database, token)
    await check(server)
    assert.ok(checked > 0, 'no upload was acknowledged')
    await until('leftovers are swept', async () => filesBelow(temporary).length === 0 && !existsSync(stray))
    assert.ok(existsSync(stray.replace('/blobs/', '/quarantine/')), 'it can be brought back for a week')
    assert.equal(await server.kill('SIGTERM'), 0)
    t.diagnostic(`${kills} kills, ${checked} acknowledged uploads, none lost`)
  })
})
