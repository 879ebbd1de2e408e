import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { imageSize } from '../../../src/knowledge/ingest/readers/images/image-size.ts'
import { turnUpright } from '../../../src/knowledge/ingest/readers/images/orientation.ts'
import { readImage } from '../../../src/knowledge/ingest/readers/images/read-image.ts'
import { readPdf } from '../../../src/knowledge/ingest/readers/pdf/read-pdf.ts'
import type { MediaReader } from '../../../src/knowledge/ingest/recognition/medium.ts'
import { makeImage, makeScan } from '../../support/documents/make-scan.ts'
import { textOf } from '../../support/documents/read-blocks.ts'

/** Collects the pages that are to be recognised. */
const recogniser = () => {
  const pages: Uint8Array[] = []
  const announced: number[] = []
  const media: MediaReader = {
    startPages: async total => {
      announced.push(total)
      return true
    },
    skipPage: () => {},
    read: async medium => {
      assert.equal(medium.kind, 'page')
      if (medium.kind === 'page') pages.push(medium.jpeg)
      return { form: 'plain', text: `recognised ${pages.length}` }
    },
  }
  return { media, pages, announced }
}

/** A JPEG file with EXIF data that has nothing but the orientation. */
const withOrientation = (jpeg: Uint8Array, orientation: number): Uint8Array => {
  const exif = Buffer.alloc(36)
  exif.writeUInt16BE(0xffe1, 0)
  exif.writeUInt16BE(34, 2)
  exif.write('Exif\0\0MM\0*', 4, 'latin1')
  exif.writeUInt32BE(8, 14)
  exif.writeUInt16BE(1, 18)
  exif.writeUInt16BE(0x0112, 20)
  exif.writeUInt16BE(3, 22)
  exif.writeUInt32BE(1, 24)
  exif.writeUInt16BE(orientation, 28)
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]))
}

describe('an image', () => {
  it('is turned upright, as its EXIF data says', async () => {
    const { media, pages } = recogniser()
    const jpeg = makeImage(3, 'jpeg', [60, 80])
    await textOf(readImage(withOrientation(jpeg, 6), media))
    await textOf(readImage(withOrientation(jpeg, 3), media))
    await textOf(readImage(jpeg, media))
    assert.deepEqual(pages.map(imageSize), [
      { width: 80, height: 60 },
      { width: 60, height: 80 },
      { width: 60, height: 80 },
    ])
  })

  it('has its pixels where each orientation puts them', () => {
    // Three columns and two rows: abc, def.
    const rgba = new Uint8Array([...'abcdef'].flatMap(letter => [letter.charCodeAt(0), 0, 0, 255]))
    const shown = (orientation: number): string => {
      const { width, height, rgba: turned } = turnUpright({ width: 3, height: 2, rgba }, orientation)
      const letters = Array.from({ length: 6 }, (_, index) => String.fromCharCode(turned[index * 4]!))
      return Array.from({ length: height }, (_, row) =>
        letters.slice(row * width, (row + 1) * width).join(''),
      ).join(' ')
    }
    assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map(shown), [
      'abc def',
      'cba fed',
      'fed cba',
      'def abc',
      'ad be cf',
      'da eb fc',
      'fc eb da',
      'cf be ad',
      'abc def',
    ])
  })
})

describe('a page with few words', () => {
  it('is recognised if it is a scan', async () => {
    const { media, pages, announced } = recogniser()
    const scan = await makeScan([{ text: 'Copy', seed: 5 }, 'Only a few words.', { text: 'Page 3', seed: 6 }])
    const text = await textOf(readPdf(scan, media))
    assert.equal(pages.length, 2)
    assert.deepEqual(announced, [0, 2])
    assert.equal(text, 'Copy\nrecognised 1\nOnly a few words.\nPage 3\nrecognised 2')
  })

  it('is reported where nothing can recognise it, unlike blank pages', async () => {
    const unread: number[] = []
    const drawn = Array.from({ length: 30 }, (_, line) => `${line} 10 m ${line} 90 l S`).join(' ')
    const scan = await makeScan([
      'Text.',
      7,
      null,
      { text: 'Copy', seed: 8 },
      { drawn },
      { drawn: '0 0 m 9 9 l S' },
    ])
    const none: MediaReader = { ...recogniser().media, startPages: async () => false }
    assert.equal(
      await textOf(readPdf(scan, none, undefined, ({ pages }) => unread.push(...pages))),
      'Text.\nCopy',
    )
    assert.deepEqual(unread, [2, 4, 5])
  })

  it('is no scan if it draws thousands of lines first', async () => {
    const unread: number[] = []
    const lines = Array.from({ length: 30_000 }, (_, line) => `${line % 200} 10 m 9 90 l S`).join(' ')
    const image = 'q 190 0 0 270 5 5 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q'
    const map = await makeScan(['Text.', { text: 'Copy', drawn: `${lines} ${image}` }, { drawn: lines }])
    await textOf(readPdf(map, undefined, undefined, ({ pages }) => unread.push(...pages)))
    assert.deepEqual(unread, [3])
  })

  it('is a scan however its image is placed', async () => {
    const image = 'BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI'
    const place = '190 0 0 270 5 5 cm'
    const unread: number[] = []
    const scan = await makeScan([
      'Text.',
      { drawn: `q ${place} ${image} Q` },
      { drawn: `${place} ${image}` },
      { drawn: `q ${place} q ${image} Q Q 0 0 m 9 9 l S` },
      { drawn: `/Figure BMC q ${place} 0 0 1 1 re W n ${image} Q EMC` },
      { drawn: `q 2 0 0 2 0 0 cm q 95 0 0 135 5 5 cm ${image} Q Q` },
      // A logo, and nothing.
      { drawn: `q 20 0 0 20 5 5 cm ${image} Q` },
      { drawn: 'q 0 0 200 280 re W n Q' },
    ])
    await textOf(readPdf(scan, undefined, undefined, ({ pages }) => unread.push(...pages)))
    assert.deepEqual(unread, [2, 3, 4, 5, 6])
  })

  it('does not count as done before it is recognised', async () => {
    const { media } = recogniser()
    const done: number[] = []
    const words = 'still '.repeat(12)
    const scan = await makeScan([words, words, 9, words])
    await textOf(readPdf(scan, media, read => done.push(read)))
    assert.equal(Math.max(...done), 2)
  })

  it('is left as it is without a scan on it', async () => {
    const { media, pages } = recogniser()
    assert.equal(await textOf(readPdf(await makeScan(['Hello.', 'World.']), media)), 'Hello.\nWorld.')
    assert.equal(pages.length, 0)
  })
})
