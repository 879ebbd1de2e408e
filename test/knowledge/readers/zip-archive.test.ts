import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { strToU8, Zip, ZipDeflate, zipSync } from 'fflate'
import { openZip } from '../../../src/knowledge/ingest/readers/office/zip-archive.ts'
import { makeRawZip, makeZip, makeZipBomb } from '../../support/documents/make-zip.ts'
import { assertRefused } from '../../support/documents/read-blocks.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
const mebibyte = 1024 * 1024

const streamed = async (bytes: Uint8Array, name: string): Promise<string> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of (await openZip(bytes)).chunks(name)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('a zip archive', () => {
  it('returns deflated and stored entries, whole or in chunks', async () => {
    const long = '长文本 and more. '.repeat(20_000)
    const bytes = zipSync({
      'a.txt': strToU8('short'),
      'long.xml': strToU8(long),
      'stored.bin': [strToU8(long), { level: 0 }],
      empty: new Uint8Array(0),
    })
    const archive = await openZip(bytes)
    for (const name of ['a.txt', 'long.xml', 'stored.bin', 'empty']) assert.ok(archive.has(name), name)
    assert.equal(text(await archive.read('a.txt')), 'short')
    for (const name of ['long.xml', 'stored.bin']) {
      assert.equal(text(await archive.read(name)), long)
      assert.equal(await streamed(bytes, name), long)
    }
    assert.equal((await archive.read('empty')).length, 0)
    assert.equal(await streamed(bytes, 'empty'), '')
  })

  it('may have bytes before and after it', async () => {
    const bytes = makeZip({ a: 'text' })
    const commented = Buffer.concat([Buffer.from('#!/bin/sh\n'), bytes, Buffer.from('a comment')])
    assert.equal(text(await (await openZip(commented)).read('a')), 'text')
  })

  it('supports ZIP64', async () => {
    const part = { name: 'a', content: Buffer.from('wide '.repeat(100)), zip64: true }
    assert.equal(text(await (await openZip(makeRawZip([part]))).read('a')), 'wide '.repeat(100))
    await assertRefused(() => openZip(makeRawZip([part], 20_000)), 'too_large')
    const declared = { size: 0xfffffff0 }
    await assertRefused(() => openZip(makeRawZip([{ ...part, declared }])), 'too_large')
  })

  it('uses names as keys only', async () => {
    const archive = await openZip(makeZip({ '../../etc/passwd': 'x', '/abs': 'y', __proto__x: 'z' }))
    assert.equal(text(await archive.read('../../etc/passwd')), 'x')
    assert.equal(archive.has('etc/passwd'), false)
    assert.equal(archive.has('constructor'), false)
  })

  it('rejects input that is empty, truncated or not an archive', async () => {
    const bytes = makeZip({ 'a.xml': 'some text that is long enough to be cut' })
    for (const broken of [
      new Uint8Array(0),
      Buffer.from('PK'),
      Buffer.from('not a zip at all, but some text'),
      bytes.subarray(0, bytes.length - 10),
      bytes.subarray(20),
    ])
      await assertRefused(() => openZip(broken), 'broken_file')
    await assertRefused(async () => (await openZip(bytes)).read('other'), 'broken_file', /"other" is missing/)
  })

  it('rejects a wrong checksum', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.from('text'), declared: { crc: 1 } }])
    await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file', /checksum/)
    await assertRefused(() => streamed(bytes, 'a'), 'broken_file', /checksum/)
  })

  for (const [lie, size] of [
    ['more', 5],
    ['less', 50_000],
  ] as const)
    it(`rejects an entry that holds ${lie} than it declares`, async () => {
      const content = Buffer.from('0123456789 '.repeat(2000))
      const bytes = makeRawZip([{ name: 'a', content, declared: { size } }])
      await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file')
      await assertRefused(() => streamed(bytes, 'a'), 'broken_file')
    })

  it('rejects a stored entry with two different sizes', async () => {
    const content = Buffer.alloc(10)
    const bytes = makeRawZip([{ name: 'a', content, method: 0, declared: { size: 9 } }])
    await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file')
  })

  it('rejects unknown compression methods', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.alloc(10), method: 14 }])
    await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file')
  })

  it('reports an encrypted entry as password protection', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.from('x'), flags: 1 }])
    await assertRefused(() => openZip(bytes), 'encrypted', /password/)
  })

  it('rejects overlapping entries', async () => {
    const content = Buffer.from('the same bytes for both')
    const shared = makeRawZip([
      { name: 'a', content },
      { name: 'b', content, declared: { offset: 0 } },
    ])
    await assertRefused(() => openZip(shared), 'broken_file', /overlaps/)
    const tooLong = makeRawZip([{ name: 'a', content, declared: { packedSize: 40 } }])
    await assertRefused(() => openZip(tooLong), 'broken_file', /overlaps/)
  })

  it('rejects duplicate names', async () => {
    const content = Buffer.from('x')
    const bytes = makeRawZip([
      { name: 'a', content },
      { name: 'a', content },
    ])
    await assertRefused(() => openZip(bytes), 'broken_file', /twice/)
  })

  it('rejects too many entries before reading them', async () => {
    const few = [{ name: 'a', content: Buffer.from('x') }]
    await assertRefused(() => openZip(makeRawZip(few, 65_535)), 'too_large', /65535 entries/)
    await assertRefused(() => openZip(makeRawZip(few, 10_001)), 'too_large')
    await assertRefused(() => openZip(makeRawZip(few, 2)), 'broken_file')
  })

  it('reads entries with a data descriptor, as streaming writers create them', async () => {
    const chunks: Uint8Array[] = []
    const zip = new Zip((error, chunk) => {
      if (error) throw error
      chunks.push(chunk)
    })
    const entry = new ZipDeflate('streamed.xml')
    zip.add(entry)
    entry.push(strToU8('streamed '.repeat(1000)), true)
    zip.end()
    const bytes = Buffer.concat(chunks)
    assert.equal(bytes.readUInt16LE(6) & 8, 8, 'the sizes come after the data')
    assert.equal(await streamed(bytes, 'streamed.xml'), 'streamed '.repeat(1000))
  })

  it('reports strong encryption as password protection', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.from('x'), flags: 0x41 }])
    await assertRefused(() => openZip(bytes), 'encrypted', /password/)
  })

  it('rejects an entry without a local header, and one beyond the end of the file', async () => {
    const content = Buffer.from('text')
    for (const offset of [7, 100_000])
      await assertRefused(
        () => openZip(makeRawZip([{ name: 'a', content, declared: { offset } }])),
        'broken_file',
      )
  })

  it('rejects an archive that spans several disks', async () => {
    const bytes = Buffer.from(makeZip({ a: 'text' }))
    bytes.writeUInt16LE(1, bytes.length - 18)
    await assertRefused(() => openZip(bytes), 'broken_file')
  })

  it('accepts UTF-8 names without the UTF-8 flag, and backslashes', async () => {
    const archive = await openZip(makeRawZip([{ name: '文档\\正文.xml', content: Buffer.from('text') }]))
    assert.equal(text(await archive.read('文档/正文.xml')), 'text')
  })

  it('rejects only the unreadable entry, not the archive', async () => {
    const archive = await openZip(
      makeRawZip([
        { name: 'good', content: Buffer.from('text') },
        { name: 'bad', content: Buffer.from('text'), method: 0, declared: { size: 3 } },
      ]),
    )
    assert.equal(text(await archive.read('good')), 'text')
    await assertRefused(() => archive.read('bad'), 'broken_file', /two different sizes/)
  })

  it('accepts the maximum number of entries', async () => {
    const parts = Array.from({ length: 10_000 }, (_, index) => ({
      name: `${index}`,
      content: Buffer.from(`${index}`),
      method: 0,
    }))
    assert.equal(text(await (await openZip(makeRawZip(parts))).read('9999')), '9999')
  })
})

