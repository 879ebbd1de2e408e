import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readNotebook } from '../../../src/knowledge/ingest/readers/data/read-json.ts'
import { readCode } from '../../../src/knowledge/ingest/readers/text/read-text.ts'

const body = (name: string) =>
  `def ${name}(value):\n${`    value = value + 1\n\n`.repeat(40)}    return value\n`

describe('source code', () => {
  it('keeps a short file whole, with its leading comment', () => {
    const code = '# What this is for\n\nimport os\n\n\ndef main():\n    pass'
    assert.deepEqual([...readCode(`${code}\n`)], [{ kind: 'code', text: code }])
  })

  it('splits between constructs and never inside one', () => {
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

  it('yields nothing for an empty file', () => {
    assert.deepEqual([...readCode('')], [])
    assert.deepEqual([...readCode('\n \n\n')], [])
  })
})

it('reads the text, code and output of a notebook', () => {
  const notebook = {
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
      { kind: 'code', text: 'print(42)' },
      { kind: 'code', text: '42\n' },
      { kind: 'code', text: '<Figure>' },
    ],
  )
})
