import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { openDiskBlobStore } from '../../src/adapters/blob/disk-blob-store.ts'
import { AmbientDatabase } from '../../src/database/ambient-database.ts'
import { FileService } from '../../src/files/file-service.ts'
import { FileStore, type FileUses } from '../../src/files/file-store.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'
import { until } from '../support/watch.ts'

const content = Buffer.from('The same content.')
const source = async function* () {
  yield content
}
const noUses: FileUses = { find: async () => [], lock: async () => [], remove: async () => {} }

let opened: TestDatabase
let database: AmbientDatabase
let folder: string
let files: FileService
before(async () => {
  opened = await openTestDatabase()
  database = new AmbientDatabase(opened.database)
  folder = await mkdtemp(join(tmpdir(), 'banyan-files-'))
  files = new FileService(
    new FileStore(database, noUses),
    await openDiskBlobStore(folder),
    systemClock,
    1 << 20,
    database,
  )
})
after(async () => {
  await opened.cleanup()
  await rm(folder, { recursive: true })
})

async function upload(name: string) {
  const blob = await files.receive(source())
  await files.repair('w', blob)
  return database.inOneTransaction(() => files.add('w', name, blob))
}

async function keys(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of files.blobs.list()) found.push(key)
  return found.sort()
}

test('no transaction waits for the disk when stored content is uploaded again', async () => {
  const first = await upload('first.txt')
  const calls: string[] = []
  const { blobs } = files
  const disk = Promise.withResolvers<void>()
  const slow = (name: 'replace' | 'remove') => {
    const call = blobs[name] as (...keys: string[]) => Promise<void>
    return async (...keys: string[]): Promise<void> => {
      calls.push(name)
      await disk.promise
      return call.apply(blobs, keys)
    }
  }
  Object.assign(blobs, { replace: slow('replace'), remove: slow('remove') })
  const repaired = upload('second.txt')
  await until('the disk is used', async () => calls.length === 1)
  assert.equal(await database.transaction(async () => 'other writes go on'), 'other writes go on')
  disk.resolve()
  const second = await repaired
  assert.deepEqual(calls, ['replace', 'remove'])
  for (const { id } of [first, second])
    assert.deepEqual(await buffer(await files.read(await files.find('w', id))), content)
  await until('one blob is left', async () => (await keys()).length === 1)
})

test('a unit of work that fails leaves no content behind', async () => {
  const kept = await upload('kept.txt')
  const before = await keys()
  for (const text of ['The same content.', 'Another content.']) {
    const blob = await files.receive(Readable.from([Buffer.from(text)]))
    const failing = database.inOneTransaction(async () => {
      await files.add('w', 'lost.txt', blob)
      throw new Error('The work failed')
    })
    await assert.rejects(failing, /The work failed/)
  }
  await until('its contents are gone', async () => (await keys()).length === before.length)
  assert.deepEqual(await keys(), before)
  assert.deepEqual(await buffer(await files.read(await files.find('w', kept.id))), content)
})
