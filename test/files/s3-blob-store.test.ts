import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { HeadObjectCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { openS3BlobStore } from '../../src/adapters/blob/s3-blob-store.ts'
import { partBytesFor } from '../../src/adapters/blob/s3-upload.ts'
import { limits } from '../../src/contract/limits.ts'
import type { BlobStore } from '../../src/files/blob-store.ts'
import { verifiedContent } from '../../src/files/verified-blobs.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { createTestBucket, skipWithoutS3, type TestBucket } from '../support/test-bucket.ts'

const megabyte = 1 << 20

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 64 << 10) yield bytes.subarray(start, start + (64 << 10))
}

it('divides files of every size that is allowed into at most 10,000 parts', () => {
  for (const limit of [1, 200 * megabyte, 100 * 2 ** 30, 2 ** 40])
    assert.ok(Math.ceil(limit / partBytesFor(limit)) <= 10_000)
  assert.equal(partBytesFor(200 * megabyte), 8 * megabyte)
})

describe('S3 blob store', { skip: skipWithoutS3 }, () => {
  let bucket: TestBucket
  let store: BlobStore
  before(async () => {
    bucket = await createTestBucket()
    store = openS3BlobStore(bucket.place, bucket.settings)
  })

  const objectOf = (key: string) => ({ Bucket: bucket.place.bucket, Key: `files/blobs/${key}` })
  const uploads = async (): Promise<number> =>
    (await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.place.bucket }))).Uploads
      ?.length ?? 0

  it('sends large files in parts, and small ones in one request', async () => {
    const bytes = randomBytes(20 * megabyte)
    const { key } = await store.write(inChunks(bytes), 200 * megabyte)
    assert.deepEqual(await buffer(await store.read(key)), bytes)
    const { ETag } = await bucket.client.send(new HeadObjectCommand(objectOf(key)))
    assert.match(ETag!, /-3"$/, 'the tag of an object of three parts')
    const small = await store.write(inChunks(bytes.subarray(0, 8 * megabyte)), 200 * megabyte)
    assert.doesNotMatch((await bucket.client.send(new HeadObjectCommand(objectOf(small.key)))).ETag!, /-/)
    assert.equal(await uploads(), 0)
  })

  it('aborts an upload in parts whose source fails or is too large', async () => {
    async function* failing() {
      yield* inChunks(Buffer.alloc(20 * megabyte))
      assert.equal(await uploads(), 1)
      throw new Error('gone')
    }
    await assert.rejects(store.write(failing(), 200 * megabyte), { message: 'gone' })
    await assert.rejects(store.write(inChunks(Buffer.alloc(20 * megabyte)), 19 * megabyte), {
      reason: 'too_large',
    })
    assert.equal(await uploads(), 0)
  })

  it('sweeps uploads that another process did not complete, but none of its own', async () => {
    const later = { now: () => Date.now() + limits.staleUploadMilliseconds + 60_000 }
    const other = openS3BlobStore(bucket.place, bucket.settings, { clock: later })
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield* inChunks(Buffer.alloc(9 * megabyte))
      assert.equal(await store.sweepTemporary(), 0, 'it is not old yet')
      assert.equal(await uploads(), 1)
      assert.equal(await other.sweepTemporary(), 1)
      yield* inChunks(Buffer.alloc(9 * megabyte))
    }
    await assert.rejects(store.write(slow(), 200 * megabyte), { reason: 'unavailable' })
    async function* own(): AsyncGenerator<Uint8Array> {
      yield* inChunks(Buffer.alloc(9 * megabyte))
      assert.equal(await other.sweepTemporary(), 0)
    }
    await other.write(own(), 200 * megabyte)
    assert.equal(await uploads(), 0)
  })

  it('copies objects in parts that are too large for one request', async () => {
    const copying = openS3BlobStore(bucket.place, bucket.settings, { maxCopyBytes: 5 * megabyte })
    const bytes = randomBytes(12 * megabyte)
    const { key } = await copying.write(inChunks(bytes), 200 * megabyte)
    await copying.move(key, 'quarantine')
    await assert.rejects(copying.read(key), { reason: 'content_damaged' })
    await copying.move(key, 'blobs')
    assert.deepEqual(await buffer(await copying.read(key)), bytes)
  })

  it('reports damaged content as damaged', async () => {
    const { key, sha256, size } = await store.write(inChunks(Buffer.from('intact')), 10)
    await bucket.client.send(new PutObjectCommand({ ...objectOf(key), Body: Buffer.from('INTACT') }))
    await assert.rejects(buffer(verifiedContent(await store.read(key), sha256, size)), {
      reason: 'content_damaged',
    })
  })

  it('does not list objects that are not blobs', async () => {
    const place = { ...bucket.place, path: 'shared' }
    const shared = openS3BlobStore(place, bucket.settings)
    const { key } = await shared.write(inChunks(Buffer.from('blob')), 10)
    for (const name of ['shared/blobs/note.txt', `shared/blobs/ab/${key}`, `shared-too/blobs/${key}`])
      await bucket.client.send(
        new PutObjectCommand({ Bucket: place.bucket, Key: name, Body: Buffer.from('by hand') }),
      )
    const listed = []
    for await (const blob of shared.list()) listed.push(blob.key)
    assert.deepEqual(listed, [key])
  })

  it('gives up after 20 s while the store stalls, and checks it only once', async () => {
    const proxy = new TcpProxy(bucket.settings.endpoint!)
    const endpoint = await proxy.open()
    proxy.set('stall')
    const attemptsOf = async (call: (stalled: BlobStore) => Promise<unknown>): Promise<string[]> => {
      const attempts: string[] = []
      const stalled = openS3BlobStore(bucket.place, { ...bucket.settings, endpoint })
      stalled.observe?.((operation, outcome) => attempts.push(`${operation} ${outcome}`))
      await assert.rejects(call(stalled), { reason: 'unavailable', message: /no response in time/ })
      return attempts
    }
    const start = performance.now()
    const attempts = await Promise.all([
      attemptsOf(stalled => stalled.write(inChunks(randomBytes(5 * megabyte)), 10 * megabyte)),
      attemptsOf(stalled => stalled.read('0'.repeat(32))),
      attemptsOf(stalled => stalled.remove('0'.repeat(32))),
      attemptsOf(stalled => stalled.check()),
    ])
    assert.ok(performance.now() - start < 30_000)
    await proxy.close()
    assert.deepEqual(attempts.slice(1), [
      ['GetObject failed', 'GetObject failed'],
      ['DeleteObject failed', 'DeleteObject failed'],
      ['PutObject failed'],
    ])
  })

  it('reports unavailable, with what to check, when the bucket or the server is wrong', async () => {
    const noBucket = openS3BlobStore({ bucket: 'no-such-bucket', path: '' }, bucket.settings)
    await assert.rejects(noBucket.check(), {
      reason: 'unavailable',
      message: /NoSuchBucket.*the bucket no-such-bucket/,
    })
    const noServer = openS3BlobStore(bucket.place, { ...bucket.settings, endpoint: 'http://127.0.0.1:1' })
    for (const call of [
      () => noServer.check(),
      () => noServer.read('0'.repeat(32)),
      () => noServer.tagOf('0'.repeat(32)),
      () => noServer.write(inChunks(Buffer.from('text')), 10),
      () => noServer.installationId(),
    ])
      await assert.rejects(call, { reason: 'unavailable', message: /ECONNREFUSED/ })
  })
})
