import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { headBytes } from '../../src/files/blob-store.ts'
import { detectMimeType, isInlineSafe } from '../../src/files/detect-mime-type.ts'

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex')
const bytes = (...parts: (string | Buffer)[]) => Buffer.concat(parts.map(part => Buffer.from(part)))

const png = hex(
  '89504e470d0a1a0a 0000000d49484452 0000000100000001 0806000000 1f15c489' +
    '0000000d49444154 789c6364f8cf50cf00000184fe81 d2a0b5c1 0000000049454e44ae426082',
)
const jpeg = hex('ffd8ffe000104a46494600010100000100010000ffdb004300')
const gif = bytes(
  'GIF89a',
  hex('0100010080000000000000ffffff21f90401000000002c00000000010001000002024401003b'),
)
const webp = bytes('RIFF', hex('24000000'), 'WEBPVP8 ', hex('18000000300100009d012a0100010002003425a400'))
const bmp = bytes('BM', hex('3a0000000000000036000000280000000100000001000000010018000000000004000000'))
const pdf = bytes('%PDF-1.7\n%', hex('e2e3cfd3'), '\n1 0 obj\n<< /Type /Catalog >>\nendobj\n')
const asciiPdf = bytes('%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n')
const mp4 = bytes(hex('00000020'), 'ftypisom', hex('00000200'), 'isomiso2avc1mp41', hex('00000008'), 'free')
const mp3 = bytes('ID3', hex('030000 00000000 fffb9064'), Buffer.alloc(400, 0x55))
const elf = bytes(hex('7f'), 'ELF', hex('02010100000000000000000002003e0001000000'))
const oldOffice = bytes(hex('d0cf11e0a1b11ae1'), Buffer.alloc(504))
const tgz = gzipSync('not a tar')

/** One stored zip entry, as far as a streaming reader needs it. */
const zipEntry = (name: string, content: string, size = content.length) => {
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(20, 4)
  header.writeUInt32LE(size, 18)
  header.writeUInt32LE(size, 22)
  header.writeUInt16LE(name.length, 26)
  return bytes(header, name, content)
}
const zip = zipEntry('hello.txt', 'hello')
const docx = bytes(
  zipEntry(
    '[Content_Types].xml',
    '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
  ),
  zipEntry('word/document.xml', '<w:document/>'),
)
const odt = zipEntry('mimetype', 'application/vnd.oasis.opendocument.text')
const epub = zipEntry('mimetype', 'application/epub+zip')
/** The significant entry is beyond the head, as in files that start with a large picture. */
const lateZip = bytes(zipEntry('media/image1.png', '\0'.repeat(4000), 900_000)).subarray(0, headBytes)

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const html = '<!DOCTYPE html>\n<html><script>alert(1)</script></html>'
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
const gb18030 = hex('d6d0b9facec4d7d6b2e2cad4a3acd5e2cac7d2bbb8f6cec4b1bea1a30a')
const utf16 = bytes(hex('fffe'), Buffer.from('标题,值\r\n一,1\r\n', 'utf16le'))
const binary = hex('00010203fffefdfc80818283')

