import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEpub } from '../../../src/knowledge/ingest/readers/office/read-epub.ts'
import { makeEpub } from '../../support/documents/make-epub.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { assertRefused, textOf } from '../../support/documents/read-blocks.ts'

const chapters = {
  'one.xhtml': '<h1>第一章</h1><p>It began <i/>here &amp; now.</p>',
  'two 2.xhtml': '<h1>Two</h1><p>And went on.</p>',
}

const encryption = (path: string) => ({
  'META-INF/encryption.xml': `<encryption><enc:EncryptedData xmlns:enc="e"><enc:CipherData><enc:CipherReference URI="${path}"/></enc:CipherData></enc:EncryptedData></encryption>`,
})

describe('an EPUB book', () => {
  it('is read chapter by chapter', async () => {
    const text = await textOf(readEpub(makeEpub({ chapters })))
    assert.equal(text, '第一章\nIt began here & now.\nTwo\nAnd went on.')
  })

  it('begins with its title and authors', async () => {
    const metadata =
      '<dc:title>On\n tides</dc:title><dc:creator>Ann Lee</dc:creator><dc:creator> </dc:creator><dc:creator>李明</dc:creator>'
    const text = await textOf(readEpub(makeEpub({ chapters, metadata })))
    assert.match(text, /^On tides\nAnn Lee, 李明\n第一章\n/)
    assert.equal(await textOf(readEpub(makeEpub({ chapters: { 'a.xhtml': '' }, metadata }))), '')
  })

  it('has the titles of its files only where a chapter has no other', async () => {
    const file = (title: string, body: string) =>
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body>${body}</body></html>`
    const parts = {
      'OEBPS/text/one.xhtml': file('On tides', '<h1>One</h1><p>a</p>'),
      'OEBPS/text/two 2.xhtml': file('Two', '<p>b</p>'),
    }
    assert.equal(await textOf(readEpub(makeEpub({ chapters, parts }))), 'One\na\nTwo\nb')
  })

  it('follows its spine, not the order of its files', async () => {
    const text = await textOf(
      readEpub(makeEpub({ chapters, spine: ['two 2.xhtml', 'missing', 'one.xhtml'] })),
    )
    assert.match(text, /^Two[\s\S]*第一章/)
  })

  it('with encrypted chapters is rejected', async () => {
    const parts = encryption('OEBPS/text/one.xhtml')
    await assertRefused(readEpub(makeEpub({ chapters, parts })), 'encrypted', /DRM/)
  })

  it('with obfuscated fonts only is read', async () => {
    const parts = encryption('OEBPS/fonts/a.otf')
    assert.match(await textOf(readEpub(makeEpub({ chapters, parts }))), /第一章/)
  })

  it('without its package document is rejected', async () => {
    await assertRefused(readEpub(makeZip({ mimetype: 'application/epub+zip' })), 'broken_file', /not an EPUB/)
    const lost = { 'META-INF/container.xml': '<container><rootfile full-path="nowhere.opf"/></container>' }
    await assertRefused(readEpub(makeZip(lost)), 'broken_file', /not an EPUB/)
  })
})
