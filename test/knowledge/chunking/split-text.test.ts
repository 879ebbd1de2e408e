import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { countTokens } from '../../../src/kernel/count-tokens.ts'
import { splitLongText, splitSentences } from '../../../src/knowledge/ingest/chunking/split-text.ts'
import { text } from './random-blocks.ts'

const sentences = (parts: string[]) => assert.deepEqual([...splitSentences(parts.join(''))], parts)

describe('sentences', () => {
  it('end with Chinese full stops, question marks, exclamation marks and semicolons', () =>
    sentences(['上海很大。', '真的吗？', '当然！', '一是人多；', '二是楼高。']))
  it('keep the closing quote', () =>
    sentences(['他说：“你好。”', '然后走了。', '「今日は。」', 'と言った。']))
  it('begin with the opening quote or bracket', () =>
    sentences(['他来了。', '“你好。”', '她说。', '（笑）然后。', '【注】完。']))
  it('keep several punctuation marks together', () => sentences(['真的！？', 'What?! ', 'Yes.']))
  it('do not end inside a number', () => sentences(['Pi is 3.14 today. ', '第1.2节讲版本2.0.1。', '完。']))
  it('do not end after an abbreviation', () =>
    sentences(['Use e.g. Foo or i.e. Bar. ', 'Mr. Smith met Dr. Who. ', 'See Fig. A there.']))
  it('do not end after an initial', () => sentences(['J. R. R. Tolkien wrote. ', 'The U.S. Army came.']))
  it('do not end inside an address or a file name', () =>
    sentences(['见https://a.b/c?d=E。', 'Open Read.Me first. ', 'Done.']))
  it('end after ASCII punctuation in Chinese text', () => sentences(['真的?', '是的!', '好']))
  it('are not just a number', () => sentences(['1. First. ', '2. Second.']))
  it('keep a trailing reference', () =>
    sentences(['人口很多。[3][4]', '后来更多。', 'It is so.[1] ', 'Next.']))
  it('continue over a wrapped line, and end before a blank line or a list', () =>
    sentences(['A line\nthat goes on.\n', 'Another\n\n', 'List\n', '- one\n', '- two']))
  it('are known in other scripts', () => sentences(['हिन्दी वाक्य। ', 'दूसरा वाक्य। ', 'نعم؟ ', 'لا.']))

  it('joined are the text again', () =>
    fc.assert(fc.property(text, text => assert.equal([...splitSentences(text)].join(''), text))))
  it('are found in a text of many windows as in a short one', () => {
    const long = '上海很大。“好。”他说。'.repeat(20_000)
    const found = [...splitSentences(long)]
    assert.equal(found.length, 60_000)
    assert.deepEqual(new Set(found), new Set(['上海很大。', '“好。”', '他说。']))
  })
})

describe('a text without sentence ends', () => {
  const size = 16
  it('is split at lines first', () =>
    assert.deepEqual(
      [...splitLongText('第一行，有逗号的\n第二行，有逗号的\n', size)],
      ['第一行，有逗号的\n', '第二行，有逗号的\n'],
    ))
  it('then at clauses, not at the comma of a number', () => {
    const parts = [...splitLongText('人口有2,487,000那么多人在这里，后来又有更多的人来到了', size)]
    assert.ok(parts.includes('人口有2,487,000那么多人在这里，'))
  })
  it('then at white space', () => {
    for (const part of splitLongText('word '.repeat(60), size)) assert.match(part, /^(word ){4}$/)
  })
  it('then between graphemes', () => {
    const family = '👨‍👩‍👧‍👦'
    const accent = 'e\u0301\u0302'
    for (const part of splitLongText(family.repeat(20), size)) assert.equal(part.replaceAll(family, ''), '')
    for (const part of splitLongText(accent.repeat(50), size)) assert.equal(part.replaceAll(accent, ''), '')
  })
  it('is split into parts that fit and are the text again', () =>
    fc.assert(
      fc.property(text, fc.integer({ min: 16, max: 60 }), (text, size) => {
        const parts = [...splitLongText(text, size)]
        assert.equal(parts.join(''), text)
        for (const part of parts) assert.ok(part !== '' && countTokens(part) <= size)
      }),
    ))
})
