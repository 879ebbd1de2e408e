import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { BlobArea, BlobStore } from '../../src/files/blob-store.ts'
import { verifiedContent } from '../../src/files/verified-blobs.ts'

export interface OpenedBlobStore {
  store: BlobStore
  cleanup: () => Promise<void>
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function* inChunks(bytes: Uint8Array, chunkSize = 64 << 10): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkSize) yield bytes.subarray(start, start + chunkSize)
}

const contentOf = async (stream: Promise<Readable>): Promise<Buffer> => buffer(await stream)

const noLimit = Number.MAX_SAFE_INTEGER

/** The contract of every blob store, whatever its storage backend. */
export const blobStoreSuite = (
  name: string,
  open: () => Promise<OpenedBlobStore>,
  skip: string | false = false,
): void => {
  describe(`blob store: ${name}`, { skip }, () => {
    let store: BlobStore
    let cleanup: () => Promise<void>
    before(async () => {
      ;({ store, cleanup } = await open())
    })
    after(() => cleanup())

    const keys = async (area: BlobArea = 'blobs'): Promise<string[]> => {
      const found: string[] = []
      for await (const { key } of store.list(area)) found.push(key)
      return found.sort()
    }

    for (const size of [0, 1, 4099, 4100, 4101, 65_536, 5_000_000, 20_000_000]) {
      it(`returns ${size} bytes as they were written`, async () => {
        const bytes = randomBytes(size)
        const written = await store.write(inChunks(bytes), size)
        assert.equal(written.size, size)
        assert.equal(written.sha256, sha256(bytes))
        assert.deepEqual(Buffer.from(written.head), bytes.subarray(0, 4100))
        assert.deepEqual(await contentOf(store.read(written.key)), bytes)
      })
    }

    it('preserves the order of many chunks of uneven sizes', async () => {
      const bytes = randomBytes(300_000)
      async function* uneven() {
        for (let start = 0, step = 0; start < bytes.length; start += step) {
          step = 1 + (start % 977)
          yield bytes.subarray(start, start + step)
        }
      }
      const { key } = await store.write(uneven(), noLimit)
      assert.deepEqual(await contentOf(store.read(key)), bytes)
    })

    it('accepts empty chunks', async () => {
      const { key, size } = await store.write(
        (async function* () {
          yield Buffer.alloc(0)
          yield Buffer.from('a')
          yield Buffer.alloc(0)
        })(),
        1,
      )
      assert.equal(size, 1)
      assert.equal((await contentOf(store.read(key))).toString(), 'a')
    })

    it('reads a range with both ends inclusive', async () => {
      const bytes = randomBytes(700_000)
      const { key } = await store.write(inChunks(bytes), noLimit)
      for (const [start, end] of [
        [0, 0],
        [5, 9],
        [262_143, 262_145],
        [0, 699_999],
        [699_999, 699_999],
      ] as const)
        assert.deepEqual(await contentOf(store.read(key, { start, end })), bytes.subarray(start, end + 1))
    })

    it('reports a range past the end of the content as damaged', async () => {
      const { key } = await store.write(inChunks(Buffer.from('abc')), noLimit)
      await assert.rejects(store.read(key, { start: 0, end: 3 }), { reason: 'content_damaged' })
    })

    it('gives equal content different keys that reveal nothing about it', async () => {
      const first = await store.write(inChunks(Buffer.from('same')), noLimit)
      const second = await store.write(inChunks(Buffer.from('same')), noLimit)
      assert.notEqual(first.key, second.key)
      assert.notEqual(first.key, first.sha256)
    })

    it('accepts exactly the limit, and rejects one byte more without leaving anything behind', async () => {
      const before = await keys()
      const bytes = randomBytes(200_001)
      await assert.rejects(store.write(inChunks(bytes), 200_000), { reason: 'too_large' })
      assert.deepEqual(await keys(), before)
      const { size } = await store.write(inChunks(bytes.subarray(1)), 200_000)
      assert.equal(size, 200_000)
    })

    it('stops reading an endless source at the limit and closes it', async () => {
      let closed = false
      async function* endless() {
        try {
          for (;;) yield Buffer.alloc(64 << 10)
        } finally {
          closed = true
        }
      }
      await assert.rejects(store.write(endless(), 3_000_000), { reason: 'too_large' })
      assert.equal(closed, true)
    })

    it('stores nothing of a source that fails midway, and rethrows its error unchanged', async () => {
      const before = await keys()
      const failure = Object.assign(new Error('the client went away'), { code: 'EIO' })
      async function* failing() {
        yield* inChunks(randomBytes(3_000_000))
        throw failure
      }
      await assert.rejects(store.write(failing(), noLimit), error => error === failure)
      assert.deepEqual(await keys(), before)
    })

    it('keeps 50 concurrent writes apart', async () => {
      const contents = Array.from({ length: 50 }, (_, index) => randomBytes(index * 10_007))
      const written = await Promise.all(contents.map(bytes => store.write(inChunks(bytes, 7919), noLimit)))
      assert.equal(new Set(written.map(blob => blob.key)).size, 50)
      for (const [index, blob] of written.entries()) {
        assert.equal(blob.sha256, sha256(contents[index]!))
        assert.deepEqual(await contentOf(store.read(blob.key)), contents[index])
      }
    })

    it('supports many concurrent reads of the same blob', async () => {
      const bytes = randomBytes(600_000)
      const { key } = await store.write(inChunks(bytes), noLimit)
      const read = await Promise.all(Array.from({ length: 20 }, () => contentOf(store.read(key))))
      assert.ok(read.every(copy => copy.equals(bytes)))
    })

    it('returns stored blobs as verified content', async () => {
      const bytes = randomBytes(1_000_000)
      const { key, sha256: sum, size } = await store.write(inChunks(bytes), noLimit)
      assert.deepEqual(await buffer(verifiedContent(await store.read(key), sum, size)), bytes)
    })

    it('lists blobs with the time they were written', async () => {
      const started = Date.now()
      const { key } = await store.write(inChunks(Buffer.from('listed')), noLimit)
      for await (const blob of store.list()) {
        if (blob.key !== key) continue
        // File systems and object stores have coarse timestamps.
        assert.ok(Math.abs(blob.modifiedAt - started) < 60_000)
        return
      }
      assert.fail('the blob is not listed')
    })

    it('allows deletes while listing', async () => {
      for await (const { key } of store.list()) await store.remove(key)
      assert.deepEqual(await keys(), [])
    })

    it('deletes a blob, and ignores a missing one', async () => {
      const { key } = await store.write(inChunks(Buffer.from('short-lived')), noLimit)
      await store.remove(key)
      await assert.rejects(store.read(key), { reason: 'content_damaged' })
      assert.deepEqual(await keys(), [])
      await store.remove(key)
    })

    it('replaces a blob, also one that is missing, without disturbing its readers', async () => {
      const before = await keys()
      const { key } = await store.write(inChunks(Buffer.from('old')), noLimit)
      const reader = await store.read(key)
      const tag = await store.tagOf(key)
      assert.equal(await store.tagOf(key), tag)
      const by = (await store.write(inChunks(Buffer.from('new')), noLimit)).key
      await store.replace(key, by)
      await store.replace(key, by)
      assert.equal((await contentOf(store.read(by))).toString(), 'new')
      await store.remove(by)
      assert.equal((await buffer(reader)).toString(), 'old')
      assert.equal((await contentOf(store.read(key))).toString(), 'new')
      assert.notEqual(await store.tagOf(key), tag)
      await store.remove(key)
      assert.equal(await store.tagOf(key), undefined)
      const third = (await store.write(inChunks(Buffer.from('third')), noLimit)).key
      await store.replace(key, third)
      await store.remove(third)
      assert.equal((await contentOf(store.read(key))).toString(), 'third')
      await store.remove(key)
      assert.deepEqual(await keys(), before)
    })

    it('moves a blob to the quarantine and back', async () => {
      const { key } = await store.write(inChunks(Buffer.from('aside')), noLimit)
      const started = Date.now()
      await store.move(key, 'quarantine')
      await store.move(key, 'quarantine')
      await assert.rejects(store.read(key), { reason: 'content_damaged' })
      for await (const blob of store.list('quarantine')) {
        assert.equal(blob.key, key)
        assert.ok(Math.abs(blob.modifiedAt - started) < 60_000)
      }
      assert.deepEqual(await keys('quarantine'), [key])
      await store.move(key, 'blobs')
      assert.equal((await contentOf(store.read(key))).toString(), 'aside')
      await store.move(key, 'quarantine')
      await store.remove(key, 'quarantine')
      assert.deepEqual([await keys(), await keys('quarantine')], [[], []])
    })

    it('keeps the first installation id of several, until it is replaced', async () => {
      assert.equal(await store.installationId(), undefined)
      const ids = await Promise.all(
        ['inst_a', 'inst_b', 'inst_c'].map(id => store.setInstallationId(id, { replace: false })),
      )
      assert.equal(new Set(ids).size, 1)
      assert.equal(await store.installationId(), ids[0])
      assert.equal(await store.setInstallationId('inst_d', { replace: true }), 'inst_d')
      assert.equal(await store.installationId(), 'inst_d')
      assert.equal(await store.sweepTemporary(), 0)
    })

    it('rejects keys that it did not generate', async () => {
      for (const key of [
        '',
        '.',
        '..',
        '../../etc/passwd',
        'a/b',
        'a\\b',
        'x\0',
        'AB'.repeat(16),
        '%2e%2e%2f',
      ]) {
        await assert.rejects(store.read(key))
        await assert.rejects(store.remove(key))
      }
    })

    it('reports that it is writable, and leaves no trace of the probe', async () => {
      await store.check()
      assert.deepEqual(await keys(), [])
    })

    it('has nothing to sweep after completed writes', async () => {
      await store.write(inChunks(Buffer.from('done')), noLimit)
      assert.equal(await store.sweepTemporary(), 0)
    })
  })
}
