import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { detectMimeType } from '../../../src/files/detect-mime-type.ts'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { DocumentFailure } from '../../../src/knowledge/ingest/document-failure.ts'
import { readDocument } from '../../../src/knowledge/ingest/readers/read-document.ts'

const read = async (
  name: string,
  content: string | Uint8Array,
  maxCharacters = 1_000_000,
): Promise<Block[]> => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const mimeType = await detectMimeType(bytes.subarray(0, 4096), name)
  const blocks: Block[] = []
  for await (const block of readDocument({ name, mimeType, bytes }, { maxCharacters })) blocks.push(block)
  return blocks
}
const failsWith = (code: string) => (error: unknown) =>
  error instanceof DocumentFailure && error.code === code
const hex = (digits: string) => Buffer.from(digits, 'hex')

describe('a document of any kind', () => {
  it('is read by the reader of its format', async () => {
    assert.deepEqual(await read('a.md', '# Tea'), [{ kind: 'heading', level: 1, text: 'Tea' }])
    assert.deepEqual(await read('a.html', '<h1>Tea</h1>'), [{ kind: 'heading', level: 1, text: 'Tea' }])
    assert.deepEqual(await read('a.txt', '# Tea'), [{ kind: 'paragraph', text: '# Tea' }])
    assert.deepEqual(await read('a.tsv', 'id\tname\n1\ttea'), [
      { kind: 'table', header: ['id', 'name'], rows: [['1', 'tea']] },
    ])
    assert.deepEqual(await read('a.json', '{"price":42}'), [{ kind: 'paragraph', text: 'price: 42' }])
    assert.deepEqual(await read('a.ts', 'let a = 1'), [{ kind: 'code', text: 'let a = 1' }])
  })

  it('is decoded in the encoding of its content', async () => {
    const text = [{ kind: 'paragraph', text: '中国人民银行于1948年设立' }]
    assert.deepEqual(await read('a.txt', hex('d6d0b9fac8cbc3f1d2f8d0d0d3da31393438c4eac9e8c1a2')), text)
    assert.deepEqual(await read('a.txt', Buffer.from('中国人民银行于1948年设立', 'utf16le')), text)
    const page = Buffer.concat([Buffer.from('<meta charset="iso-8859-2"><p>Za'), hex('bff3b3e6')])
    assert.deepEqual(await read('a.html', page), [{ kind: 'paragraph', text: 'Zażółć' }])
  })

  it('is normalized', async () => {
    assert.deepEqual(
      await read('a.txt', `one\u00a0  two${'.'.repeat(300)}\u0001\u200b e\u0301\r\n\u001b[31mred\u001b[0m`),
      [
        { kind: 'paragraph', text: `one two${'.'.repeat(300)} é` },
        { kind: 'paragraph', text: 'red' },
      ],
    )
    assert.deepEqual(await read('a.json', '{"a":"x\\u0000\\ud800y"}'), [{ kind: 'paragraph', text: 'a: xy' }])
    assert.deepEqual(await read('a.py', 'if a:\r\n\treturn  b  \r\n'), [
      { kind: 'code', text: 'if a:\n\treturn  b' },
    ])
  })

  it('is HTML if a page was saved under another extension', async () => {
    const page = '<html><body><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>'
    const expected = [{ kind: 'table', header: ['a', 'b'], rows: [['1', '2']] }]
    assert.deepEqual(await read('export.xls', page), expected)
    assert.deepEqual(await read('export.pdf', page), expected)
    assert.equal((await read('notes.txt', page))[0]?.kind, 'paragraph')
  })
})

describe('a document that cannot be read', () => {
  it('fails if it has no text', async () => {
    const empty = {
      'a.txt': '',
      'b.txt': ' \n\t\u200b',
      'a.html': '<p> </p>',
      'a.csv': ',,\n',
      'a.json': '{}',
      'a.md': '<!-- x -->',
    }
    for (const [name, content] of Object.entries(empty))
      await assert.rejects(read(name, content), failsWith('no_text'), name)
    await assert.rejects(read('unnamed', ''), failsWith('no_text'))
  })

  it('fails if it has too much text', async () => {
    assert.equal((await read('a.txt', 'x'.repeat(100), 100)).length, 1)
    await assert.rejects(read('a.txt', 'x'.repeat(101), 100), failsWith('too_large'))
    await assert.rejects(read('a.csv', `id,n\n${'1,2\n'.repeat(100)}`, 100), failsWith('too_large'))
  })

  it('fails if its format is not supported, and lists the supported formats', async () => {
    await assert.rejects(
      read('a.dat', hex('00010203fffefdfc80818283')),
      (error: Error) => failsWith('unsupported_format')(error) && /DOCX/.test(error.message),
    )
    await assert.rejects(read('a.txt', hex('00010203fffefdfc80818283')), failsWith('unsupported_format'))
  })

  it('fails if its content does not match its name', async () => {
    await assert.rejects(read('a.pdf', 'just some text'), failsWith('broken_file'))
    await assert.rejects(read('a.json', '{"a":'), failsWith('broken_file'))
  })
})

it('reads a megabyte in one line', async () => {
  const line = 'word '.repeat(200_000).trim()
  for (const name of ['a.txt', 'a.md', 'a.html', 'a.csv', 'a.js'])
    assert.ok(JSON.stringify(await read(name, line, 2_000_000)).includes(line), name)
})

it('throws only DocumentFailure, whatever the bytes and the name', async () => {
  const extension = fc.constantFrom(
    'txt',
    'md',
    'html',
    'csv',
    'tsv',
    'json',
    'jsonl',
    'ipynb',
    'py',
    'xml',
    'none',
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 200 }).map(text => new TextEncoder().encode(text)),
    fc
      .string({ unit: fc.constantFrom(...'<>{}[]()"|,-#*`\n a1中'), maxLength: 200 })
      .map(text => new TextEncoder().encode(text)),
  )
  await fc.assert(
    fc.asyncProperty(extension, bytes, async (ending, content) => {
      try {
        for (const block of await read(`a.${ending}`, content)) assert.ok(block.kind)
      } catch (error) {
        assert.ok(error instanceof DocumentFailure, error instanceof Error ? error.stack : String(error))
      }
    }),
    { numRuns: 300 },
  )
})
