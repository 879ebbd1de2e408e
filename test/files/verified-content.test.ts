import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { verifiedContent } from '../../src/files/verified-blobs.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const streamOf = (...chunks: Buffer[]) => Readable.from(chunks, { objectMode: false })

/** The number of bytes that were read before the stream failed. */
const bytesBeforeFailure = async (stream: Readable): Promise<number> => {
  let received = 0
  await assert.rejects(
    async () => {
      for await (const chunk of stream) received += (chunk as Buffer).length
    },
    { reason: 'content_damaged' },
  )
  return received
}

describe('verified content', () => {
  it('passes matching content through', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1 })), async parts => {
        const chunks = parts.map(part => Buffer.from(part))
        const whole = Buffer.concat(chunks)
        const verified = verifiedContent(streamOf(...chunks), sha256(whole), whole.length)
        assert.deepEqual(await buffer(verified), whole)
      }),
    )
  })

  it('never completes content with one flipped bit', async () => {
    const whole = Buffer.alloc(30_000, 'banyan')
    for (const position of [0, 9_999, 10_000, 29_999]) {
      const wrong = Buffer.from(whole)
      wrong[position]! ^= 1
      const chunks = [wrong.subarray(0, 10_000), wrong.subarray(10_000, 20_000), wrong.subarray(20_000)]
      const verified = verifiedContent(streamOf(...chunks), sha256(whole), whole.length)
      assert.ok((await bytesBeforeFailure(verified)) <= 20_000)
    }
  })

  it('returns no byte of damaged content that is one chunk', async () => {
    const verified = verifiedContent(streamOf(Buffer.from('wrong')), sha256(Buffer.from('right')), 5)
    assert.equal(await bytesBeforeFailure(verified), 0)
  })

  it('detects content that is too short, too long or missing', async () => {
    const sum = sha256(Buffer.from('abc'))
    for (const chunks of [['ab'], ['ab', 'cd'], ['abc', 'd'], []]) {
      const verified = verifiedContent(streamOf(...chunks.map(chunk => Buffer.from(chunk))), sum, 3)
      assert.ok((await bytesBeforeFailure(verified)) < 3)
    }
  })

  it('rethrows the failure of its source', async () => {
    const failure = new Error('the disk failed')
    const source = new Readable({
      read() {
        this.destroy(failure)
      },
    })
    await assert.rejects(buffer(verifiedContent(source, sha256(Buffer.alloc(0)), 0)), failure)
  })

  it('closes its source when the reader disconnects', async () => {
    const source = new Readable({
      read() {
        this.push(Buffer.alloc(1000))
      },
    })
    const closed = new Promise<void>(resolve => {
      source.once('close', () => resolve())
    })
    for await (const _ of verifiedContent(source, '', 1 << 30)) break
    await closed
  })
})
