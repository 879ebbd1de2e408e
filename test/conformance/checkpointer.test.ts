import assert from 'node:assert/strict'
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Checkpointer } from '../../src/adapters/sql/checkpointer.ts'

const megabyte = 1 << 20
const folder = mkdtempSync(join(tmpdir(), 'banyan-log-'))
const path = join(folder, 'test.db')
const writer = new DatabaseSync(path)
let log: number
let checkpointer: Checkpointer

before(() => {
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE texts (text)')
  log = openSync(`${path}-wal`, 'r')
  checkpointer = new Checkpointer(path, log)
})
after(async () => {
  await checkpointer.close()
  closeSync(log)
  writer.close()
  rmSync(folder, { recursive: true })
})

const sizeOfLog = (): number => fstatSync(log).size / megabyte

/** Commits without a pause, each one followed by a turn of the event loop. */
async function write(megabytes: number): Promise<void> {
  for (let count = 0; count < megabytes; count++) {
    await checkpointer.makeRoom()
    writer.prepare('INSERT INTO texts VALUES (?)').run('x'.repeat(megabyte))
    checkpointer.committed()
    await sleep(5)
  }
}

test('a stream of commits does not make the log grow without limit', async () => {
  await write(300)
  assert.ok(sizeOfLog() < 200, `${sizeOfLog()} MiB`)
})

test('commits do not wait forever for a reader that still needs the log', async () => {
  const reader = new DatabaseSync(path)
  reader.exec('BEGIN; SELECT count(*) FROM texts')
  await write(100)
  assert.ok(sizeOfLog() > 90, `${sizeOfLog()} MiB`)
  reader.close()
  const size = sizeOfLog()
  await write(300)
  assert.ok(sizeOfLog() < size + 200, `${sizeOfLog()} MiB after ${size} MiB`)
})

test('commits continue when the thread cannot be started', async () => {
  // What cannot be copied to a thread fails like a thread that the system refuses.
  const refused = new Checkpointer((() => {}) as unknown as string, log)
  await write(5)
  refused.committed()
  await sleep(5)
  await refused.makeRoom()
  await refused.close()
})
