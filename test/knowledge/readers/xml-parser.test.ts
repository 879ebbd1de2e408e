import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseXml } from '../../../src/knowledge/ingest/readers/office/xml-parser.ts'
import { assertRefused } from '../../support/documents/read-blocks.ts'

/** A compact record of the events; `cut` is the chunk length. */
const events = async (xml: string | Buffer, cut = 1_000_000, skip = ''): Promise<string> => {
  const bytes = Buffer.from(xml)
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += cut) chunks.push(bytes.subarray(at, at + cut))
  let record = ''
  await parseXml(chunks, {
    open(name, attributes) {
      if (name === skip) return false
      const shown = Object.entries(attributes).map(([key, value]) => ` ${key}=${value}`)
      record += `<${name}${shown.join('')}>`
      return () => {
        record += `</${name}>`
      }
    },
    text(text) {
      record += text
    },
  })
  return record
}

describe('events of XML', () => {
  it('have local names, and attributes by both names', async () => {
    const record = await events(
      '<?xml version="1.0"?><w:p w:val="1" id="a" r:id="b"><w:t>x</w:t><w:b/></w:p>',
    )
    assert.equal(record, '<p w:val=1 val=1 id=a r:id=b><t>x</t><b></b></p>')
  })

  it('do not depend on chunk boundaries', async () => {
    const xml = '<a 属性="值 &amp; 值">中文 &lt;b&gt; &#20013;&#x6587; 😀<![CDATA[<raw>]]><!-- c --></a>'
    const whole = await events(xml)
    assert.equal(whole, '<a 属性=值 & 值>中文 <b> 中文 😀<raw></a>')
    for (const cut of [1, 2, 3, 7, 16]) assert.equal(await events(xml, cut), whole)
  })

  it('support UTF-16 and declared encodings', async () => {
    const utf16 = Buffer.from('\ufeff<a>中文</a>', 'utf16le')
    assert.equal(await events(utf16), '<a>中文</a>')
    assert.equal(await events(Buffer.from(utf16).swap16()), '<a>中文</a>')
    const gbk = Buffer.concat([
      Buffer.from('<?xml version="1.0" encoding="GBK"?><a>'),
      Buffer.from([0xd6, 0xd0]),
      Buffer.from('</a>'),
    ])
    assert.equal(await events(gbk), '<a>中</a>')
    await assertRefused(
      () => events('<?xml version="1.0" encoding="klingon"?><a/>'),
      'broken_file',
      /klingon/,
    )
  })

  it('omit skipped elements with their content', async () => {
    assert.equal(await events('<a>1<del>2<b>3</b><del>4</del></del>5</a>', 9, 'del'), '<a>15</a>')
  })

  it('include only the first of several alternatives', async () => {
    const xml =
      '<a><AlternateContent><Choice>1</Choice><Choice>2</Choice><Fallback>3</Fallback></AlternateContent>4</a>'
    assert.equal(await events(xml), '<a><AlternateContent><Choice>1</Choice></AlternateContent>4</a>')
  })

  it('never expand declared entities', async () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
    await assertRefused(() => events(bomb), 'broken_file', /declares entities/)
    await assertRefused(() => events(bomb, 1), 'broken_file', /declares entities/)
    const external = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    await assertRefused(() => events(external), 'broken_file', /declares entities/)
    assert.equal(await events('<!DOCTYPE a PUBLIC "x" "y"><a>&unknown;&nbsp;</a>'), '<a>&unknown;&nbsp;</a>')
  })

  it('fail if elements are nested too deeply', async () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth)
    assert.ok(await events(nested(256)))
    await assertRefused(() => events(nested(257)), 'too_complex')
    await assertRefused(() => events('<a>'.repeat(100_000)), 'too_complex')
  })

  it('fail if a single value is too long', async () => {
    await assertRefused(() => events(`<a b="${'x'.repeat(17 * 1024 * 1024)}"/>`, 65_536), 'too_large')
  })

  for (const xml of ['', '   ', 'no xml', '<a><b>text', '<a><b>text</a>', '<a>text', '<a><b/>'])
    it(`fail for incomplete input ${JSON.stringify(xml)}`, async () => {
      await assertRefused(() => events(xml), 'broken_file')
    })
})
