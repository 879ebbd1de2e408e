import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readText } from '../../../src/knowledge/ingest/readers/text/read-text.ts'

const blocks = (text: string) => [...readText(text)]
const texts = (text: string) => blocks(text).map(block => (block.kind === 'table' ? '' : block.text))
const headings = (text: string) =>
  blocks(text).flatMap(block => (block.kind === 'heading' ? [[block.level, block.text]] : []))

describe('plain text', () => {
  it('splits paragraphs at blank lines and keeps short lines', () => {
    assert.deepEqual(texts('First.\n\nAlice\r\n12 Main Street\r\nSpringfield\n\n\nLast.\n'), [
      'First.',
      'Alice\n12 Main Street\nSpringfield',
      'Last.',
    ])
  })

  it('joins hard-wrapped lines', () => {
    const wrapped =
      'It was the best of times, it was the worst of times, it was the age of\n' +
      'wisdom, it was the age of foolishness, it was the epoch of belief, it\n' +
      'was the epoch of incredulity.'
    assert.deepEqual(texts(wrapped), [wrapped.replaceAll('\n', ' ')])
    const line = '知识库的文档进入系统以后先被切成小段再建立索引以便'
    assert.deepEqual(texts(`${line}\n${line}\n完成。`), [`${line}${line}完成。`])
  })

  it('keeps the lines of tables and records', () => {
    const table = 'name        price      stock      supplier\nteapot      42         7          Wang Li\n'
    assert.equal(texts(table.repeat(4)).join('\n').split('\n').length, 8)
    const log = Array.from(
      { length: 40 },
      (_, index) => `2024-05-01 10:00:${10 + index} request ${index} took 12 ms`,
    )
    assert.deepEqual(texts(log.join('\n')), log)
  })

  it('creates a paragraph per line of a novel without blank lines', () => {
    assert.deepEqual(texts('　　他走了过来。\n　　“你好。”她说。'), ['他走了过来。', '“你好。”她说。'])
  })

  it('keeps list markers', () => {
    assert.deepEqual(texts('Things:\n- tea\n  green\n- coffee\n1. one\n2. two'), [
      'Things:',
      '- tea\ngreen',
      '- coffee',
      '1. one',
      '2. two',
    ])
  })

  it('recognizes certain headings', () => {
    assert.deepEqual(
      headings('第一编 总则\n\n第一章 基本规定\n第一条 为了保护，制定本法。\n\n第三节\n\n内容'),
      [
        [1, '第一编 总则'],
        [2, '第一章 基本规定'],
        [3, '第三节'],
      ],
    )
    assert.deepEqual(headings('Chapter 3\n\nText.\n\n1.2 Overview\n\nText.\n\nAPPENDIX A: Tables\n\nText.'), [
      [2, 'Chapter 3'],
      [2, '1.2 Overview'],
      [2, 'APPENDIX A: Tables'],
    ])
    assert.deepEqual(headings('Big title\n=========\nText\n\nSmall title\n-----\nText'), [
      [1, 'Big title'],
      [2, 'Small title'],
    ])
  })

  it('does not mistake a sentence for a heading', () => {
    const sentences = [
      '第一章讲的是天气，很有意思。',
      '第一节课是语文',
      'Chapter 3 of the book tells more.',
      '1.2 million people live there.',
      '3.5 kg of rice',
      'Section 3 of the law says so',
    ]
    for (const sentence of sentences) assert.deepEqual(headings(sentence), [], sentence)
  })

  it('yields nothing for white space and one block for one long line', () => {
    assert.deepEqual(blocks(''), [])
    assert.deepEqual(blocks(' \n\t\n　\r\n'), [])
    assert.equal(blocks('长'.repeat(1_000_000)).length, 1)
  })
})
