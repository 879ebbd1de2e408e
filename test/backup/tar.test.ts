import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { extract } from 'tar-stream'
import { blockBytes, decodeHeader, encodeHeader, paddingOf } from '../../src/backup/tar.ts'

for (const size of [0, 1, 511, 512, 8 ** 11 - 1, 8 ** 11, 2 ** 40, Number.MAX_SAFE_INTEGER])
  test(`a header with the size ${size} can be read by this reader and by tar`, async () => {
    const header = encodeHeader({ name: 'blobs/abc', size }, 1_700_000_000_000)
    assert.equal(header.length, blockBytes)
    assert.deepEqual(decodeHeader(header), { name: 'blobs/abc', size })
    const other = extract()
    other.on('error', () => {})
    const entry = once(other, 'entry')
    other.write(header)
    const [read] = (await entry) as [{ name: string; size: number; type: string; mtime: Date }]
    assert.deepEqual([read.name, read.size, read.type], ['blobs/abc', size, 'file'])
    assert.equal(read.mtime.getTime(), 1_700_000_000_000)
    other.destroy()
  })

test('padding fills blocks', () => {
  assert.deepEqual([0, 1, 511, 512, 513].map(paddingOf), [0, 511, 1, 0, 511])
})

test('an empty block ends an archive', () => {
  assert.equal(decodeHeader(Buffer.alloc(blockBytes)), undefined)
})
