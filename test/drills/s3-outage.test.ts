import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { openS3BlobStore } from '../../src/adapters/blob/s3-blob-store.ts'
import { limits } from '../../src/contract/limits.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { dataOf, makeBase } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { createTestBucket, skipWithoutS3, type TestBucket } from '../support/test-bucket.ts'
import { documentOf, until } from '../support/watch.ts'

const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills' }
const megabyte = 1 << 20

describe('files in a failing S3 store', { skip: skipWithoutS3 }, () => {
  let database: FreshDatabase
  let bucket: TestBucket
  let proxy: TcpProxy
  let server: ServerProcess
  before(async () => {
    database = await migratedDatabase()
    bucket = await createTestBucket()
    proxy = new TcpProxy(bucket.settings.endpoint!)
    const address = await proxy.open()
    server = await spawnServer(database, { ...token, ...bucket.environment(address) })
  })
  afterEach(() => proxy.set('pass'))
  after(async () => {
    await server.kill('SIGKILL')
    await proxy.close()
    await database.drop()
  })

  const upload = async (content: Uint8Array): Promise<string> =>
    (await dataOf(server.api.upload('a.bin', content))).file_id
  const uploads = async (): Promise<number> =>
    (await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.place.bucket }))).Uploads
      ?.length ?? 0

  test('answers 503 with Retry-After while the store is down, stores nothing partially, and recovers', async () => {
    const content = randomBytes(100_000)
    const id = await upload(content)
    for (const mode of ['refuse', 'stall'] as const) {
      proxy.set(mode)
      const failed = await Promise.all([
        server.api.upload('b.bin', randomBytes(1000)),
        server.api.upload('large.bin', randomBytes(20 * megabyte)),
        server.api.get(`files/${id}`),
        server.api.get(`files/${id}`, { headers: { range: 'bytes=5-9' } }),
      ])
      for (const { status, headers, json } of failed) {
        assert.equal(status, 503, mode)
        assert.ok(Number(headers.get('retry-after')) > 0)
        assert.equal(json.data.reason, 'unavailable')
      }
      // What needs no file content works as ever, and a load balancer still sends it.
      assert.equal((await dataOf(server.api.post('files', {}))).total, 1)
      const ready = await server.api.get('/readyz')
      assert.deepEqual([ready.status, ready.json.status, ready.json.files], [200, 'ready', 'failing'])
      proxy.set('pass')
      assert.deepEqual((await server.api.bytes(`files/${id}`)).bytes, content)
    }
    const { text: metrics } = await server.api.get('/metrics')
    for (const outcome of ['succeeded', 'failed'])
      assert.match(
        metrics,
        new RegExp(`banyan_s3_request_seconds_count{operation="PutObject",outcome="${outcome}"} [1-9]`),
      )
    // Requests that stalled may have arrived in the end. No row names what they did, and the sweep removes it.
    const later = { now: () => Date.now() + limits.staleUploadMilliseconds + 60_000 }
    await openS3BlobStore(bucket.place, bucket.settings, { clock: later }).sweepTemporary()
    assert.equal(await uploads(), 0)
    assert.equal((await dataOf(server.api.post('files', {}))).total, 1)
  })

  test('deletes a file while the store is down', async () => {
    const id = await upload(randomBytes(1000))
    proxy.set('refuse')
    const { deleted } = await dataOf(server.api.post('files/delete', { file_ids: [id] }))
    assert.deepEqual(deleted, [id])
    assert.equal((await server.api.get(`files/${id}`)).status, 404)
  })

  test('repeats the part of an upload whose connection breaks', async () => {
    const content = randomBytes(30 * megabyte)
    const cuts = proxy.cuts
    const unfinished = await uploads()
    proxy.cutAfter('target', 5 * megabyte, 2)
    const id = await upload(content)
    assert.equal(proxy.cuts, cuts + 2)
    assert.deepEqual((await server.api.bytes(`files/${id}`)).bytes, content)
    assert.equal(await uploads(), unfinished)
  })

  test('continues a download whose connection breaks', async () => {
    const content = randomBytes(30 * megabyte)
    const id = await upload(content)
    const cuts = proxy.cuts
    proxy.cutAfter('client', 5 * megabyte, 3)
    assert.deepEqual((await server.api.bytes(`files/${id}`)).bytes, content)
    assert.equal(proxy.cuts, cuts + 3)
    proxy.cutAfter('client', 5 * megabyte)
    const range = await server.api.bytes(`files/${id}`, { headers: { range: 'bytes=1000-20000000' } })
    assert.deepEqual(range.bytes, content.subarray(1000, 20_000_001))
  })

  test('ends the download from the store when its client leaves, and reads no more than is sent', async () => {
    const id = await upload(randomBytes(60 * megabyte))
    const received = proxy.received
    const request = get(`${server.base}/api/v1/files/${id}`, {
      headers: { authorization: `Bearer ${token.BOOTSTRAP_TOKEN}` },
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.pause()
    await sleep(2000)
    assert.ok(proxy.received - received < 45 * megabyte, 'the rest stays in the store')
    const during = proxy.connections
    request.destroy()
    await until('the connection to the store has ended', async () => proxy.connections < during, 10)
  })

  test('documents wait for the store instead of failing', async () => {
    const base = await makeBase(server.api)
    const fileId = await upload(Buffer.from('The quick brown fox jumps over the lazy dog.'))
    proxy.set('refuse')
    await dataOf(server.api.post(`knowledge/${base}`, { file_ids: [fileId] }))
    // Longer than all retries of other failures together.
    for (const end = Date.now() + 65_000; Date.now() < end; await sleep(1000)) {
      const { status } = await documentOf(server.api, base, fileId)
      assert.ok(status !== 'failed' && status !== 'ready', status)
    }
    proxy.set('pass')
    await until('the document is ready', async () => {
      const { status } = await documentOf(server.api, base, fileId)
      assert.notEqual(status, 'failed')
      return status === 'ready'
    })
  })
})
