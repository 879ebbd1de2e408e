import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { DocumentFailure } from '../../../src/knowledge/ingest/document-failure.ts'
import { readDocument } from '../../../src/knowledge/ingest/readers/read-document.ts'
import type { MediaReader } from '../../../src/knowledge/ingest/recognition/medium.ts'
import { makeDocx } from '../../support/documents/make-docx.ts'
import { makeMsg } from '../../support/documents/make-msg.ts'
import { makeScan } from '../../support/documents/make-scan.ts'
import { assertRefused, blocksOf } from '../../support/documents/read-blocks.ts'

const readEml = (content: string | Uint8Array): Promise<Block[]> =>
  blocksOf(readDocument({ name: 'a.eml', mimeType: 'message/rfc822', bytes: Buffer.from(content) }))

const attached = (name: string, type: string, content: Uint8Array): string =>
  `--b\r\nContent-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}\r\n`

const mail = (subject: string, body: string, ...parts: string[]): string =>
  `From: Li Lei <li@example.com>\r\nTo: a@example.com, b@example.com\r\nDate: Mon, 16 Nov 2026 10:00:00 +0800\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${body}\r\n${parts.join('')}--b--\r\n`

const unknownType = 'application/octet-stream'

const head = {
  kind: 'paragraph',
  text: 'From: Li Lei <li@example.com>\nTo: a@example.com, b@example.com\nDate: 2026-11-16T02:00:00.000Z',
}

/** A TIFF file with pages of one grey pixel. */
function makeTiff(pages: number): Uint8Array {
  const entries = 8
  const size = 2 + entries * 12 + 4
  const bytes = Buffer.alloc(8 + pages * size + 1)
  bytes.write('II*\0', 'latin1')
  bytes.writeUInt32LE(8, 4)
  for (let page = 0; page < pages; page++) {
    const at = 8 + page * size
    bytes.writeUInt16LE(entries, at)
    // Width, height, bits, no compression, black is 0, offset, samples and length of the pixels.
    const tags = [256, 257, 258, 259, 262, 273, 277, 279]
    const values = [1, 1, 8, 1, 1, bytes.length - 1, 1, 1]
    for (const [index, tag] of tags.entries()) {
      const entry = at + 2 + index * 12
      bytes.writeUInt16LE(tag, entry)
      bytes.writeUInt16LE(4, entry + 2)
      bytes.writeUInt32LE(1, entry + 4)
      bytes.writeUInt32LE(values[index]!, entry + 8)
    }
    bytes.writeUInt32LE(page + 1 < pages ? at + size : 0, at + size - 4)
  }
  return bytes
}

