import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { readDocx } from '../../../src/knowledge/ingest/readers/office/read-docx.ts'
import { readEpub } from '../../../src/knowledge/ingest/readers/office/read-epub.ts'
import { readOpenDocument } from '../../../src/knowledge/ingest/readers/office/read-open-document.ts'
import { readPptx } from '../../../src/knowledge/ingest/readers/office/read-pptx.ts'
import { readXlsx } from '../../../src/knowledge/ingest/readers/office/read-xlsx.ts'
import { readPdf } from '../../../src/knowledge/ingest/readers/pdf/read-pdf.ts'
import { makePptx } from '../../support/documents/make-pptx.ts'
import { blocksOf, textOf } from '../../support/documents/read-blocks.ts'

const chinese =
  '本报告说明了二〇二五年第三季度的销售情况，并给出对下一季度的展望。公司在华东地区的增长尤其明显，客户数量比去年同期增加了百分之二十三。'
const english =
  'Sales grew in every region, most of all in the east, where two new offices were opened during the summer and the number of customers rose by twenty-three percent.'

const html = `<html><head><meta charset="utf-8"></head><body><h1>季度报告 Report</h1><p>${chinese}</p><h2>销售 Sales</h2><p>${english}</p><ul><li>第一项</li><li>Second item</li></ul><table border="1"><tr><th>地区</th><th>Amount</th></tr><tr><td>华东</td><td>1200</td></tr><tr><td>华南</td><td>800</td></tr></table></body></html>`
const csv = '地区,Amount,Day\n华东,1200.5,2024-02-29\n华南,800,2024-03-01\n'

const missing = spawnSync('soffice', ['--version']).error
const skip = missing ? 'soffice is not installed, so files of a real office suite cannot be made' : false

describe('files written by LibreOffice', { skip }, () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'office-suite-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const convert = (source: string, to: string, ...options: string[]): Uint8Array => {
    // A separate profile isolates it from other instances.
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
    execFileSync(
      'soffice',
      [profile, '--headless', ...options, '--convert-to', to, '--outdir', folder, source],
      {
        stdio: 'ignore',
        timeout: 120_000,
      },
    )
    const extension = to.split(':')[0]!
    return new Uint8Array(
      readFileSync(join(folder, `${basename(source).replace(/\.\w+$/, '')}.${extension}`)),
    )
  }

  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }

  it('are read as text documents: odt, docx, pdf, epub', async () => {
    const source = write('report.html', html)
    const odt = convert(source, 'odt:writer8', '--infilter=HTML (StarWriter)')
    const expected = [
      { kind: 'heading', level: 1, text: '季度报告 Report' },
      { kind: 'paragraph', text: chinese },
      { kind: 'heading', level: 2, text: '销售 Sales' },
      { kind: 'paragraph', text: english },
      { kind: 'paragraph', text: '- 第一项' },
      { kind: 'paragraph', text: '- Second item' },
      {
        kind: 'table',
        header: ['地区', 'Amount'],
        rows: [
          ['华东', '1200'],
          ['华南', '800'],
        ],
      },
    ]
    assert.deepEqual(await blocksOf(readOpenDocument(odt, 'odt')), expected)
    const document = join(folder, 'report.odt')
    assert.deepEqual(await blocksOf(readDocx(convert(document, 'docx'))), expected)
    const pdf = await blocksOf(readPdf(convert(document, 'pdf')))
    assert.deepEqual(
      pdf.slice(0, 6).map(({ lines: _, ...block }) => block),
      expected.slice(0, 6).map(block => ({ ...block, page: 1 })),
    )
    const epub = await textOf(readEpub(convert(document, 'epub')))
    for (const part of ['季度报告 Report', chinese, english, '华东']) assert.ok(epub.includes(part), part)
  })

  it('are read as spreadsheets: xlsx, ods', async () => {
    const source = write('table.csv', csv)
    // Commas, quotes, UTF-8, from the first line on, with dates recognised.
    const filter = '--infilter=CSV:44,34,76,1,,1033,false,true'
    const expected = {
      kind: 'table',
      header: ['地区', 'Amount', 'Day'],
      rows: [
        ['华东', '1200.5', '2024-02-29'],
        ['华南', '800', '2024-03-01'],
      ],
    }
    for (const [kind, read] of [
      ['xlsx', readXlsx],
      ['ods', (bytes: Uint8Array) => readOpenDocument(bytes, 'ods')],
    ] as const) {
      const [block, ...others] = await blocksOf(read(convert(source, kind, filter)))
      assert.deepEqual({ ...block, sheet: undefined }, { ...expected, sheet: undefined }, kind)
      assert.ok(block?.sheet, kind)
      assert.deepEqual(others, [])
    }
  })

  it('are read as presentations: odp, pptx', async () => {
    const made = await makePptx([
      { title: '产品 Product', texts: [chinese], notes: '备注 Remark' },
      {
        title: 'Second',
        table: [
          ['地区', 'Sum'],
          ['华东', '1'],
        ],
      },
    ])
    const source = write('slides.pptx', made)
    const odp = convert(source, 'odp')
    const again = convert(join(folder, 'slides.odp'), 'pptx')
    for (const blocks of [await blocksOf(readOpenDocument(odp, 'odp')), await blocksOf(readPptx(again))])
      assert.deepEqual(blocks, [
        { kind: 'heading', level: 2, text: '产品 Product', page: 1 },
        { kind: 'paragraph', text: chinese, page: 1 },
        { kind: 'paragraph', text: 'Notes: 备注 Remark', page: 1 },
        { kind: 'heading', level: 2, text: 'Second', page: 2 },
        { kind: 'table', header: ['地区', 'Sum'], rows: [['华东', '1']], page: 2 },
      ])
  })
})
