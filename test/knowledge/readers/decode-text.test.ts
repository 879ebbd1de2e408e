import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DocumentFailure } from '../../../src/knowledge/ingest/document-failure.ts'
import { decodeText } from '../../../src/knowledge/ingest/readers/text/decode-text.ts'

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex')
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()
const failsWith = (code: string) => (error: unknown) =>
  error instanceof DocumentFailure && error.code === code

describe('encoding detection', () => {
  it('reads UTF-8 with and without a byte order mark', () => {
    assert.equal(decodeText(Buffer.from('价格 42 €')), '价格 42 €')
    assert.equal(decodeText(Buffer.from('\ufeff价格')), '价格')
    assert.equal(decodeText(new Uint8Array()), '')
    assert.equal(decodeText(Buffer.from(' \n\t ')), ' \n\t ')
  })

  it('reads GB18030, even short texts', () => {
    const bytes = hex('d6d0b9fac8cbc3f1d2f8d0d0d3da31393438c4eac9e8c1a2')
    assert.equal(bytes.length, 24)
    assert.equal(decodeText(bytes), '中国人民银行于1948年设立')
    assert.equal(decodeText(hex('d6d0b9fa')), '中国')
    assert.equal(decodeText(hex('c1aacda8')), '联通')
    assert.equal(decodeText(hex('d0d5c3fb2cb3c7cad00ad5c5c8fd2cb1b1bea90a')), '姓名,城市\n张三,北京\n')
  })

  it('reads UTF-16 in both byte orders, with and without a byte order mark', () => {
    for (const text of [
      'Hello, world',
      '今天天气很好。\n我们去公园。',
      '中文文本没有任何字母',
      'id,名称\r\n1,茶壶',
    ]) {
      assert.equal(decodeText(Buffer.from(text, 'utf16le')), text)
      assert.equal(decodeText(swapped(text)), text)
      assert.equal(decodeText(Buffer.from(`\ufeff${text}`, 'utf16le')), text)
      assert.equal(decodeText(swapped(`\ufeff${text}`)), text)
    }
  })

  it('does not mistake ASCII for UTF-16', () => {
    assert.equal(decodeText(Buffer.from('Bush hid the facts')), 'Bush hid the facts')
  })

  it('distinguishes the other East Asian encodings', () => {
    assert.equal(decodeText(hex('c163c5e9a4a4a4e5b4fab8d5a4e5a5f3')), '繁體中文測試文件')
    assert.equal(decodeText(hex('82b182f182c982bf82cd814190a28a45')), 'こんにちは、世界')
    assert.equal(decodeText(hex('a4b3a4f3a4cba4c1a4cfa1a2c0a4b3a6')), 'こんにちは、世界')
    assert.equal(decodeText(hex('bec8b3e7c7cfbcbcbfe420bcbcb0e8')), '안녕하세요 세계')
    assert.equal(decodeText(hex('1b244224332473244b2441244f1b2842')), 'こんにちは')
  })

  it('reads Western, Russian and Greek text', () => {
    for (const text of [
      'café',
      'Der Fluß führt über die Brücke',
      'Größere Aufträge benötigen die Bestätigung der Geschäftsführung. Außerdem läuft das Gerät auch bei Kälte.',
      'El año pasado, señor',
      'São Paulo não é',
    ]) {
      assert.equal(decodeText(Buffer.from(text, 'latin1')), text)
    }
    assert.equal(decodeText(hex('93536d6172749420974069749273203520804021')), '“Smart” —@it’s 5 €@!')
    assert.equal(decodeText(hex('cff0e8e2e5f220ece8f02c20eae0ea20e4e5ebe0')), 'Привет мир, как дела')
    assert.equal(decodeText(hex('f0d2c9d7c5d420cdc9d22c20cbc1cb20c4c5ccc1')), 'Привет мир, как дела')
    assert.equal(decodeText(hex('cae1ebe7ecddf1e120eafcf3ece5')), 'Καλημέρα κόσμε')
  })

  it('rejects ambiguous text', () => {
    const unclear = {
      polish: '5a61bff3b3e62067eab66cb920 6a61bcf1',
      czech: '50f8edb9b920be6c75bb6f75e86bfd206bf9f2',
      turkish: '54fc726b697965206465f069fe696b20fe65796c657220fdfe fd6b',
      thai: 'cac7d1cac4d5aad2c7e2c5a120c0d2c9d2e4b7c2',
      utf32: 'fffe000041000000',
    }
    for (const [name, digits] of Object.entries(unclear))
      assert.throws(() => decodeText(hex(digits)), failsWith('unknown_encoding'), name)
  })

  it('ignores a declared encoding that the text clearly does not have', () => {
    // “退货政策：购买后三十天” in GB18030, and “Компания предоставляет” in windows-1251.
    const chinese = hex('cdcbbbf5d5feb2dfa3bab9bac2f2baf3c8fdcaaecc ec')
    const russian = hex('caeeecefe0ede8ff20eff0e5e4eef1f2e0e2ebffe5f2')
    assert.equal(decodeText(chinese, 'iso-8859-1'), '退货政策：购买后三十天')
    assert.equal(decodeText(russian, 'iso-8859-1'), 'Компания предоставляет')
    assert.equal(decodeText(russian, 'gb2312'), 'Компания предоставляет')
    // "Größere Änderungen" in windows-1252.
    const german = hex('4772f6df65726520c46e646572756e67656e')
    assert.equal(decodeText(german, 'gb2312'), 'Größere Änderungen')
    assert.equal(decodeText(german, 'iso-8859-1'), 'Größere Änderungen')
  })

  it('uses the declared encoding if the bytes are ambiguous', () => {
    assert.equal(decodeText(hex('5a61bff3b3e6'), 'iso-8859-2'), 'Zażółć')
    assert.equal(decodeText(Buffer.from('中文'), 'gbk'), '中文')
    assert.equal(decodeText(hex('d6d0b9fac8cbc3f1'), 'no-such-encoding'), '中国人民')
  })

  it('reads a short text with a control character', () => {
    for (const text of ['call back\b by phone, please', '请尽快回电\u0002,谢谢'])
      assert.equal(decodeText(Buffer.from(text)), text)
  })

  it('rejects binary data', () => {
    for (const digits of [
      '00010203fffefdfc',
      '7f454c46020101000000',
      '0102030405',
      '89504e470d0a1a0a0000000d49484452',
    ])
      assert.throws(() => decodeText(hex(digits)), failsWith('unsupported_format'), digits)
  })

  it('tolerates a truncated last character and an end-of-file character', () => {
    assert.equal(decodeText(Buffer.from('中文').subarray(0, 5)), '中')
    assert.equal(decodeText(hex('d6d0b9fac8cbc3f1d2')), '中国人民')
    assert.equal(decodeText(Buffer.from('abc中').subarray(0, 5)), 'abc')
    assert.equal(decodeText(Buffer.from('中文文本没有', 'utf16le').subarray(0, 11)), '中文文本没')
    assert.equal(decodeText(Buffer.from('abc\x1a')), 'abc\x1a')
  })

  it('keeps a long text that is damaged in one place', () => {
    const utf8 = Buffer.from('知识库的文档。'.repeat(200))
    utf8[300] = 0xff
    assert.match(decodeText(utf8), /知识库的文档。知识库/)
    const gb18030 = Buffer.concat([...new Array(300).fill(hex('d6d0b9fac8cb')), hex('ff'), hex('0ad6d0b9fa')])
    assert.match(decodeText(gb18030), /^中国人中国人.*\n中国$/s)
  })

  it('finds the encoding when the first hundreds of kilobytes are ASCII', () => {
    const bytes = Buffer.concat([Buffer.alloc(400_000, 'plain text\n'), hex('d6d0b9fac8cbc3f1d2f8d0d0')])
    assert.ok(decodeText(bytes).endsWith('中国人民银行'))
  })

  it('returns text or throws DocumentFailure for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        try {
          assert.equal(typeof decodeText(bytes), 'string')
        } catch (error) {
          assert.ok(error instanceof DocumentFailure, String(error))
        }
      }),
    )
  })

  it('round-trips every text in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), text => {
        fc.pre(!/[\u0000-\u001f\u007f\ufeff]/.test(text))
        assert.equal(decodeText(Buffer.from(text)), text)
      }),
    )
  })
})
