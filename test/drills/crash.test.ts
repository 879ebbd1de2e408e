import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../support/api-client.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { rounds } from '../support/rounds.ts'
import { spawnServer } from '../support/server-process.ts'

const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills', LOG_LEVEL: 'warn' }
const kills = rounds(2)
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
/** Takes the type from the listing: the server may delete a file before it could be asked for. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

async function until(condition: () => boolean, milliseconds = 15_000): Promise<void> {
  const giveUpAt = Date.now() + milliseconds
  while (!condition()) {
    if (Date.now() > giveUpAt) assert.fail('the condition was not met in time')
    await sleep(50)
  }
}

describe('kill -9', () => {
  let database: FreshDatabase
  before(async () => {
    database = await freshDatabase()
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

  test('loses no acknowledged update and never mixes two graphs', async () => {
    const acknowledged = new Map<string, Map<number, string>>()
    const sent = new Map<string, Set<string>>()
    for (let round = 0; round < kills; round++) {
      const server = await spawnServer(database, token)
      let running = true
      const writers = Array.from({ length: 16 }, async (_, writer) => {
        const id = `w${writer % 8}`
        while (running) {
          const graph = `{"nodes":[],"edges":[],"by":${writer},"pad":"${randomBytes(600).toString('hex')}"}`
          sent.set(id, (sent.get(id) ?? new Set()).add(graph))
          try {
            const body = `{"id":"${id}","workflow":${graph}}`
            const { json } = await server.api.post('workflow/update', body, {
              headers: { 'content-type': 'application/json' },
            })
            const versions = acknowledged.get(id) ?? new Map<number, string>()
            versions.set(json.data.version, graph)
            acknowledged.set(id, versions)
          } catch {
            return
          }
        }
      })
      await sleep(100 + Math.random() * 300)
      assert.equal(await server.kill('SIGKILL'), 'SIGKILL')
      running = false
      await Promise.all(writers)
    }
    const server = await spawnServer(database, token)
    let checked = 0
    for (const [id, versions] of acknowledged) {
      const current = await server.api.get(`workflow?id=${id}`)
      assert.ok(current.json.data.workflow.version >= Math.max(...versions.keys()))
      const config = current.text.slice(
        current.text.indexOf('"config":') + 9,
        current.text.lastIndexOf(',"created_at"'),
      )
      assert.ok(sent.get(id)!.has(config), 'the current graph is one of those sent')
      for (const [version, graph] of versions) {
        const { text } = await server.api.get(`workflow/version?id=${id}&version=${version}`)
        assert.ok(text.includes(graph), `${id} version ${version} was acknowledged but is missing`)
        checked++
      }
    }
    assert.ok(checked > kills, `only ${checked} updates were acknowledged`)
    assert.equal(await server.kill('SIGTERM'), 0)
  })

  test('loses no acknowledged upload, shows no partial one, and sweeps leftovers', async () => {
    const acknowledged = new Map<string, string>()
    for (let round = 0; round < kills; round++) {
      const server = await spawnServer(database, token)
      let running = true
      const writers = Array.from({ length: 8 }, async () => {
        while (running) {
          const content = randomBytes(Math.floor(Math.random() * 2_000_000))
          try {
            const { json } = await server.api.upload('drill.bin', content)
            acknowledged.set(json.data.file_id, sha256(content))
          } catch {
            return
          }
        }
      })
      await sleep(100 + Math.random() * 300)
      await server.kill('SIGKILL')
      running = false
      await Promise.all(writers)
    }
    const temporary = join(database.folder, 'files/tmp')
    const stray = join(database.folder, 'files/blobs/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
    mkdirSync(join(stray, '..'), { recursive: true })
    writeFileSync(stray, 'a blob whose row never came')
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    utimesSync(stray, longAgo, longAgo)
    for (const path of filesBelow(temporary)) utimesSync(path, longAgo, longAgo)

    const server = await spawnServer(database, token)
    const listed = (await server.api.post('files', {})).json.data.total
    assert.ok(listed >= acknowledged.size)
    for (const [id, expected] of acknowledged) {
      const { status, bytes } = await server.api.bytes(`files/${id}`)
      assert.deepEqual([status, sha256(bytes)], [200, expected], `${id} was acknowledged`)
    }
    let page = 1
    for (let seen = 0; seen < listed; page++) {
      const { items } = (await server.api.post('files', { page, page_size: 100 })).json.data
      for (const item of items) {
        const { bytes } = await server.api.bytes(`files/${item.file_id}`)
        assert.deepEqual([bytes.length, sha256(bytes)], [item.size, item.sha256], 'listed files are complete')
      }
      seen += items.length
    }
    await until(() => filesBelow(temporary).length === 0 && !existsSync(stray))
    assert.equal(await server.kill('SIGTERM'), 0)
  })
})
