import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { detectMimeType } from '../../../src/files/detect-mime-type.ts'
import { formatOf } from '../../../src/knowledge/ingest/readers/document-format.ts'

const openXml = 'application/vnd.openxmlformats-officedocument'

describe('the format of a file', () => {
  it('depends on the name if the content is text', async () => {
    const formats = {
      ...{ 'a.txt': 'text', 'a.log': 'text', 'a.rst': 'text', README: 'text', 'a.unknown': 'text' },
      ...{
        'a.md': 'markdown',
        'A.MARKDOWN': 'markdown',
        'a.mdx': 'markdown',
        'a.html': 'html',
        'a.xhtml': 'html',
      },
      ...{ 'a.csv': 'csv', 'a.tsv': 'tsv', 'a.json': 'json', 'a.jsonl': 'jsonl', 'a.ndjson': 'jsonl' },
      ...{
        'a.ipynb': 'notebook',
        'a.py': 'code',
        'a.ts': 'code',
        'a.yaml': 'code',
        'a.xml': 'code',
        Makefile: 'code',
      },
    }
    for (const [name, format] of Object.entries(formats))
      assert.equal(formatOf(name, await detectMimeType(Buffer.from('some text'), name)), format, name)
  })

  it('recognizes binary formats by MIME type', () => {
    assert.equal(formatOf('a.pdf', 'application/pdf'), 'pdf')
    assert.equal(formatOf('a', `${openXml}.wordprocessingml.document`), 'docx')
    assert.equal(formatOf('a', `${openXml}.spreadsheetml.sheet`), 'xlsx')
    assert.equal(formatOf('a', `${openXml}.presentationml.presentation`), 'pptx')
    assert.equal(formatOf('a', 'application/vnd.ms-word.document.macroEnabled.12'), 'docx')
    for (const [kind, format] of [
      ['text', 'odt'],
      ['spreadsheet', 'ods'],
      ['presentation', 'odp'],
    ] as const)
      assert.equal(formatOf('a', `application/vnd.oasis.opendocument.${kind}`), format)
    assert.equal(formatOf('a', 'application/epub+zip'), 'epub')
  })

  it('prefers the content to the name', () => {
    assert.equal(formatOf('report.txt', 'application/pdf'), 'pdf')
    assert.equal(formatOf('page', 'text/html'), 'html')
    assert.equal(formatOf('report.pdf', 'text/html'), 'html')
    assert.equal(formatOf('notes.txt', 'image/png'), 'image')
    assert.equal(formatOf('a.docx', 'image/png'), 'image')
    assert.equal(formatOf('a.m4a', 'video/mp4'), 'recording')
  })

  it('uses the extension of a damaged or encrypted binary file', () => {
    assert.equal(formatOf('report.pdf', 'text/plain'), 'pdf')
    assert.equal(formatOf('report.pdf', 'application/octet-stream'), 'pdf')
    assert.equal(formatOf('a.docx', 'application/x-cfb'), 'docx')
    assert.equal(formatOf('a.xlsx', 'application/zip'), 'xlsx')
  })

  it('falls back to the extension if the type is unknown', () => {
    assert.equal(formatOf('a.csv', 'application/octet-stream'), 'csv')
    assert.equal(formatOf('a.dat', 'application/octet-stream'), undefined)
  })

  it('recognizes mail, rich text and files of old Office versions', () => {
    assert.equal(formatOf('a.doc', 'application/msword'), 'doc')
    assert.equal(formatOf('a.doc', 'application/rtf'), 'rtf')
    assert.equal(formatOf('a.xls', 'application/vnd.ms-excel'), 'xls')
    assert.equal(formatOf('a.pps', 'application/x-cfb'), 'ppt')
    assert.equal(formatOf('a.eml', 'message/rfc822'), 'eml')
    assert.equal(formatOf('a.msg', 'application/vnd.ms-outlook'), 'msg')
  })

  it('is undefined for unsupported files', () => {
    const types = ['image/svg+xml', 'video/mp4', 'application/x-elf', 'application/zip']
    for (const type of types) assert.equal(formatOf('a', type), undefined, type)
    assert.equal(formatOf('__proto__', 'application/octet-stream'), undefined)
    assert.equal(formatOf('a.constructor', 'application/octet-stream'), undefined)
  })
})
