import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { constants } from 'node:os'
import { describe, it } from 'node:test'
import { createFileSink, type SinkFile } from '../../src/adapters/blob/file-sink.ts'
import { allowFree } from '../../src/kernel/free-bytes.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** A file in memory that accepts what `accept` allows of each write. */
const memoryFile = (accept: (offered: number) => Promise<number>) => {
  const taken: Buffer[] = []
  const calls = { writes: 0, datasyncs: 0, syncs: 0 }
  const file = {
    async writev(chunks: Uint8Array[]) {
      calls.writes++
      const offered = Buffer.concat(chunks)
      const bytesWritten = await accept(offered.length)
      taken.push(offered.subarray(0, bytesWritten))
      return { bytesWritten, buffers: chunks }
    },
    async datasync() {
      calls.datasyncs++
    },
    async sync() {
      calls.syncs++
    },
  }
  return { file: file as unknown as SinkFile & typeof file, calls, content: () => Buffer.concat(taken) }
}

describe('file sink', () => {
  it('writes the rest after a partial write', async () => {
    const { file, content } = memoryFile(async offered => Math.ceil(offered / 3))
    const sink = createFileSink(file)
    const chunks = Array.from({ length: 40 }, (_, index) => Buffer.alloc(index * 13, index))
    for (const chunk of chunks) await sink.add(chunk)
    await sink.finish()
    assert.deepEqual(content(), Buffer.concat(chunks))
  })

  it('buffers data that arrives during a write for the next one, up to its limit', async () => {
    let release = () => {}
    const stuck = new Promise<void>(resolve => {
      release = resolve
    })
    const sizes: number[] = []
    const { file, content } = memoryFile(async offered => {
      sizes.push(offered)
      await stuck
      return offered
    })
    const sink = createFileSink(file)
    let accepted = 0
    const filling = (async () => {
      for (let index = 0; index < 200; index++) {
        await sink.add(Buffer.alloc(64 << 10, index))
        accepted += 64 << 10
      }
    })()
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
    assert.deepEqual(sizes, [64 << 10])
    assert.ok(accepted <= 4 << 20, `${accepted} bytes were buffered while the disk stalled`)
    release()
    await filling
    await sink.finish()
    assert.equal(content().length, 200 * (64 << 10))
    assert.equal(sizes[1], 2 << 20)
  })

  it('frees the chunks that it may free when they are written, and no others', async () => {
    const { file, content } = memoryFile(async offered => Math.ceil(offered / 3))
    const sink = createFileSink(file)
    const chunks = Array.from({ length: 20 }, (_, index) => Buffer.allocUnsafeSlow(1000).fill(index))
    const expected = Buffer.concat(chunks)
    for (const [index, chunk] of chunks.entries()) await sink.add(index % 2 === 0 ? allowFree(chunk) : chunk)
    await sink.finish()
    assert.deepEqual(content(), expected)
    assert.deepEqual(
      chunks.map(chunk => chunk.length),
      chunks.map((_, index) => (index % 2 === 0 ? 0 : 1000)),
    )
  })

  it('buffers few chunks even if they are tiny', async () => {
    const { file } = memoryFile(() => new Promise(() => {}))
    const sink = createFileSink(file)
    let accepted = 0
    void (async () => {
      for (;;) {
        await sink.add(Buffer.from('x'))
        accepted++
      }
    })()
    await new Promise(resolve => setImmediate(resolve))
    assert.ok(accepted <= 2048, `${accepted} chunks`)
  })

  it('starts writeback of large files early and syncs once at the end', async () => {
    const { file, calls } = memoryFile(async offered => offered)
    const sink = createFileSink(file)
    for (let index = 0; index < 40; index++) await sink.add(Buffer.alloc(1 << 20))
    await sink.finish()
    assert.ok(calls.datasyncs >= 1)
    assert.equal(calls.syncs, 1)
  })

  it('fails when an early sync failed, even though the last one would succeed', async () => {
    const { file, calls } = memoryFile(async offered => offered)
    file.datasync = async () => {
      calls.datasyncs++
      throw failure('EIO')
    }
    const sink = createFileSink(file)
    const filling = async () => {
      for (let index = 0; index < 40; index++) await sink.add(Buffer.alloc(1 << 20))
      await sink.finish()
    }
    await assert.rejects(filling(), { reason: 'unavailable' })
    assert.deepEqual([calls.datasyncs, calls.syncs], [1, 0])
  })

  it('does not retry a failed sync', async () => {
    const { file, calls } = memoryFile(async offered => offered)
    file.sync = async () => {
      calls.syncs++
      throw failure('EIO')
    }
    const sink = createFileSink(file)
    await sink.add(Buffer.from('x'))
    await assert.rejects(sink.finish(), { reason: 'unavailable' })
    assert.equal(calls.syncs, 1)
  })

  it('reports which disk operation failed', async () => {
    for (const [code, reason] of [
      ['ENOSPC', 'storage_full'],
      ['EDQUOT', 'storage_full'],
      ['EROFS', 'unavailable'],
      ['EIO', 'unavailable'],
    ]) {
      const { file } = memoryFile(async () => {
        throw failure(code!)
      })
      const sink = createFileSink(file)
      await sink.add(Buffer.from('x'))
      await assert.rejects(sink.finish(), (error: Error & { reason?: string }) => {
        assert.equal(error.reason, reason)
        assert.equal((error.cause as { code?: string }).code, code)
        return true
      })
    }
  })

  it('recognizes an exceeded quota by its number, which is all that libuv returns', async () => {
    const { file } = memoryFile(async () => {
      throw Object.assign(new Error('write'), {
        code: 'Unknown system error -122',
        errno: -constants.errno.EDQUOT,
      })
    })
    const sink = createFileSink(file)
    await sink.add(Buffer.from('x'))
    await assert.rejects(sink.finish(), { reason: 'storage_full' })
  })

  it('reports a full disk as such', { skip: !existsSync('/dev/full') }, async () => {
    const file = await open('/dev/full', 'w')
    const sink = createFileSink(file)
    await sink.add(Buffer.from('x'))
    await assert.rejects(sink.finish(), { reason: 'storage_full' })
    await sink.settle()
    await file.close()
  })
})
