import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { everything } from '../backup/everything.ts'
import type { ApiClient } from '../support/api-client.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { spawnServer } from '../support/server-process.ts'
import { until } from '../support/watch.ts'
import { runBanyan } from './run-banyan.ts'

const token = 'operator-token-of-the-load'
const settings = { BOOTSTRAP_TOKEN: token, LOG_LEVEL: 'silent' }

const upload = async (api: ApiClient, name: string, bytes: number): Promise<string> => {
  const { json, text } = await api.upload(name, randomBytes(bytes))
  assert.equal(json?.code, 0, text)
  return json.data.file_id
}

/** Writes and deletes without a pause until it is stopped, and counts the iterations. */
function load(api: ApiClient, doomed: string[]) {
  let isOver = false
  let turns = 0
  const forever = async (work: (turn: number) => Promise<unknown>): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      await work(turn)
      turns++
    }
  }
  const update = (id: string) => (turn: number) =>
    api.post('workflow/update', { id, workflow: { nodes: [], edges: [], turn, fill: 'x'.repeat(5000) } })
  const workers = [
    ...['busy-1', 'busy-2', 'busy-3'].map(id => forever(update(id))),
    forever(async turn => {
      await update(`short-${turn}`)(turn)
      await api.post('workflow/delete', { id: `short-${turn}` })
    }),
    ...[0, 1].map(() =>
      forever(async turn => {
        const id = await upload(api, `fleeting-${turn}`, 50_000)
        await api.post('files/delete', { file_ids: [id] })
      }),
    ),
    forever(async () => {
      const id = doomed.pop()
      if (id) await api.post('files/delete', { file_ids: [id] })
      else await upload(api, 'another', 1000)
    }),
  ]
  return {
    turns: () => turns,
    stop: () => {
      isOver = true
      return Promise.all(workers)
    },
  }
}

test('a backup is consistent under concurrent writes and deletes at full speed', async () => {
  const database = await migratedDatabase()
  const elsewhere = await freshDatabase()
  const server = await spawnServer(database, settings)
  try {
    const kept = new Map<string, string>()
    for (let count = 0; count < 30; count++) {
      const content = randomBytes(20_000 + count)
      const { json } = await server.api.upload(`kept-${count}`, content)
      kept.set(json.data.file_id, createHash('sha256').update(content).digest('hex'))
      await server.api.post('workflow/update', {
        id: `kept-${count}`,
        workflow: { nodes: [], edges: [], count },
      })
    }
    const doomed: string[] = []
    for (let count = 0; count < 200; count++)
      doomed.push(await upload(server.api, `doomed-${count}`, 100_000))

    const { turns, stop } = load(server.api, doomed)
    await until('the load is under way', async () => turns() > 20)
    const before = turns()
    const file = join(database.folder, 'busy.tar')
    const made = await runBanyan(database, ['backup', file, '--json'])
    assert.ok(turns() - before > 20, `there was load: ${turns() - before} iterations`)
    await stop()
    assert.equal(made.code, 0, made.stderr)
    assert.deepEqual(JSON.parse(made.stdout).damaged, [])

    const done = await runBanyan(elsewhere, ['restore', file, '--json'])
    assert.equal(done.code, 0, done.stderr)
    assert.equal(JSON.parse(done.stdout).files_left_out, JSON.parse(made.stdout).vanished.length)
    const second = await spawnServer(elsewhere, settings)
    try {
      const { workflows, files } = await everything(second.api)
      for (const { workflow, current, versions } of workflows) {
        const id = (workflow as { id: string }).id
        assert.equal(JSON.parse(current).data.exist, true, `${id} has its current version`)
        assert.ok(
          versions.every(text => JSON.parse(text).code === 0),
          `${id} has its history`,
        )
      }
      assert.ok(
        files.every(each => each.status === 200 && each.isRight),
        'every file reads back',
      )
      const found = new Map(files.map(each => [(each as { file_id?: string }).file_id, each]))
      for (const [id, sha256] of kept)
        assert.equal((found.get(id) as { sha256?: string } | undefined)?.sha256, sha256)
      const ids = new Set(workflows.map(({ workflow }) => workflow['id']))
      for (let count = 0; count < 30; count++) assert.ok(ids.has(`kept-${count}`))
    } finally {
      await second.kill('SIGTERM')
    }
  } finally {
    await server.kill('SIGTERM')
    await database.drop()
    await elsewhere.drop()
  }
})
