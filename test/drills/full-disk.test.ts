import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type ApiAnswer, apiClient } from '../support/api-client.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { dataOf } from '../support/knowledge.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { until } from '../support/watch.ts'

const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills' }
/** Mounts a small disk on DATA_DIR that only the server sees, and starts it again whenever it ends. */
const script =
  'mount -t tmpfs -o size=32m tmpfs "$DATA_DIR" && while "$@" & echo "server=$!"; wait $!; do :; done'
const onSmallDisk = ['unshare', '-Urm', 'sh', '-c', script, 'sh']
const canMount =
  spawnSync(onSmallDisk[0]!, [...onSmallDisk.slice(1), 'false'], {
    env: { ...process.env, DATA_DIR: '/mnt' },
  }).status === 0
const isPostgres = process.env['TEST_DATABASE_URL'] !== undefined

describe('a full disk', { skip: canMount ? false : 'no file system can be mounted here' }, () => {
  let database: FreshDatabase
  let server: ServerProcess
  before(async () => {
    database = await freshDatabase()
    server = await spawnServer(database, token, onSmallDisk)
  })
  after(async () => {
    // A killed server is not started again.
    process.kill(serverPid(), 'SIGKILL')
    await server.ended
    await database.drop()
  })
  const serverPid = (): number => Number([...server.output().matchAll(/server=(\d+)/g)].at(-1)![1])

  /** The server takes it within two seconds. Only its own processes see the disk. */
  const reserveTaken = (): Promise<unknown> =>
    until('the reserve is taken', async () => {
      const path = `/proc/${serverPid()}/root${database.folder}/banyan.db-reserve`
      return isPostgres || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= 8 << 20
    })

  const store = (id: string): Promise<ApiAnswer> =>
    server.api.post('workflow/update', {
      id,
      workflow: { nodes: [], edges: [], pad: randomBytes(20_000).toString('hex') },
    })

  /** Until neither contents nor rows fit. */
  const fill = async (): Promise<string[]> => {
    const ids: string[] = []
    let bytes = 1 << 20
    while (bytes >= 4096) {
      const { status, json } = await server.api.upload('a.bin', randomBytes(bytes))
      if (status === 200) ids.push(json.data.file_id)
      else {
        assert.equal(status, 507)
        bytes >>= 1
      }
    }
    if (isPostgres) return ids
    for (let refused = 0, number = 0; refused < 5; number++)
      if ((await store(`w${number}`)).status === 507) refused++
    return ids
  }

  test('still allows deletes, reports its state, and accepts writes again', async () => {
    await reserveTaken()
    await dataOf(store('early'))
    const ids = await fill()
    assert.ok(ids.length > 5)
    const ready = await server.api.get('/readyz')
    assert.deepEqual([ready.status, ready.json.files], [200, 'full'])
    assert.equal((await server.api.get(`files/${ids[0]}`)).status, 200, 'reads go on')
    if (!isPostgres) {
      // Operations that create nothing ignore the key, which would need space.
      const headers = { 'idempotency-key': 'delete-early' }
      await dataOf(server.api.post('workflow/delete', { id: 'early' }, { headers }))
      assert.equal((await server.api.post('workflow/delete', { id: 'early' })).status, 404, 'it is deleted')
    }
    const { deleted } = await dataOf(server.api.post('files/delete', { file_ids: ids.slice(0, 5) }))
    assert.deepEqual(deleted, ids.slice(0, 5))
    await until('there is space again', async () => (await store('after')).status === 200)
    assert.equal((await server.api.get(`files/${ids[0]}`)).status, 404)
    const rest = ids.slice(5)
    for (const id of rest) assert.equal((await server.api.get(`files/${id}`)).status, 200)
  })

  test('allows a start and deletes when it is full again', async () => {
    await reserveTaken()
    const ids = await fill()
    const before = server.output().length
    process.kill(serverPid(), 'SIGTERM')
    const base = await until(
      'the server is back',
      async () => /Console\s+(http:\/\/\S+?)\/\s/.exec(server.output().slice(before))?.[1],
    )
    const api = apiClient(base, token.BOOTSTRAP_TOKEN)
    for (const id of ids)
      assert.deepEqual((await dataOf(api.post('files/delete', { file_ids: [id] }))).deleted, [id])
  })
})
