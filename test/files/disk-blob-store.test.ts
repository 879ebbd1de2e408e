import assert from 'node:assert/strict'
import { mkdir, mkdtemp, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { openDiskBlobStore } from '../../src/adapters/blob/disk-blob-store.ts'
import { limits } from '../../src/contract/limits.ts'
import { verifiedContent } from '../../src/files/verified-blobs.ts'

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

describe('disk blob store', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'banyan-disk-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const temporaryFiles = () => readdir(join(folder, 'tmp'))
  const pathOf = (key: string) => join(folder, 'blobs', key.slice(0, 2), key)

  it('creates its folders, however deep, and opens them again', async () => {
    const deep = join(folder, 'a', 'b', 'c')
    const { key } = await (await openDiskBlobStore(deep)).write(once('kept'), 10)
    const reopened = await openDiskBlobStore(deep)
    assert.equal((await buffer(await reopened.read(key))).toString(), 'kept')
  })

  it('makes blobs readable for its own user only', { skip: process.platform === 'win32' }, async () => {
    const { key } = await (await openDiskBlobStore(folder)).write(once('private'), 10)
    assert.equal((await stat(pathOf(key))).mode & 0o777, 0o600)
  })

  it('leaves no temporary file, whether a write succeeds, is too large or fails', async () => {
    const store = await openDiskBlobStore(folder)
    async function* failing() {
      yield Buffer.alloc(3 << 20)
      throw new Error('gone')
    }
    await store.write(once('fine'), 10)
    await assert.rejects(store.write(once('too long'), 3), { reason: 'too_large' })
    await assert.rejects(store.write(failing(), 10 << 20), { message: 'gone' })
    await store.check()
    assert.deepEqual(await temporaryFiles(), [])
  })

  it('sweeps only its own leftovers that were unchanged for a long time', async () => {
    const store = await openDiskBlobStore(folder)
    const [old, young] = ['0'.repeat(32), '1'.repeat(32)]
    for (const name of [old, young, 'README']) await writeFile(join(folder, 'tmp', name), 'leftover')
    const longAgo = (Date.now() - limits.temporaryFileMilliseconds - 1000) / 1000
    for (const name of [old, 'README']) await utimes(join(folder, 'tmp', name), longAgo, longAgo)
    assert.equal(await store.sweepTemporary(), 1)
    assert.deepEqual((await temporaryFiles()).sort(), [young, 'README'])
  })

  it('does not sweep an active write, however long it stalls', async () => {
    const later = { now: () => Date.now() + 10 * limits.temporaryFileMilliseconds }
    const store = await openDiskBlobStore(folder, later)
    let swept = -1
    async function* slow() {
      yield Buffer.from('first ')
      swept = await store.sweepTemporary()
      yield Buffer.from('second')
    }
    const { key } = await store.write(slow(), 100)
    assert.equal(swept, 0)
    assert.equal((await buffer(await store.read(key))).toString(), 'first second')
  })

  it('does not list files that are not blobs', async () => {
    const store = await openDiskBlobStore(folder)
    await mkdir(join(folder, 'blobs', 'lost+found'))
    const { key } = await store.write(once('blob'), 10)
    await writeFile(join(folder, 'blobs', key.slice(0, 2), 'note.txt'), 'by hand')
    const listed = []
    for await (const blob of store.list()) listed.push(blob.key)
    assert.deepEqual(listed, [key])
  })

  it('reports damaged content as damaged', async () => {
    const store = await openDiskBlobStore(folder)
    const { key, sha256, size } = await store.write(once('a'.repeat(500_000)), 500_000)
    const file = await open(pathOf(key), 'r+')
    await file.write(Buffer.from('b'), 0, 1, 250_000)
    await file.close()
    const content = verifiedContent(await store.read(key), sha256, size)
    await assert.rejects(buffer(content), { reason: 'content_damaged' })
  })

  it('reports unavailable, closes the source and recovers when its folder is missing for a while', async () => {
    const store = await openDiskBlobStore(folder)
    await rm(join(folder, 'tmp'), { recursive: true })
    let closed = false
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: async () => assert.fail('nothing may be read from the source'),
        return: async () => {
          closed = true
          return { done: true as const, value: undefined }
        },
      }),
    }
    await assert.rejects(store.write(source, 10), { reason: 'unavailable' })
    assert.equal(closed, true)
    await assert.rejects(store.check(), { reason: 'unavailable' })
    await mkdir(join(folder, 'tmp'))
    await store.check()
    await store.write(once('again'), 10)
  })

  it('fails to open where a file is in the way', async () => {
    await writeFile(join(folder, 'file'), '')
    await assert.rejects(openDiskBlobStore(join(folder, 'file')), { reason: 'unavailable' })
  })
})
