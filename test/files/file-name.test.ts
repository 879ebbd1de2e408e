import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkFileName } from '../../src/files/file-name.ts'

describe('file name', () => {
  for (const name of [
    'report.pdf',
    '../../etc/passwd',
    '..\\..\\x',
    '/etc/x',
    'C:\\x',
    '....//',
    '%2e%2e%2f',
    '.',
    '..',
    'CON',
    'a"b',
    ' leading and trailing ',
    '报告.docx',
    'e\u0301.txt',
    'é.txt',
    '\u202egpj.exe',
    '👩‍👩‍👧.png',
    'x'.repeat(255),
    '<script>alert(1)</script>.html',
    "'; DROP TABLE files; --",
  ])
    it(`keeps ${JSON.stringify(name.slice(0, 40))} unchanged`, () => {
      assert.equal(checkFileName(name, '/name'), name)
    })

  for (const name of [
    undefined,
    null,
    7,
    {},
    ['a'],
    '',
    '   ',
    '\u3000\u00a0',
    'x'.repeat(256),
    'x\0.pdf',
    'a\nb',
    'a\r\nSet-Cookie: x',
    'a\tb',
    'a\u007f',
    'a\u0085b',
    '\ud800',
    'a\udc00b',
    'bad\ufffd.txt',
  ])
    it(`rejects ${JSON.stringify(name)?.slice(0, 40)}`, () => {
      assert.throws(
        () => checkFileName(name, '/name'),
        (error: Error & { reason?: string; errors?: { path: string }[] }) => {
          assert.equal(error.reason, 'invalid_request')
          assert.equal(error.errors?.[0]?.path, '/name')
          return true
        },
      )
    })

  it('returns its input or rejects it, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), name => {
        try {
          assert.equal(checkFileName(name, '/name'), name)
        } catch (error) {
          assert.equal((error as { reason?: string }).reason, 'invalid_request')
        }
      }),
    )
  })
})