describe('type by magic bytes', () => {
  for (const [title, head, name, expected] of [
    ['PNG', png, 'a.png', 'image/png'],
    ['PNG called text', png, 'a.txt', 'image/png'],
    ['PNG called HTML', png, 'a.html', 'image/png'],
    ['PNG without a name', png, '', 'image/png'],
    ['PNG that is damaged, called text', bytes(png.subarray(0, 8), 'damaged'), 'a.txt', 'image/png'],
    ['JPEG', jpeg, 'a.jpg', 'image/jpeg'],
    ['GIF', gif, 'a.gif', 'image/gif'],
    ['WebP', webp, 'a.webp', 'image/webp'],
    ['BMP', bmp, 'a.bmp', 'image/bmp'],
    ['PDF', pdf, 'a.pdf', 'application/pdf'],
    ['PDF of ASCII only', asciiPdf, 'a.pdf', 'application/pdf'],
    ['PDF called text', asciiPdf, 'a.txt', 'application/pdf'],
    ['PDF after some junk', bytes('\0\n', pdf), 'a.pdf', 'application/pdf'],
    ['RTF called doc', Buffer.from('{\\rtf1\\ansi hello}'), 'a.doc', 'application/rtf'],
    ['PostScript', Buffer.from('%!PS-Adobe-3.0\n'), 'a.ps', 'application/postscript'],
    ['MP4', mp4, 'a.mp4', 'video/mp4'],
    ['MP3', mp3, 'a.mp3', 'audio/mpeg'],
    ['MP3 that is damaged', bytes('ID3', hex('0300000000000a'), Buffer.alloc(30)), 'a.bin', 'audio/mpeg'],
    ['ELF called PDF', elf, 'a.pdf', 'application/x-elf'],
    ['ZIP called PDF', zip, 'a.pdf', 'application/zip'],
    ['ZIP', zip, 'a.zip', 'application/zip'],
    ['gzip', tgz, 'a.gz', 'application/gzip'],
    ['GIF with a PDF behind', bytes(gif, pdf), 'a.pdf', 'image/gif'],
    ['DOCX', docx, 'a.docx', word],
    ['DOCX called ZIP', docx, 'a.zip', word],
    ['DOCX called XLSX', docx, 'a.xlsx', word],
    ['ODT', odt, 'a.odt', 'application/vnd.oasis.opendocument.text'],
    ['EPUB', epub, 'a.epub', 'application/epub+zip'],
    ['ZIP with a late significant entry', lateZip, 'a.docx', word],
    ['ZIP with a late significant entry, without a name', lateZip, 'a', 'application/zip'],
    ['OLE2 called doc', oldOffice, 'a.DOC', 'application/msword'],
    ['OLE2 called xls', oldOffice, 'a.xls', 'application/vnd.ms-excel'],
    ['OLE2 called ppt', oldOffice, 'a.ppt', 'application/vnd.ms-powerpoint'],
    ['OLE2 called docx', oldOffice, 'a.docx', 'application/x-cfb'],
    ['OLE2 called HTML', oldOffice, 'a.html', 'application/x-cfb'],
  ] as const)
    it(title, async () => assert.equal(await detectMimeType(head, name), expected))
})

