import assert from 'node:assert/strict'
import { validateHeaderValue } from 'node:http'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { contentDisposition, fileNameFrom } from '../../src/http/content-headers.ts'

describe('content disposition of a response', () => {
  for (const [name, expected] of [
    ['a.png', `inline; filename="a.png"; filename*=UTF-8''a.png`],
    ['报告 1.pdf', `inline; filename="__ 1.pdf"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%201.pdf`],
    ['a"b\\c', `inline; filename="a_b_c"; filename*=UTF-8''a%22b_c`],
    ['../../etc/passwd', `inline; filename="___.._etc_passwd"; filename*=UTF-8''___.._etc_passwd`],
    ['.bashrc', `inline; filename="_bashrc"; filename*=UTF-8''_bashrc`],
    ['..', `inline; filename="__"; filename*=UTF-8''__`],
    ["it's (1)*.txt", `inline; filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
    ['50%25.txt', `inline; filename="50_25.txt"; filename*=UTF-8''50%2525.txt`],
    ['a\r\nX: y', `inline; filename="a__X: y"; filename*=UTF-8''a__X%3A%20y`],
    ['👍.gif', `inline; filename="_.gif"; filename*=UTF-8''%F0%9F%91%8D.gif`],
  ] as const)
    it(`names ${JSON.stringify(name)}`, () => {
      assert.equal(contentDisposition('inline', name), expected)
    })

  it('is a valid header for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (any, nice) => {
        for (const name of [any, nice, `${any}\ud800`]) {
          const header = contentDisposition('attachment', name)
          validateHeaderValue('content-disposition', header)
          assert.match(header, /^attachment; filename="[^"\\/]*"; filename\*=UTF-8''[A-Za-z0-9._~!%-]*$/)
        }
      }),
    )
  })

  it('can be parsed back, except for characters that are unsafe on disk', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), name => {
        const safe = name
          .replace(/[/\\\u0000-\u001f\u007f-\u009f]/g, '_')
          .replace(/^\.+/, dots => dots.replaceAll('.', '_'))
        assert.equal(fileNameFrom(contentDisposition('attachment', name)), safe)
      }),
      { numRuns: 500 },
    )
  })
})

describe('file name in a request', () => {
  const latin1 = (text: string) => Buffer.from(text).toString('latin1')
  for (const [header, expected] of [
    ['attachment; filename=a.txt', 'a.txt'],
    ['attachment;filename=a.txt', 'a.txt'],
    ['attachment; FileName="a b.txt"', 'a b.txt'],
    ['attachment ; filename = "a;b=c.txt" ; size=5', 'a;b=c.txt'],
    ['attachment; filename="a\\"b\\\\c"', 'a"b\\c'],
    ['attachment; filename=""', ''],
    [`attachment; filename="x"; filename*=UTF-8''%E6%8A%A5.txt`, '报.txt'],
    [`attachment; filename*=utf-8'en'%e2%82%ac; filename=x`, '€'],
    [latin1('attachment; filename="报告.pdf"'), '报告.pdf'],
    ['form-data; name="file"; filename="../x"', '../x'],
  ] as const)
    it(`reads ${header}`, () => assert.equal(fileNameFrom(header), expected))

  for (const header of [
    undefined,
    '',
    'attachment',
    'filename=a.txt',
    'attachment; filename',
    'attachment; filename=',
    'attachment; filename=a b',
    'attachment; filename="a',
    'attachment; filename="a"b',
    'attachment; filename="a\\"',
    'attachment; filename=a; filename=b',
    'attachment; filename=a;',
    'attachment filename=a',
    'attachment; filename=a/b',
    `attachment; filename=ok; filename*=UTF-8''%zz`,
    `attachment; filename*=UTF-8''%ff`,
    `attachment; filename*=UTF-8''a b`,
    `attachment; filename*=UTF-16''a`,
    `attachment; filename*="UTF-8''%"`,
    'attachment; filename*=a.txt',
    'attachment; filename="\xff\xfe"',
    'attachment; filename="报告.pdf"',
  ])
    it(`does not guess at ${JSON.stringify(header)}`, () => assert.equal(fileNameFrom(header), undefined))

  it('never throws, and stays fast on hostile headers', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), junk => {
        for (const header of [
          junk,
          `attachment; ${junk}`,
          `attachment; filename="${junk}`,
          `a; filename*=UTF-8''${junk}`,
        ])
          fileNameFrom(header)
      }),
    )
    fileNameFrom(`a; filename="${'\\'.repeat(16_001)}`)
    fileNameFrom(`a${'; a=b '.repeat(3000)}`)
    fileNameFrom(`a${' \t'.repeat(8000)}`)
  })
})
