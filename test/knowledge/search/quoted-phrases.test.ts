import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { atOnce } from '../../../src/kernel/slices.ts'
import { preferQuoted, quotedPhrases } from '../../../src/knowledge/search/quoted-phrases.ts'

describe('what a question quotes', () => {
  const cases: [question: string, phrases: string[]][] = [
    ['How does "Fail  fast" work?', [' fail fast ']],
    ['What are “dry runs” and "canaries"?', [' dry runs ', ' canaries ']],
    ['Wo steht „Guten Tag“, wo «bonjour»?', [' guten tag ', ' bonjour ']],
    ['「乡里制」是什么？', ['乡里制']],
    ['《紅樓夢》的作者', ['红楼梦']],
    ['《会　议　纪　要》的日期', ['会议纪要']],
    ['《劳动合同法》第三十八条和第 40 款，第三次', ['劳动合同法', '第38条', '第40款']],
    ['twice "the same", "The same"', [' the same ']],
    ['a 5" pipe', []],
    ['nothing "" and "…"', []],
    ['no quotation', []],
  ]
  for (const [question, phrases] of cases)
    test(question, () => assert.deepEqual(quotedPhrases(question), phrases))
})

describe('passages', () => {
  const passage = (content: string, score: number, heading: string[] = []) => ({
    chunk: { content, heading },
    score,
  })
  const ranked = (question: string, items: ReturnType<typeof passage>[], threshold = 0) =>
    atOnce(preferQuoted(quotedPhrases(question), items, threshold)).map(item => [
      item.chunk.content,
      Number(item.score.toFixed(3)),
    ])

  test('with the quoted words come first, in the text or a heading, over punctuation and lines', () => {
    const found = ranked('"dry run" of a deployment', [
      passage('deployments run on dry days', 0.8),
      passage('a Dry\nrun, first', 0.6),
      passage('see above', 0.7, ['Dry-run']),
      passage('a dry runner', 0.5),
    ])
    assert.deepEqual(found, [
      ['see above', 0.7],
      ['a Dry\nrun, first', 0.6],
      ['deployments run on dry days', 0.56],
      ['a dry runner', 0.35],
    ])
  })

  test('with the article that a question names come first, however its number is written', () => {
    const items = [
      passage('第三十九条 劳动者有下列情形之一的', 0.8),
      passage('第三十八条 用人单位有下列情形之一的', 0.7),
      passage('第一百三十八条', 0.6),
    ]
    for (const question of ['第三十八条', '第38条怎么规定', '第３８條'])
      assert.equal(ranked(question, items)[0]![0], '第三十八条 用人单位有下列情形之一的', question)
  })

  test('with more of several phrases come before those with fewer', () => {
    const found = ranked('"blue" or "green"', [
      passage('red', 0.9),
      passage('blue', 0.8),
      passage('green and blue', 0.7),
    ])
    assert.deepEqual(found, [
      ['green and blue', 0.7],
      ['blue', 0.56],
      ['red', 0.441],
    ])
  })

  test('stay as they are where none has the phrase, and keep the threshold', () => {
    const items = [passage('one', 0.8), passage('two', 0.7)]
    assert.deepEqual(ranked('"three"', items), [
      ['one', 0.8],
      ['two', 0.7],
    ])
    assert.deepEqual(ranked('"two"', items, 0.6), [
      ['two', 0.7],
      ['one', 0.6],
    ])
  })
})