describe('a mail', () => {
  it('is read with its attachments below their names', async () => {
    const docx = makeDocx([{ heading: 'Terms', level: 1 }, 'Payment within 30 days.'])
    const blocks = await readEml(
      mail(
        '=?UTF-8?B?5ZCI5ZCM?=',
        'Please sign.',
        attached('contract.docx', 'application/octet-stream', docx),
      ),
    )
    assert.deepEqual(blocks, [
      { kind: 'heading', level: 1, text: '合同' },
      head,
      { kind: 'paragraph', text: 'Please sign.' },
      { kind: 'heading', level: 2, text: 'contract.docx' },
      { kind: 'heading', level: 3, text: 'Terms' },
      { kind: 'paragraph', text: 'Payment within 30 days.' },
    ])
  })

  it('is read in UTF-16 and with a byte order mark', async () => {
    const eml = mail('合同', '请在本周五之前签署。')
    const wide = (text: string) => Buffer.from(text, 'utf16le')
    const marked = [Buffer.from(`\ufeff${eml}`), wide(`\ufeff${eml}`), wide(`\ufeff${eml}`).swap16()]
    for (const bytes of [...marked, wide(eml), wide(eml).swap16()])
      assert.deepEqual(await readEml(bytes), [
        { kind: 'heading', level: 1, text: '合同' },
        head,
        { kind: 'paragraph', text: '请在本周五之前签署。' },
      ])
    await assertRefused(
      readDocument({ name: 'a.eml', mimeType: unknownType, bytes: Buffer.from('\0\u0001\0\0\u0007abc') }),
      'unsupported_format',
    )
  })

  it('has texts in UTF-16 of both byte orders', async () => {
    const little = Buffer.from('\ufeff签署 grüß', 'utf16le')
    const big = Buffer.from(little).swap16()
    const quoted = (bytes: Uint8Array) =>
      Array.from(bytes, byte => `=${Buffer.from([byte]).toString('hex').toUpperCase()}`).join('')
    const part = (charset: string, encoding: string, body: string) =>
      `--b\r\nContent-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`
    const eml = mail(
      'S',
      'Body',
      part('utf-16', 'base64', little.toString('base64')),
      part('utf-16', 'base64', big.toString('base64')),
      part('"UTF-16"; format=fixed', 'quoted-printable', quoted(big)),
      part('utf-16be', 'base64', big.toString('base64')),
    )
    const texts = (await readEml(eml)).map(block => (block.kind === 'table' ? '' : block.text))
    assert.equal(texts.slice(2).join('\n'), ['Body', ...Array(4).fill('签署 grüß')].join('\n'))
  })

  it('leaves out what belongs to a saved page: styles, scripts and images', async () => {
    const part = (type: string, head: string, content: string) =>
      `--b\r\nContent-Type: ${type}\r\n${head}\r\n\r\n${content}\r\n`
    const blocks = await readEml(
      `Subject: Trees\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n${[
        part('text/html', 'Content-Location: https://example.com/', '<p>榕树</p>'),
        part(
          'text/css',
          'Content-Location: cid:css-1@mhtml.blink\r\nContent-ID: <css-1@mhtml.blink>',
          'p {}',
        ),
        part('text/css', 'Content-Location: https://example.com/all.css', 'p {}'),
        part('text/javascript', 'Content-Location: https://example.com/a.js', 'run()'),
        part('image/png', 'Content-Location: https://example.com/a.png', 'PNG'),
        part('text/css', 'Content-Disposition: attachment; filename="sent.css"', 'ol {}'),
        part('text/calendar; method=REQUEST', 'X-Nothing: 1', 'SUMMARY:Meeting'),
      ].join('')}--b--\r\n`,
    )
    assert.deepEqual(
      blocks.map(block => (block.kind === 'table' ? '' : block.text)),
      ['Trees', '榕树', 'sent.css', 'ol {}', 'attachment-2', 'SUMMARY:Meeting'],
    )
  })

  it('has the images attached to it, but not those that its body shows', async () => {
    const html = '<p>Invoice</p><img src="cid:ii_logo%40mail"><img src="cid:ii_stamp">'
    const ids = ['ii_logo@mail', 'f_photo', 'ii_stamp']
    const image = (id: string) =>
      attached(`${id}.jpg`, 'image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])).replace(
        '\r\n\r\n',
        `\r\nContent-ID: <${id}>\r\n\r\n`,
      )
    const eml = mail('S', html, ...ids.map(image)).replace('text/plain', 'text/html')
    const people = { from: 'Han Meimei', to: 'Li Lei' }
    const attachments = ids.map(id => ({ name: `${id}.jpg`, content: Buffer.from('JPEG'), contentId: id }))
    const msg = makeMsg({ subject: 'S', body: 'Invoice', html, ...people, attachments })
    const outlook = readDocument({ name: 'a.msg', mimeType: 'application/vnd.ms-outlook', bytes: msg })
    for (const blocks of [await readEml(eml), await blocksOf(outlook)]) {
      const texts = blocks.slice(2).map(block => (block.kind === 'table' ? '' : block.text))
      assert.deepEqual(texts.slice(0, 2), ['Invoice', 'f_photo.jpg'])
      assert.match(texts[2]!, /^\(f_photo\.jpg: not read\. /)
      assert.equal(texts.length, 3)
    }
  })

  it('is read although an attachment cannot be', async () => {
    const blocks = await readEml(
      mail('S', 'Body', attached('a.exe', 'application/x-msdownload', Buffer.from('MZ\0\0\x01\x02'))),
    )
    assert.deepEqual(
      blocks.map(block => (block.kind === 'table' ? '' : block.text)),
      [
        'S',
        head.text,
        'Body',
        'a.exe',
        '(a.exe: not read. Files of type application/x-msdownload are not supported.)',
      ],
    )
  })

  it('names the pages of an attachment that nothing could recognise', async () => {
    const scan = await makeScan(['Signed.', 4, 5])
    const blocks = await readEml(mail('S', 'Body', attached('scan.pdf', 'application/pdf', scan)))
    assert.deepEqual(
      blocks.slice(3).map(block => (block.kind === 'table' ? '' : block.text)),
      ['scan.pdf', 'Signed.', '(scan.pdf: not read on page 2–3. It looks like a scan.)'],
    )
  })

  it('is read although a program for an attachment is not installed', async () => {
    const blocks = await readEml(
      mail('S', 'Body', attached('old.doc', 'application/msword', Buffer.from('d0cf11e0a1b11ae1', 'hex'))),
    )
    const texts = blocks.map(block => (block.kind === 'table' ? '' : block.text))
    assert.deepEqual(texts.slice(2, 4), ['Body', 'old.doc'])
    assert.match(texts[4]!, /^\(old\.doc: not read\. .*LibreOffice/)
  })

  it('waits for a conversion that a busy server could not finish', async () => {
    const eml = mail(
      'S',
      'Body',
      attached('old.doc', 'application/msword', Buffer.from('d0cf11e0a1b11ae1', 'hex')),
    )
    const busy = async (): Promise<undefined> => {
      throw new DocumentFailure('conversion_timed_out', 'busy')
    }
    const file = { name: 'a.eml', mimeType: 'message/rfc822', bytes: Buffer.from(eml) }
    await assertRefused(readDocument(file, { convert: busy }), 'conversion_timed_out')
  })

  it('in a mail is read, down to a depth', async () => {
    let inner = mail('Innermost', 'deep text')
    for (let depth = 0; depth < 6; depth++)
      inner = mail(
        `M${depth}`,
        `body ${depth}`,
        attached('forwarded.eml', 'message/rfc822', Buffer.from(inner)),
      )
    const texts = (await readEml(inner)).map(block => (block.kind === 'table' ? '' : block.text))
    assert.ok(texts.includes('body 5') && texts.includes('body 1'))
    assert.ok(!texts.includes('body 0') && !texts.includes('deep text'))
    assert.ok(texts.some(text => text.includes('too many attachments')))
  })

  it('has no more pages recognised in all its attachments than one document may have', async () => {
    let announced = 0
    const media: MediaReader = {
      startPages: async total => {
        announced += total
        return true
      },
      skipPage: () => {},
      read: () => assert.fail('all pages are blank'),
    }
    const bytes = Buffer.from(
      mail(
        'Scans',
        'See below.',
        attached('one.tiff', 'image/tiff', makeTiff(limits.recognisedPages - 1)),
        attached('two.tiff', 'image/tiff', makeTiff(2)),
        attached('three.tiff', 'image/tiff', makeTiff(1)),
      ),
    )
    const read = readDocument({ name: 'a.eml', mimeType: 'message/rfc822', bytes }, { media })
    const texts = (await blocksOf(read)).map(block => (block.kind === 'table' ? '' : block.text))
    const notRead = texts.filter(text => text.includes('not read'))
    assert.equal(notRead.length, 1)
    assert.match(notRead[0]!, /^\(two\.tiff: not read\. The document has 1001 pages/)
    assert.equal(announced, limits.recognisedPages)
  })

  it('of Outlook is read with its attachments', async () => {
    const bytes = makeMsg({
      subject: '报价 Quote',
      body: 'See the list.',
      from: 'Han Meimei',
      to: 'Li Lei',
      attachments: [{ name: 'prices.csv', content: Buffer.from('Item,Price\nBolt,4\nNut,2\n') }],
    })
    const read = readDocument({ name: 'a.msg', mimeType: 'application/vnd.ms-outlook', bytes })
    assert.deepEqual(await blocksOf(read), [
      { kind: 'heading', level: 1, text: '报价 Quote' },
      { kind: 'paragraph', text: 'From: Han Meimei\nTo: Li Lei' },
      { kind: 'paragraph', text: 'See the list.' },
      { kind: 'heading', level: 2, text: 'prices.csv' },
      {
        kind: 'table',
        header: ['Item', 'Price'],
        rows: [
          ['Bolt', '4'],
          ['Nut', '2'],
        ],
      },
    ])
  })
  it('of an old Outlook is decoded by its code page, its language, or its content', async () => {
    // Encoded in GBK, Big5 and windows-1251.
    const texts: [text: string, bytes: string, properties: Record<number, number>][] = [
      ['报价单请查收', 'b1a8bcdbb5a5c7ebb2e9cad5', { 1073545219: 936 }],
      // The language of the program is English; the bytes tell better.
      ['报价单请查收', 'b1a8bcdbb5a5c7ebb2e9cad5', { 1072758787: 1033 }],
      ['報價單請查收', 'b3f8bbf9b3e6bdd0ac64a6ac', { 1072758787: 1028, 1071513603: 20127 }],
      ['Подтверждение', 'cfeee4f2e2e5f0e6e4e5ede8e5', { 1071513603: 1251 }],
    ]
    for (const [text, bytes, properties] of texts) {
      const encode = (given: string): Uint8Array =>
        Buffer.from(
          given.replace(text, () => Buffer.from(bytes, 'hex').toString('latin1')),
          'latin1',
        )
      const message = { subject: text, body: `${text} A`, from: text, to: 'Li', attachments: [] }
      const read = readDocument({
        name: 'a.msg',
        mimeType: 'application/vnd.ms-outlook',
        bytes: makeMsg({ ...message, ansi: { encode, properties } }),
      })
      assert.deepEqual(await blocksOf(read), [
        { kind: 'heading', level: 1, text },
        { kind: 'paragraph', text: `From: ${text}\nTo: Li` },
        { kind: 'paragraph', text: `${text} A` },
      ])
    }
  })
})