describe('a zip bomb', () => {
  it('is rejected by its declared size', async () => {
    await assertRefused(() => openZip(makeZipBomb()), 'too_large')
  })

  it('is rejected if all entries together declare more than 200 MiB', async () => {
    const parts = Array.from({ length: 3 }, (_, index) => ({
      name: `${index}`,
      content: Buffer.from('x'),
      declared: { size: 70 * mebibyte },
    }))
    await assertRefused(() => openZip(makeRawZip(parts)), 'too_large')
  })

  it('is rejected if it declares less than it holds', async () => {
    const content = Buffer.alloc(8 * mebibyte)
    const bytes = makeRawZip([{ name: 'a', content, declared: { size: 1000 } }])
    await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file')
    await assertRefused(() => streamed(bytes, 'a'), 'broken_file')
  })

  it('is rejected next to a large incompressible entry', async () => {
    const noise = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919 * index) % 251))
    const bytes = makeRawZip([
      { name: 'noise', content: noise, method: 0 },
      { name: 'bomb', content: Buffer.alloc(8 * mebibyte) },
    ])
    const archive = await openZip(bytes)
    assert.equal((await archive.read('noise')).length, noise.length)
    await assertRefused(() => archive.read('bomb'), 'too_large')
    await assertRefused(() => streamed(bytes, 'bomb'), 'too_large')
  })

  it('is not assumed in a small file that compresses well', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.alloc(mebibyte) }])
    assert.equal((await (await openZip(bytes)).read('a')).length, mebibyte)
  })

  it('inside another archive is never opened', async () => {
    const archive = await openZip(makeZip({ 'inner.zip': makeZipBomb() }))
    assert.ok((await archive.read('inner.zip')).length < 20_000)
  })
})

describe('a compound file in place of an archive', () => {
  const magic = Buffer.from('d0cf11e0a1b11ae1', 'hex')

  it('with an encrypted package is a protected document', async () => {
    const bytes = Buffer.concat([magic, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')])
    await assertRefused(() => openZip(bytes), 'encrypted')
  })

  it('is otherwise an old document, and the message says what to do', async () => {
    const bytes = Buffer.concat([magic, Buffer.from('WordDocument', 'utf16le')])
    await assertRefused(() => openZip(bytes), 'unsupported_format', /\.docx/)
  })
})
