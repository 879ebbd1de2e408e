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
