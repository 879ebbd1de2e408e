import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readNotebook } from '../../../src/knowledge/ingest/readers/data/read-notebook.ts'
import { readCode } from '../../../src/knowledge/ingest/readers/text/read-code.ts'

const body = (name: string) =>
  `def ${name}(value):\n${`    value = value + 1\n\n`.repeat(40)}    return value\n`

describe('source code', () => {
  it('keeps a short file whole, with the comment at its start', () => {
    const code = '# What this is for\n\nimport os\n\n\ndef main():\n    pass'
    assert.deepEqual([...readCode(`${code}\n`, 'python')], [{ kind: 'code', text: code, language: 'python' }])
  })

  it('cuts between constructs and never inside one', () => {
    const text = `# File\n\n${body('first')}\n${body('second')}\n${body('third')}`
    const pieces = [...readCode(text)].map(block => (block.kind === 'code' ? block.text : ''))
    assert.deepEqual(
      pieces.map(piece => piece.split('\n').find(line => line.startsWith('def'))),
      ['def first(value):', 'def second(value):', 'def third(value):'],
    )
    assert.ok(pieces[0]?.startsWith('# File'))
    assert.ok(pieces.every(piece => piece.endsWith('return value')))
    assert.equal(pieces.join('').replace(/\s/g, ''), text.replace(/\s/g, ''))
  })

  it('gives nothing for an empty file', () => {
    assert.deepEqual([...readCode('')], [])
    assert.deepEqual([...readCode('\n \n\n')], [])
  })
})

it('reads a notebook as its text, its code and what that printed', () => {
  const notebook = {
    metadata: { kernelspec: { language: 'python' } },
    cells: [
      { cell_type: 'markdown', source: ['# Title\n', 'Some *text*'] },
      {
        cell_type: 'code',
        source: 'print(42)',
        outputs: [{ text: ['42\n'] }, { data: { 'image/png': 'AAAA', 'text/plain': ['<Figure>'] } }],
      },
    ],
  }
  assert.deepEqual(
    [...readNotebook(JSON.stringify(notebook))],
    [
      { kind: 'heading', level: 1, text: 'Title' },
      { kind: 'paragraph', text: 'Some text' },
      { kind: 'code', text: 'print(42)', language: 'python' },
      { kind: 'code', text: '42\n' },
      { kind: 'code', text: '<Figure>' },
    ],
  )
})
