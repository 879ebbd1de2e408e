import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { migratedDatabase } from '../support/migrated-database.ts'
import { spawnServer } from '../support/server-process.ts'
import { runBanyan, spawnBanyan } from './run-banyan.ts'

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    found => found.size,
    () => 0,
  )

/** Interrupts a backup in the middle of its work. */
async function interrupt(backup: ReturnType<typeof spawnBanyan>, partial: string, signal: NodeJS.Signals) {
  const ended = once(backup, 'exit')
  while ((await sizeOf(partial)) < 1 << 20 && backup.exitCode === null) await sleep(1)
  assert.equal(backup.exitCode, null, 'the backup was still running')
  backup.kill(signal)
  return (await ended) as [number | null, NodeJS.Signals | null]
}

test('leaves no archive after an interrupted backup', async () => {
  const database = await migratedDatabase()
  const server = await spawnServer(database, { LOG_LEVEL: 'silent' })
  try {
    for (let count = 0; count < 40; count++) await server.api.upload(`file-${count}`, randomBytes(4 << 20))
    const file = join(database.folder, 'all.tar')

    const [code] = await interrupt(spawnBanyan(database, ['backup', file]), `${file}.partial`, 'SIGINT')
    assert.equal(code, 1)
    assert.deepEqual(
      (await readdir(database.folder)).filter(name => name.startsWith('all.tar')),
      [],
    )

    const [, killed] = await interrupt(spawnBanyan(database, ['backup', file]), `${file}.partial`, 'SIGKILL')
    assert.equal(killed, 'SIGKILL')
    assert.ok(!existsSync(file))

    // Neither the killed nor the interrupted backup blocks the next one.
    const { code: done, stderr } = await runBanyan(database, ['backup', file], ['--max-old-space-size=40'])
    assert.equal(done, 0, stderr)
  } finally {
    await server.kill('SIGTERM')
    await database.drop()
  }
})