describe('type by name, for text', () => {
  for (const [content, name, expected] of [
    ['hello', 'a.txt', 'text/plain'],
    ['# hello', 'a.md', 'text/markdown'],
    ['a,b\n1,2', 'a.csv', 'text/csv'],
    ['a\tb', 'a.tsv', 'text/tab-separated-values'],
    ['{}', 'a.json', 'application/json'],
    ['{}\n{}', 'a.jsonl', 'application/jsonl'],
    ['a: 1', 'a.yaml', 'application/yaml'],
    ['print(1)', 'a.py', 'text/x-python'],
    ['let a: number', 'a.ts', 'text/x-typescript'],
    ['body {}', 'a.css', 'text/css'],
    [html, 'a.html', 'text/html'],
    [html, 'a.HTM', 'text/html'],
    [html, 'a.txt', 'text/plain'],
    [html, 'a.png', 'text/plain'],
    [html, 'a.pdf', 'text/plain'],
    [html, 'a.jpeg', 'text/plain'],
    [html, 'a.doc', 'text/plain'],
    [html, 'png.html.png', 'text/plain'],
    [html, 'a', 'text/html'],
    [html, 'a.unheardof', 'text/html'],
    [`\ufeff <!-- a --> ${html}`, 'a', 'text/html'],
    ['<script>alert(1)</script>', 'a', 'text/html'],
    [svg, 'a.svg', 'image/svg+xml'],
    [`<?xml version="1.0"?>${svg}`, 'a.svg', 'image/svg+xml'],
    [`<?xml version="1.0"?><!DOCTYPE svg PUBLIC "a" "b"><!-- c -->${svg}`, 'a', 'image/svg+xml'],
    [svg, 'a.txt', 'text/plain'],
    [svg, 'a.jpg', 'text/plain'],
    ['<?xml version="1.0"?><rows/>', 'a.xml', 'application/xml'],
    ['<?xml version="1.0"?><rows/>', 'a', 'application/xml'],
    ['<?xml version="1.0"?><rows/>', 'a.txt', 'text/plain'],
    ['<?xml version="1.0"?><html xmlns="x"/>', 'a', 'application/xhtml+xml'],
    ['<!-- never closed', 'a', 'text/plain'],
    ['BEGIN:VCARD\nEND:VCARD', 'a', 'text/vcard'],
    ['all: build', 'Makefile', 'text/plain'],
    ['a', 'a.constructor', 'text/plain'],
    ['a', 'a.__proto__', 'text/plain'],
    ['BMW builds cars', 'a.txt', 'text/plain'],
    ['GIFT list', 'a.md', 'text/markdown'],
    ['GIF89a/*', 'a.gif', 'text/plain'],
    ['MZ is a country code', 'a', 'text/plain'],
    ['FORM 10-K', 'a.txt', 'text/plain'],
    ['solid advice', 'a.md', 'text/markdown'],
    ['%!TEX root = main.tex', 'a.tex', 'text/x-tex'],
    ['\u001b[31mred\u001b[0m', 'a.log', 'text/plain'],
    [gb18030, 'a.txt', 'text/plain'],
    [gb18030, 'a.csv', 'text/csv'],
    [gb18030, 'a.png', 'text/plain'],
    [utf16, 'a.csv', 'text/csv'],
    [utf16, 'a', 'text/plain'],
    [Buffer.from('un café crème, déjà vu', 'latin1'), 'a.txt', 'text/plain'],
    [binary, 'a.txt', 'application/octet-stream'],
    [binary, 'a.html', 'application/octet-stream'],
    [binary, 'a.png', 'application/octet-stream'],
    [binary, 'a', 'application/octet-stream'],
    ['text\0text', 'a.txt', 'application/octet-stream'],
    ['The link is redundant\u0019 if the list has one', 'a', 'text/plain'],
    ['请尽快回电\u0002,谢谢,周五之前都可以打来', 'a.md', 'text/markdown'],
    ['\u0001\u0002\u0003\u0004abc', 'a.txt', 'application/octet-stream'],
    ['', 'a.txt', 'text/plain'],
    ['', 'a.json', 'application/json'],
    ['', 'a.png', 'application/octet-stream'],
    ['', 'a', 'application/octet-stream'],
  ] as const)
    it(`${JSON.stringify(content.toString().slice(0, 30))} called ${name} is ${expected}`, async () => {
      assert.equal(await detectMimeType(Buffer.from(content), name), expected)
    })

  it('accepts a character that the end of the head splits', async () => {
    for (const character of ['报', '👍'])
      for (let shift = 0; shift < 4; shift++) {
        const head = Buffer.from(`${'a'.repeat(shift)}${character.repeat(2000)}`).subarray(0, headBytes)
        assert.equal(await detectMimeType(head, 'a.md'), 'text/markdown')
      }
  })
})

describe('type of any content', () => {
  it('is always a plain type, and inline only when the content is safe to show', async () => {
    const starts = [png, jpeg, gif, pdf, mp4, mp3, elf, zip, docx, oldOffice, tgz, Buffer.from(html)]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(Buffer.alloc(0), ...starts),
        fc.nat({ max: 200 }),
        fc.uint8Array({ maxLength: 600 }),
        fc.constantFrom('a', 'a.txt', 'a.png', 'a.html', 'a.docx', 'a.pdf', '.', ''),
        async (start, cut, rest, name) => {
          const type = await detectMimeType(bytes(start.subarray(0, cut), Buffer.from(rest)), name)
          assert.match(type, /^[a-z]+\/[A-Za-z0-9.+-]+$/)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is inline for images, audio, video and plain text only', () => {
    for (const type of [
      'image/png',
      'image/jpeg',
      'image/gif',
      'image/webp',
      'image/avif',
      'image/bmp',
      'text/plain',
      'video/mp4',
      'audio/mpeg',
    ])
      assert.equal(isInlineSafe(type), true, type)
    for (const type of [
      'text/html',
      'image/svg+xml',
      'application/xml',
      'application/xhtml+xml',
      'application/pdf',
      'text/javascript',
      'application/octet-stream',
      'message/rfc822',
      'constructor',
      '',
    ])
      assert.equal(isInlineSafe(type), false, type)
  })
})
