import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { dataOf } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { spawnServer } from '../support/server-process.ts'
import { createTestBucket, skipWithoutS3, type TestBucket } from '../support/test-bucket.ts'
import { until } from '../support/watch.ts'
import { runBanyan, spawnBanyan } from './run-banyan.ts'

const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-tests' }

describe('moving files between the disk and an S3 store', { skip: skipWithoutS3 }, () => {
  let database: FreshDatabase
  let bucket: TestBucket
  let inBucket: Record<string, string>
  /** The settings to reach the bucket, without using it. */
  let besideBucket: Record<string, string>
  let to: string
  const contents = new Map<string, Buffer>()
  before(async () => {
    database = await migratedDatabase()
    bucket = await createTestBucket()
    inBucket = { ...token, ...bucket.environment() }
    besideBucket = { ...inBucket, BLOB_URL: '' }
    to = inBucket['BLOB_URL']!
    const server = await spawnServer(database, besideBucket)
    for (const size of [0, 10, 100_000, 9 << 20]) {
      const content = randomBytes(size)
      contents.set((await dataOf(server.api.upload('a.bin', content))).file_id, content)
    }
    await server.kill('SIGTERM')
  })
  after(() => database.drop())

  const banyan = async (words: string[], environment: Record<string, string>, given = database) => {
    const { code, stdout, stderr } = await runBanyan(given, [...words, '--json'], [], environment)
    return { code, stderr, json: stdout === '' ? undefined : JSON.parse(stdout) }
  }
  const servesAll = async (environment: Record<string, string>, given = database): Promise<void> => {
    const server = await spawnServer(given, environment)
    try {
      for (const [id, content] of contents)
        assert.deepEqual((await server.api.bytes(`files/${id}`)).bytes, content)
    } finally {
      await server.kill('SIGTERM')
    }
  }
  const objects = async (): Promise<string[]> => {
    const listed = await bucket.client.send(
      new ListObjectsV2Command({ Bucket: bucket.place.bucket, Prefix: 'files/blobs/' }),
    )
    return (listed.Contents ?? []).map(({ Key }) => Key!)
  }

  test('copies to the bucket, continues what was interrupted, and then switches', async () => {
    const first = await banyan(['files', 'move', '--to', to], besideBucket)
    assert.equal(first.code, 0, first.stderr)
    assert.deepEqual(first.json.copied, { count: 4, bytes: 100_010 + (9 << 20) })
    assert.equal((await objects()).length, 4, 'nothing but the contents under their keys')
    await servesAll(besideBucket)

    // As after an interruption: one content is not there yet.
    const [lost] = await objects()
    await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.place.bucket, Key: lost! }))
    const last = await banyan(['files', 'move', '--to', to, '--finish'], besideBucket)
    assert.equal(last.code, 0, last.stderr)
    assert.deepEqual([last.json.copied.count, last.json.present, last.json.damaged], [1, 3, []])
    await servesAll(inBucket)
    await assert.rejects(spawnServer(database, besideBucket), /moved to s3:\/\//)
  })

  test('a backup in a bucket is restored from there, and replaces no other', async () => {
    const other = await freshDatabase()
    const place = `s3://${bucket.place.bucket}/backups/all.tar`
    const target = { ...inBucket, BLOB_URL: `s3://${bucket.place.bucket}/restored` }
    try {
      const missing = await banyan(['restore', place], target, other)
      assert.match(missing.stderr, /There is no object s3:\/\//)
      const backup = await banyan(['backup', place], inBucket)
      assert.equal(backup.code, 0, backup.stderr)
      assert.equal(backup.json.file, place)
      assert.match((await banyan(['backup', place], inBucket)).stderr, /already exists/)
      assert.match((await banyan(['backup', 's3://bucket'], inBucket)).stderr, /s3:\/\/bucket\/path/)
      const restored = await banyan(['restore', place], target, other)
      assert.equal(restored.code, 0, restored.stderr)
      assert.equal(restored.json.contents.count, 4)
      await servesAll(target, other)
    } finally {
      await other.drop()
    }
  })

  test('an interrupted backup leaves nothing in the bucket', async () => {
    const server = await spawnServer(database, inBucket)
    const { file_id: id } = await dataOf(server.api.upload('large.bin', randomBytes(150 << 20)))
    const place = `s3://${bucket.place.bucket}/backups/interrupted.tar`
    const child = spawnBanyan(database, ['backup', place], [], inBucket)
    const { bucket: Bucket } = bucket.place
    const uploads = async () =>
      (await bucket.client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []
    await until('the upload has begun', async () => (await uploads()).length > 0)
    child.kill('SIGINT')
    await once(child, 'close')
    await dataOf(server.api.post('files/delete', { file_ids: [id] }))
    await server.kill('SIGTERM')
    assert.deepEqual(await uploads(), [])
    const listed = await bucket.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'backups/inter' }))
    assert.equal(listed.KeyCount, 0)
  })

  test('reports damaged contents, and moves the others back to the disk', async () => {
    const [damaged] = await objects()
    await bucket.client.send(
      new PutObjectCommand({ Bucket: bucket.place.bucket, Key: damaged!, Body: Buffer.from('DAMAGED') }),
    )
    const scrub = await banyan(['scrub'], inBucket)
    assert.deepEqual([scrub.code, scrub.json.items.length], [1, 1])
    await rm(join(database.folder, 'files'), { recursive: true })
    const moved = await banyan(['files', 'move', '--to', 'disk', '--finish'], inBucket)
    assert.equal(moved.code, 1)
    assert.match(moved.stderr, /1 contents are damaged or missing/)
    assert.deepEqual([moved.json.copied.count, moved.json.damaged.length], [3, 1])
    const stored = await readdir(join(database.folder, 'files/blobs'), { recursive: true })
    assert.equal(stored.filter(name => name.length > 30).length, 3)
    await (await spawnServer(database, besideBucket)).kill('SIGTERM')
  })

  test('refuses a destination of another installation, and one that is not valid', async () => {
    const restored = await banyan(
      ['files', 'move', '--to', `${to.replace('/files', '')}/restored`],
      besideBucket,
    )
    assert.equal(restored.code, 1)
    assert.match(restored.stderr, /belong to the installation/)
    assert.equal((await banyan(['files', 'move', '--to', 'http://bucket'], besideBucket)).code, 2)
    assert.equal((await banyan(['files', 'move', '--to', 'disk'], besideBucket)).code, 2)
  })
})
