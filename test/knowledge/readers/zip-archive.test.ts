import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { strToU8, zipSync } from 'fflate'
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
  it('gives back what a writer put in, packed or stored, whole or in pieces', async () => {
    const long = '长文本 and more. '.repeat(20_000)
    const bytes = zipSync({
      'a.txt': strToU8('short'),
      'long.xml': strToU8(long),
      'stored.bin': [strToU8(long), { level: 0 }],
      empty: new Uint8Array(0),
    })
    const archive = await openZip(bytes)
    assert.deepEqual(archive.names, ['a.txt', 'long.xml', 'stored.bin', 'empty'])
    assert.equal(text(archive.read('a.txt')), 'short')
    for (const name of ['long.xml', 'stored.bin']) {
      assert.equal(text(archive.read(name)), long)
      assert.equal(await streamed(bytes, name), long)
    }
    assert.equal(archive.read('empty').length, 0)
    assert.equal(await streamed(bytes, 'empty'), '')
  })

  it('is found behind other bytes and before a comment', async () => {
    const bytes = makeZip({ a: 'text' })
    const commented = Buffer.concat([Buffer.from('#!/bin/sh\n'), bytes, Buffer.from('a comment')])
    assert.equal(text((await openZip(commented)).read('a')), 'text')
  })

  it('may have its sizes in wide numbers', async () => {
    const part = { name: 'a', content: Buffer.from('wide '.repeat(100)), zip64: true }
    assert.equal(text((await openZip(makeRawZip([part]))).read('a')), 'wide '.repeat(100))
    await assertRefused(() => openZip(makeRawZip([part], 20_000)), 'too_large')
    const declared = { size: 0xfffffff0 }
    await assertRefused(() => openZip(makeRawZip([{ ...part, declared }])), 'too_large')
  })

  it('takes names as keys and nothing more', async () => {
    const archive = await openZip(makeZip({ '../../etc/passwd': 'x', '/abs': 'y', __proto__x: 'z' }))
    assert.equal(text(archive.read('../../etc/passwd')), 'x')
    assert.equal(archive.has('etc/passwd'), false)
    assert.equal(archive.has('constructor'), false)
  })

  it('refuses what is no archive, is empty or is cut off', async () => {
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

  it('refuses a wrong checksum', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.from('text'), declared: { crc: 1 } }])
    await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file', /checksum/)
    await assertRefused(() => streamed(bytes, 'a'), 'broken_file', /checksum/)
  })

  for (const [lie, size] of [
    ['more', 5],
    ['less', 50_000],
  ] as const)
    it(`refuses a part that holds ${lie} than it declares`, async () => {
      const content = Buffer.from('0123456789 '.repeat(2000))
      const bytes = makeRawZip([{ name: 'a', content, declared: { size } }])
      await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file')
      await assertRefused(() => streamed(bytes, 'a'), 'broken_file')
    })

  it('refuses a stored part with two sizes', async () => {
    const content = Buffer.alloc(10)
    const bytes = makeRawZip([{ name: 'a', content, method: 0, declared: { size: 9 } }])
    await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file')
  })

  it('refuses packing methods it does not know', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.alloc(10), method: 14 }])
    await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file')
  })

  it('says of an encrypted part that a password is in the way', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.from('x'), flags: 1 }])
    await assertRefused(() => openZip(bytes), 'encrypted', /password/)
  })

  it('refuses parts that share bytes', async () => {
    const content = Buffer.from('the same bytes for both')
    const shared = makeRawZip([
      { name: 'a', content },
      { name: 'b', content, declared: { offset: 0 } },
    ])
    await assertRefused(() => openZip(shared), 'broken_file', /overlaps/)
    const tooLong = makeRawZip([{ name: 'a', content, declared: { packedSize: 40 } }])
    await assertRefused(() => openZip(tooLong), 'broken_file', /overlaps/)
  })

  it('refuses the same name twice', async () => {
    const content = Buffer.from('x')
    const bytes = makeRawZip([
      { name: 'a', content },
      { name: 'a', content },
    ])
    await assertRefused(() => openZip(bytes), 'broken_file', /twice/)
  })

  it('refuses too many parts before it looks at them', async () => {
    const few = [{ name: 'a', content: Buffer.from('x') }]
    await assertRefused(() => openZip(makeRawZip(few, 65_535)), 'too_large', /65535 entries/)
    await assertRefused(() => openZip(makeRawZip(few, 10_001)), 'too_large')
    await assertRefused(() => openZip(makeRawZip(few, 2)), 'broken_file')
  })

  it('takes as many parts as are allowed', async () => {
    const parts = Array.from({ length: 10_000 }, (_, index) => ({
      name: `${index}`,
      content: Buffer.from(`${index}`),
      method: 0,
    }))
    assert.equal(text((await openZip(makeRawZip(parts))).read('9999')), '9999')
  })
})

describe('a zip bomb', () => {
  it('is refused by what it declares', async () => {
    await assertRefused(() => openZip(makeZipBomb()), 'too_large')
  })

  it('is refused when all parts together declare more than 200 MiB', async () => {
    const parts = Array.from({ length: 3 }, (_, index) => ({
      name: `${index}`,
      content: Buffer.from('x'),
      declared: { size: 70 * mebibyte },
    }))
    await assertRefused(() => openZip(makeRawZip(parts)), 'too_large')
  })

  it('does not get through by declaring little', async () => {
    const content = Buffer.alloc(8 * mebibyte)
    const bytes = makeRawZip([{ name: 'a', content, declared: { size: 1000 } }])
    await assertRefused(async () => (await openZip(bytes)).read('a'), 'broken_file')
    await assertRefused(() => streamed(bytes, 'a'), 'broken_file')
  })

  it('does not hide behind a large part that cannot be packed', async () => {
    const noise = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919 * index) % 251))
    const bytes = makeRawZip([
      { name: 'noise', content: noise, method: 0 },
      { name: 'bomb', content: Buffer.alloc(8 * mebibyte) },
    ])
    const archive = await openZip(bytes)
    assert.equal(archive.read('noise').length, noise.length)
    await assertRefused(() => archive.read('bomb'), 'too_large')
    await assertRefused(() => streamed(bytes, 'bomb'), 'too_large')
  })

  it('is not suspected in a small file that packs well', async () => {
    const bytes = makeRawZip([{ name: 'a', content: Buffer.alloc(mebibyte) }])
    assert.equal((await openZip(bytes)).read('a').length, mebibyte)
  })

  it('inside another archive is never opened', async () => {
    const archive = await openZip(makeZip({ 'inner.zip': makeZipBomb() }))
    assert.ok(archive.read('inner.zip').length < 20_000)
  })
})

describe('a compound file in place of an archive', () => {
  const magic = Buffer.from('d0cf11e0a1b11ae1', 'hex')

  it('with an encrypted package is a protected document', async () => {
    const bytes = Buffer.concat([magic, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')])
    await assertRefused(() => openZip(bytes), 'encrypted')
  })

  it('is an old document otherwise, and the message says what to do', async () => {
    const bytes = Buffer.concat([magic, Buffer.from('WordDocument', 'utf16le')])
    await assertRefused(() => openZip(bytes), 'unsupported_format', /\.docx/)
  })
})
