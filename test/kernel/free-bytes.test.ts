import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { openBlob } from '../../src/adapters/blob/open-blob.ts'
import { allowFree, freeBytes } from '../../src/kernel/free-bytes.ts'

test('frees bytes once that is allowed, and no other', () => {
  const own = allowFree(Buffer.allocUnsafeSlow(1000))
  const { buffer } = own
  freeBytes(own)
  freeBytes(own)
  assert.deepEqual([own.length, buffer.byteLength], [0, 0])
  const unmarked = Buffer.alloc(1000, 1)
  freeBytes(unmarked)
  assert.equal(unmarked[999], 1)
})

test('never frees a part of a buffer, nor the buffer that small ones share', () => {
  const whole = allowFree(Buffer.allocUnsafeSlow(1000).fill(1))
  freeBytes(whole.subarray(0, 10))
  freeBytes(new Uint8Array(whole.buffer))
  assert.equal(whole[999], 1)
  const small = allowFree(Buffer.from('small'))
  const neighbour = Buffer.from('neighbour')
  freeBytes(small)
  assert.deepEqual([String(small), String(neighbour)], ['small', 'neighbour'])
})

test('frees the chunks of a stored file, each when it was used', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-test-'))
  const path = join(folder, 'blob')
  const content = Buffer.alloc(1_000_000, 'content of a file ')
  await writeFile(path, content)
  const copies: Buffer[] = []
  for await (const chunk of (await openBlob(path)) as AsyncIterable<Buffer>) {
    copies.push(Buffer.from(chunk))
    freeBytes(chunk)
    assert.equal(chunk.length, 0)
  }
  assert.ok(Buffer.concat(copies).equals(content))
  await rm(folder, { recursive: true })
})
