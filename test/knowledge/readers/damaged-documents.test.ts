import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { unzipSync } from 'fflate'
import type { ReadBlocks } from '../../../src/knowledge/ingest/block.ts'
import { DocumentFailure } from '../../../src/knowledge/ingest/document-failure.ts'
import { readDocx } from '../../../src/knowledge/ingest/readers/office/read-docx.ts'
import { readEpub } from '../../../src/knowledge/ingest/readers/office/read-epub.ts'
import { readOpenDocument } from '../../../src/knowledge/ingest/readers/office/read-open-document.ts'
import { readPptx } from '../../../src/knowledge/ingest/readers/office/read-pptx.ts'
import { readXlsx } from '../../../src/knowledge/ingest/readers/office/read-xlsx.ts'
import { makeDocx } from '../../support/documents/make-docx.ts'
import { makeEpub } from '../../support/documents/make-epub.ts'
import { makeOdt } from '../../support/documents/make-odt.ts'
import { makePdf } from '../../support/documents/make-pdf.ts'
import { makePptx } from '../../support/documents/make-pptx.ts'
import { makeXlsx } from '../../support/documents/make-xlsx.ts'
import { makeRawZip } from '../../support/documents/make-zip.ts'
import { blocksOf } from '../../support/documents/read-blocks.ts'
import { startPdfWorker } from '../../support/documents/read-pdf-in-worker.ts'
import { rounds } from '../../support/rounds.ts'

type Read = (bytes: Uint8Array) => ReadBlocks

interface Kind {
  make: () => Uint8Array | Promise<Uint8Array>
  read: Read
  runs: number
}

const kinds: Record<string, Kind> = {
  docx: {
    make: () =>
      makeDocx([
        { heading: 'A', level: 1 },
        '正文 text',
        {
          table: [
            ['a', 'b'],
            ['1', '2'],
          ],
        },
        { text: 'x', footnote: 'y' },
      ]),
    read: readDocx,
    runs: 120,
  },
  xlsx: {
    make: () =>
      makeXlsx([
        {
          name: 'S',
          rows: [
            [{ value: 'Name' }, { value: 1 }],
            [{ value: new Date(0), format: 'yyyy' }, { value: true }],
          ],
        },
      ]),
    read: readXlsx,
    runs: 120,
  },
  pptx: {
    make: () => makePptx([{ title: 'T', texts: ['a'], notes: 'n', table: [['1', '2']] }]),
    read: readPptx,
    runs: 60,
  },
  odt: {
    make: () => makeOdt('<text:h>A</text:h><text:p>text</text:p>'),
    read: bytes => readOpenDocument(bytes, 'odt'),
    runs: 120,
  },
  ods: {
    make: () =>
      makeOdt(
        '<table:table table:name="S"><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table>',
        { kind: 'ods' },
      ),
    read: bytes => readOpenDocument(bytes, 'ods'),
    runs: 120,
  },
  epub: {
    make: () => makeEpub({ chapters: { 'a.xhtml': '<h1>A</h1><p>b</p>' } }),
    read: readEpub,
    runs: 120,
  },
}

/** Only `DocumentFailure` with a clear message is allowed. */
const assertReadOrRefused = async (read: Read, bytes: Uint8Array): Promise<void> => {
  try {
    await blocksOf(read(bytes))
  } catch (error) {
    if (!(error instanceof DocumentFailure)) throw error
    assert.notEqual(error.message, '')
  }
}

const damage = fc.record({
  flips: fc.array(
    fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), to: fc.integer({ min: 0, max: 255 }) }),
    { maxLength: 8 },
  ),
  keep: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
})

const damaged = (
  bytes: Uint8Array,
  { flips, keep }: { flips: { at: number; to: number }[]; keep: number },
) => {
  const copy = bytes.slice(0, Math.ceil(bytes.length * keep))
  for (const { at, to } of flips) if (copy.length > 0) copy[Math.floor(at * (copy.length - 1))] = to
  return copy
}

for (const [name, { make, read, runs }] of Object.entries(kinds))
  describe(`a damaged ${name}`, () => {
    let bytes: Uint8Array
    before(async () => {
      bytes = await make()
    })

    it('is valid before it is damaged', async () => {
      assert.ok((await blocksOf(read(bytes))).length > 0)
    })

    it('is read or rejected, whatever was flipped or truncated', async () => {
      await fc.assert(
        fc.asyncProperty(damage, how => assertReadOrRefused(read, damaged(bytes, how))),
        { numRuns: rounds(Math.ceil(runs / 4)) },
      )
    })

    it('is read or rejected if its entries are damaged', async () => {
      const parts = Object.entries(unzipSync(bytes))
      await fc.assert(
        fc.asyncProperty(fc.nat(parts.length - 1), damage, (chosen, how) => {
          const raw = parts.map(([part, content], index) => ({
            name: part,
            content: index === chosen ? damaged(content, how) : content,
          }))
          return assertReadOrRefused(read, makeRawZip(raw))
        }),
        { numRuns: rounds(Math.ceil(runs / 4)) },
      )
    })

    it('that is empty or another format is rejected', async () => {
      for (const other of ['', 'x', 'PK\u0003\u0004', '<html></html>'])
        await assert.rejects(blocksOf(read(Buffer.from(other))), DocumentFailure)
    })
  })

describe('a damaged pdf', () => {
  const worker = startPdfWorker()
  after(() => worker.stop())

  it('is read or rejected, whatever was flipped or truncated', async () => {
    const bytes = await makePdf({
      pages: [['Some text', { text: 'Large', size: 20 }], ['More text']],
    })
    assert.equal(await worker.read(bytes), 3)
    await fc.assert(
      fc.asyncProperty(damage, async how => {
        await worker.read(damaged(bytes, how)).catch((error: unknown) => {
          if (!(error instanceof DocumentFailure)) throw error
        })
      }),
      { numRuns: rounds(40) },
    )
  })

  it('that is empty or another format is rejected', async () => {
    for (const other of ['', 'x', '%PDF-1.7', '<html></html>'])
      await assert.rejects(worker.read(Buffer.from(other)), DocumentFailure)
  })
})
