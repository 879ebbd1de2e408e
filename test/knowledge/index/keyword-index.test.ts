import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type KeywordHit, KeywordIndex } from '../../../src/knowledge/index/keyword-index.ts'
import type { Segment } from '../../../src/knowledge/index/segment.ts'
import { mergeSegments } from '../../../src/knowledge/index/segment-builder.ts'
import { SegmentCache } from '../../../src/knowledge/index/segment-cache.ts'
import { type QueryTerms, queryTerms } from '../../../src/knowledge/text/query-terms.ts'
import { textTerms } from '../../../src/knowledge/text/text-terms.ts'
import { numbersFrom } from '../../support/vector-rows.ts'
import { alike, type Batch, bruteForce, buildSegment, MemorySegments, type ScoredChunk } from './corpus.ts'

const indexOf = (source: MemorySegments, maxBytes = 1 << 20): KeywordIndex =>
  new KeywordIndex(source, new SegmentCache(source, maxBytes))

const search = async (segments: Segment[], question: QueryTerms, limit = 10_000): Promise<KeywordHit[]> =>
  (await indexOf(new MemorySegments(segments)).search('w', 'g', question, limit)).hits

const addressOf = ({ batchId, position }: ScoredChunk): string => `${batchId}/${position}`

/** Compares chunks and scores; chunks with equal scores may be in any order. */
function areTheSame(found: ScoredChunk[], expected: ScoredChunk[]): void {
  assert.deepEqual(found.map(addressOf).sort(), expected.map(addressOf).sort())
  const scores = new Map(expected.map(hit => [addressOf(hit), hit.score]))
  let before = Number.POSITIVE_INFINITY
  for (const hit of found) {
    const score = scores.get(addressOf(hit))!
    assert.ok(Math.abs(hit.score - score) < 1e-4, `${addressOf(hit)}: ${hit.score} instead of ${score}`)
    assert.ok(score < before + 1e-4, 'the higher score comes first')
    before = score
  }
}

const alphabet = ['a', 'b', 'c', 'dd', 'ee', '退款', '款项', 'zz9', 'ax2047b', '\u0001', '𠮷', '\udc00\ud840']
const term = fc.oneof(fc.constantFrom(...alphabet), fc.string({ minLength: 1, maxLength: 64 }))
const batches = fc
  .array(fc.array(fc.array(term, { maxLength: 30 }), { maxLength: 12 }), { maxLength: 12 })
  .map(all => all.map((chunks, index): Batch => ({ batchId: `batch ${index} é`, chunks })))
const factor = fc.constantFrom(0.2, 1, 1.6)
const question = fc
  .array(fc.tuple(term, fc.record({ factor, unknownFactor: factor, presence: fc.constantFrom(0, 0.15) })), {
    maxLength: 8,
  })
  .map(factors => new Map(factors))

describe('the keyword index agrees with BM25 over all chunks', () => {
  test('with one segment per document', () =>
    fc.assert(
      fc.asyncProperty(batches, question, async (corpus, asked) =>
        areTheSame(
          await search(
            corpus.map(batch => buildSegment(batch)),
            asked,
          ),
          bruteForce(corpus, asked),
        ),
      ),
    ))

  test('with repeatedly merged segments, without deleted documents', () =>
    fc.assert(
      fc.asyncProperty(
        batches,
        question,
        fc.array(fc.nat(11)),
        fc.nat(3),
        async (corpus, asked, gone, cut) => {
          const isGone = (batchId: string): boolean => gone.some(index => batchId === `batch ${index} é`)
          const segments = corpus.map(batch => buildSegment(batch))
          const some = mergeSegments(segments.slice(0, cut), isGone)
          const all = mergeSegments([some, ...segments.slice(cut)], isGone)
          const left = corpus.filter(({ batchId }) => !isGone(batchId))
          assert.equal(all.chunkCount, left.flatMap(({ chunks }) => chunks).length)
          assert.equal(all.termTotal, left.flatMap(({ chunks }) => chunks).flat().length)
          areTheSame(await search([all], asked), bruteForce(left, asked))
        },
      ),
    ))

  test('merging in any order does not change the results', () =>
    fc.assert(
      fc.asyncProperty(batches, question, async (corpus, asked) => {
        const segments = corpus.map(batch => buildSegment(batch))
        const merged = mergeSegments(segments.toReversed(), () => false)
        areTheSame(await search([merged], asked), await search(segments, asked))
      }),
    ))

  test('a limit returns the best hits, and a filter does not change scores', () =>
    fc.assert(
      fc.asyncProperty(batches, question, fc.integer({ min: 1, max: 9 }), async (corpus, asked, limit) => {
        const segments = corpus.map(batch => buildSegment(batch))
        const all = bruteForce(corpus, asked)
        const few = await search(segments, asked, limit)
        assert.equal(few.length, Math.min(limit, all.length))
        for (const [at, hit] of few.entries()) assert.ok(Math.abs(hit.score - all[at]!.score) < 1e-4)
        const even = new Set(corpus.flatMap(({ batchId }, at) => (at % 2 === 0 ? batchId : [])))
        const filtered = await indexOf(new MemorySegments(segments)).search('w', 'g', asked, 10_000, even)
        areTheSame(
          filtered.hits,
          all.filter(({ batchId }) => even.has(batchId)),
        )
      }),
    ))
})

test('a frequent term with distant postings is scored correctly', async () => {
  const chunks = Array.from({ length: 40_000 }, (_, index) => [`only${index % 7}`])
  // Gaps above 127, above 16,384 and of 1; counts of 1, 127, 128 and 20,000.
  for (const [position, count] of [
    [0, 128],
    [1, 1],
    [200, 127],
    [17_000, 20_000],
    [39_999, 1],
  ] as const)
    chunks[position] = Array.from({ length: count }, () => 'rare')
  const corpus = [{ batchId: 'b', chunks }]
  areTheSame(await search([buildSegment(corpus[0]!)], alike(['rare'])), bruteForce(corpus, alike(['rare'])))
  areTheSame(
    await search([mergeSegments([buildSegment(corpus[0]!)], () => false)], alike(['rare'])),
    bruteForce(corpus, alike(['rare'])),
  )
})

test('every term of a segment with many blocks is found, and no adjacent one', async () => {
  const terms = Array.from({ length: 30_000 }, (_, index) => `term${String(index * 2).padStart(6, '0')}`)
  const segment = buildSegment({ batchId: 'b', chunks: [terms] })
  assert.ok(segment.blocks.length > 10, `${segment.blocks.length} blocks`)
  for (const each of [segment, mergeSegments([segment], () => false)]) {
    const index = indexOf(new MemorySegments([each]), 1 << 24)
    for (let at = 0; at < terms.length; at += 64) {
      const asked = terms.slice(at, at + 64)
      const found = await index.search('w', 'g', alike(asked), 1)
      assert.deepEqual(found.terms.map(({ term: each }) => each).sort(), asked, `terms from ${at}`)
    }
    const missing = [
      '',
      'term',
      'term000001',
      'term059999',
      'zzz',
      ...terms.slice(0, 50).map(each => `${each}x`),
    ]
    assert.deepEqual((await index.search('w', 'g', alike(missing), 1)).terms, [])
  }
})

test('a block whose first term is half a surrogate pair is found', async () => {
  // Runs of pairs outside the basic plane begin and end with lone surrogates.
  const text = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x20000 + index)).join('')
  const terms = [...new Set(textTerms(text))]
  const segment = buildSegment({ batchId: 'b', chunks: [terms] })
  assert.ok(segment.blocks.length > 3)
  const index = indexOf(new MemorySegments([segment]), 1 << 24)
  const missing: string[] = []
  for (let at = 0; at < terms.length; at += 64) {
    const asked = terms.slice(at, at + 64)
    const found = new Set((await index.search('w', 'g', alike(asked), 1)).terms.map(({ term: each }) => each))
    missing.push(...asked.filter(each => !found.has(each)))
  }
  assert.equal(missing.length, 0, `${missing.length} of ${terms.length} terms are not found`)
})

test('a very long word does not prevent others from being found', async () => {
  const long = textTerms(`${'m'.repeat(9000)}+`)
  for (let before = 0; before < 30; before++) {
    const words = Array.from({ length: 30 }, (_, index) => `${index < before ? 'a' : 'z'}${index}`)
    const segments = [buildSegment({ batchId: 'b', chunks: [[...words, ...long]] })]
    for (const word of words)
      assert.equal((await search(segments, alike([word]))).length, 1, `${word}, ${before}`)
  }
})

test('a long query is scored by its 64 rarest terms, rarest first', async () => {
  const chunks = Array.from({ length: 100 }, (_, chunk) =>
    Array.from({ length: 100 - chunk }, (__, index) => `t${index}`),
  )
  const source = new MemorySegments([buildSegment({ batchId: 'b', chunks })])
  const asked = Array.from({ length: 100 }, (_, index) => `t${index}`)
  const { terms, hits } = await indexOf(source).search('w', 'g', alike([...asked, 'unknown']), 5)
  assert.equal(terms.length, 64)
  assert.deepEqual(
    terms.map(each => each.term),
    asked.slice(36).toReversed(),
  )
  assert.equal(terms[0]!.chunkCount, 1)
  assert.equal(hits[0]!.position, 0)
})

test('a query without terms, an index without segments, and empty chunks find nothing', async () => {
  const empty = buildSegment({ batchId: 'b', chunks: [[], []] })
  assert.deepEqual(await search([], alike(['a'])), [])
  assert.deepEqual(await search([empty], alike(['a'])), [])
  assert.deepEqual(await search([empty], alike([])), [])
  const filled = buildSegment({ batchId: 'c', chunks: [[], ['a'], []] })
  assert.deepEqual((await search([empty, filled], alike(['a']))).map(addressOf), ['c/1'])
  assert.deepEqual(await search([filled], alike([])), [])
})

test('a search survives a concurrent merge', async () => {
  const corpus = ['a', 'b', 'c'].map(batchId => ({ batchId, chunks: [['word', batchId]] }))
  for (const moment of ['headers', 'blocks'] as const) {
    const source = new MemorySegments(corpus.map(batch => buildSegment(batch)))
    const index = indexOf(source)
    const read = source[moment].bind(source)
    let isFirst = true
    source[moment] = (async (workspaceId: string, wanted: never) => {
      if (isFirst) {
        isFirst = false
        const merged = mergeSegments([...source.stored.values()], () => false)
        source.stored.clear()
        source.stored.set('merged', merged)
      }
      return read(workspaceId, wanted)
    }) as never
    const { hits } = await index.search('w', 'g', alike(['word']), 10)
    assert.deepEqual(hits.map(addressOf).sort(), ['a/0', 'b/0', 'c/0'], `while ${moment} are read`)
  }
})

test('concurrent searches do not affect each other', async () => {
  const corpus = Array.from({ length: 20 }, (_, index) => ({
    batchId: `b${index}`,
    chunks: Array.from({ length: 10 }, (__, chunk) => [`x${index % 5}`, `y${chunk}`, 'common']),
  }))
  const index = indexOf(new MemorySegments(corpus.map(batch => buildSegment(batch))))
  await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const asked = alike([`x${at % 5}`, `y${at % 10}`])
      areTheSame((await index.search('w', 'g', asked, 10_000)).hits, bruteForce(corpus, asked))
    }),
  )
})

test('later documents change scores by at most one percent', async () => {
  const source = new MemorySegments()
  const index = indexOf(source)
  const corpus: Batch[] = []
  for (let round = 0; round < 30; round++) {
    const chunks = [Array.from({ length: 1 + round * 3 }, (_, at) => (at % 4 === 0 ? 'word' : `w${at}`))]
    corpus.push({ batchId: `b${round}`, chunks })
    source.stored.set(`s${round}`, buildSegment(corpus.at(-1)!))
    const { hits } = await index.search('w', 'g', alike(['word', 'w1']), 1000)
    const expected = new Map(
      bruteForce(corpus, alike(['word', 'w1'])).map(hit => [addressOf(hit), hit.score]),
    )
    assert.equal(hits.length, expected.size)
    for (const hit of hits) assert.ok(Math.abs(hit.score / expected.get(addressOf(hit))! - 1) < 0.01)
  }
})

test('function words do not lead to a passage of function words', async () => {
  const chunks = [
    'How many days of holiday do I have',
    'npm run banyan restore reads the backup and puts everything back',
    'A backup is one archive',
  ].map(textTerms)
  const hits = await search([buildSegment({ batchId: 'b', chunks })], queryTerms('how do I restore a backup'))
  assert.equal(hits[0]?.position, 1)
})

test('question words count more in a base of questions', async () => {
  const weightIn = async (texts: string[]): Promise<number> => {
    const source = new MemorySegments([buildSegment({ batchId: 'b', chunks: texts.map(textTerms) })])
    const { terms } = await indexOf(source).search('w', 'g', queryTerms('为什么没有退款'), 10)
    return terms.find(({ term }) => term === '为什么')!.weight
  }
  const questions = Array.from({ length: 10 }, (_, at) => (at < 5 ? '为什么没有发货' : '没有退款'))
  const text = '订单由仓库在收到付款以后两天之内发出，节假日除外。'.repeat(50)
  const among = await weightIn(questions)
  assert.ok(Math.abs(among - 3 * (await weightIn(questions.map(each => each + text)))) < 1e-6)
  assert.ok(
    (await weightIn(['为什么没有发货', '没有退款'])) < among,
    'one question makes no base of questions',
  )
})

describe('common words, which are only looked up where they can matter', () => {
  const next = numbersFrom(11)
  /** Word n is in about every (n + 1)th chunk, often more than once. */
  const chunk = (): string[] =>
    Array.from({ length: 40 }, () => `w${Math.floor(next() ** 3 * 60)}`).concat(
      next() < 0.02 ? Array.from({ length: 1 + Math.floor(next() * 4) }, () => 'rare') : [],
      next() < 0.2 ? ['seldom'] : [],
    )
  const corpus = Array.from(
    { length: 6 },
    (_, at): Batch => ({
      batchId: `batch ${at}`,
      chunks: Array.from({ length: at === 5 ? 3000 : 1500 }, chunk),
    }),
  )
  const questions = [
    ['rare', 'w0', 'w1', 'w2'],
    ['rare', 'seldom', 'w0', 'w1', 'w3', 'w5', 'w8'],
    ['seldom', 'w50', 'w0'],
    ['w0', 'w1', 'w2', 'w3'],
    ['rare', 'unknown', 'w40', 'w4', 'w0'],
  ].map(alike)
  const separate = corpus.map(batch => buildSegment(batch))
  const layouts = {
    'one segment': [mergeSegments(separate, () => false)],
    'several segments': [mergeSegments(separate.slice(0, 4), () => false), ...separate.slice(4)],
  }
  /** The hits have the scores of the best ones; which of equal ones are returned is open. */
  const areTheBest = (found: KeywordHit[], all: ScoredChunk[], limit: number): void => {
    assert.equal(found.length, Math.min(limit, all.length))
    const scores = new Map(all.map(hit => [addressOf(hit), hit.score]))
    for (const [at, hit] of found.entries()) {
      assert.ok(Math.abs(hit.score - all[at]!.score) < 1e-5, `the score at rank ${at + 1}`)
      assert.ok(Math.abs(hit.score - scores.get(addressOf(hit))!) < 1e-5, `the score of ${addressOf(hit)}`)
    }
  }

  for (const [name, segments] of Object.entries(layouts))
    test(`with ${name}, the best hits and their scores are those of BM25 over all chunks`, async () => {
      const index = indexOf(new MemorySegments(segments), 1 << 24)
      for (const asked of questions) {
        const all = bruteForce(corpus, asked)
        for (const limit of [1, 10, 60, 500])
          areTheBest((await index.search('w', 'g', asked, limit)).hits, all, limit)
        const some = new Set(['batch 0', 'batch 2', 'batch 4'])
        const allowed = all.filter(hit => some.has(hit.batchId))
        areTheBest((await index.search('w', 'g', asked, 60, some)).hits, allowed, 60)
      }
    })
})

test('a long question is about the word that it repeats', async () => {
  const passages = ['title of a report', 'retrieval in a library', 'titles', 'libraries and retrieval']
  const corpus = passages.map((text, at) => buildSegment({ batchId: `b${at}`, chunks: [textTerms(text)] }))
  const [once] = await search(corpus, queryTerms('Is there a report with a title? Retrieval'))
  const [often] = await search(
    corpus,
    queryTerms(
      'Retrieval: how does retrieval work in a library? Is there a report on retrieval with a title?',
    ),
  )
  assert.deepEqual([once?.batchId, often?.batchId], ['b0', 'b1'])
})

test('a Chinese word is not counted once more as a pair of characters', async () => {
  const { terms } = await indexOf(
    new MemorySegments([buildSegment({ batchId: 'b', chunks: [textTerms('退款流程 refund')] })]),
  ).search('w', 'g', queryTerms('退款 refund'), 10)
  assert.equal(new Set(terms.map(({ weight }) => weight)).size, 1)
})

test('a question is found before and after a long quoted text', async () => {
  const chunks = ['项目编号ZX9981的负责人是王五。', '今天的天气很好。'].map(textTerms)
  const segment = buildSegment({ batchId: 'd', chunks })
  // Different characters, so that nearly every pair is another term.
  const quoted = String.fromCharCode(...Array.from({ length: 2000 }, (_, at) => 0x5000 + at))
  const asked = '项目编号ZX9981的负责人是谁？'
  for (const query of [`${quoted}。${asked}`, `${asked}${quoted}`]) {
    const { terms } = await indexOf(new MemorySegments([segment])).search('w', 'g', queryTerms(query), 1)
    assert.ok(terms.some(each => each.term === 'zx9981'))
    assert.ok(terms.some(each => each.term === '负责'))
  }
})

describe('a misspelt word', () => {
  const segments = [
    'retrieval of documents',
    'retrieval augmented',
    'retire early',
    'model AX2047B',
    'the cat',
  ].map((text, index) => buildSegment({ batchId: `b${index}`, chunks: [textTerms(text)] }))
  const found = async (question: string) => {
    const { hits, terms } = await indexOf(new MemorySegments(segments)).search(
      'w',
      'g',
      queryTerms(question),
      10,
    )
    return { hits, batches: hits.map(({ batchId }) => batchId).sort(), terms }
  }

  test('finds the probable spelling, with a lower score', async () => {
    const { hits, batches, terms } = await found('retreival')
    assert.deepEqual(batches, ['b0', 'b1'])
    assert.deepEqual(
      terms.map(({ term, insteadOf }) => [term, insteadOf]),
      [['retriev', 'retreiv']],
    )
    const [right] = (await found('retrieval')).hits
    assert.ok(hits[0]!.score > 0.3 && hits[0]!.score < right!.score, `${hits[0]!.score} and ${right!.score}`)
    for (const typo of ['retrival', 'rettrieval', 'retrievak documnets'])
      assert.ok((await found(typo)).batches.includes('b0'), typo)
  })

  test('is not corrected if it is short, a code, known to the base, or has another first letter', async () => {
    for (const question of ['cats dat', 'AX2047C', 'betrieval']) {
      const { terms } = await found(question)
      assert.ok(
        terms.every(({ insteadOf }) => !insteadOf),
        question,
      )
    }
    assert.deepEqual((await found('retire')).batches, ['b2'])
  })

  test('does not count the right word twice', async () => {
    const { terms } = await found('retrieval retreival')
    assert.deepEqual(
      terms.map(({ term }) => term),
      ['retriev'],
    )
  })
})

test('a word that the base has in another form is not taken for a misspelling', async () => {
  const chunks = ['Die Straße ist gesperrt', 'Stress im Büro', 'viel Stress'].map(textTerms)
  const source = new MemorySegments([buildSegment({ batchId: 'b', chunks })])
  const { hits, terms } = await indexOf(source).search('w', 'g', queryTerms('Strasse'), 10)
  assert.deepEqual([hits.map(({ position }) => position), terms.map(({ term }) => term)], [[0], ['straße']])
})

test('another form of a word is found after the word itself, and its absence lowers no score', async () => {
  const scoresOf = async (...texts: string[]): Promise<Map<number, number>> => {
    const segments = [buildSegment({ batchId: 'b', chunks: texts.map(textTerms) })]
    const hits = await search(segments, queryTerms('children'))
    return new Map(hits.map(({ position, score }) => [position, score]))
  }
  const both = await scoresOf('a day for children', 'a day for parents', 'the day of a child')
  assert.deepEqual([...both.keys()], [0, 2])
  const alone = await scoresOf('a day for children', 'a day for parents', 'the day of a parent')
  assert.ok(Math.abs(both.get(0)! - alone.get(0)!) < 0.01)
  const unknown = await scoresOf('a day for parents', 'the day of a child')
  assert.ok(unknown.get(1)! > 0 && unknown.get(1)! < both.get(0)!)
})

describe('how well hits match other terms', () => {
  const corpus = Array.from(
    { length: 30 },
    (_, at): Batch => ({
      batchId: `b${at}`,
      chunks: [['asked', 'usual', ...(at % 3 === 0 ? ['rare'] : []), ...(at === 6 ? ['rare', 'other'] : [])]],
    }),
  )
  const segments = corpus.map(batch => buildSegment(batch))
  const merged = [mergeSegments(segments.slice(0, 20), () => false), ...segments.slice(20)]
  const weights = new Map([
    ['rare', 1],
    ['usual', 1],
  ])

  test('is returned for each hit in its order, and rare terms count more', async () => {
    const index = indexOf(new MemorySegments(merged))
    const { hits } = await index.search('w', 'g', alike(['asked']), 100)
    const matches = (await index.match('w', 'g', hits, weights))!
    assert.equal(matches.length, 30)
    const matchOf = (batchId: string): number => matches[hits.findIndex(hit => hit.batchId === batchId)]!
    assert.ok(matchOf('b6') > matchOf('b3'), 'the term occurs more often')
    assert.ok(matchOf('b3') > matchOf('b1') * 5, 'what every chunk contains says little')
    assert.ok(Math.abs(matchOf('b3') - matchOf('b27')) < 1e-6, 'in another segment')
    assert.ok(matches.every(match => match >= 0 && match <= 1))
  })

  test('does not depend on terms that the base does not contain', async () => {
    const index = indexOf(new MemorySegments(merged))
    const { hits } = await index.search('w', 'g', alike(['asked']), 3)
    assert.deepEqual(await index.match('w', 'g', hits, new Map([['nowhere', 1]])), [0, 0, 0])
    assert.deepEqual(await index.match('w', 'g', hits, new Map()), [0, 0, 0])
  })

  test('is unknown after a merge', async () => {
    const source = new MemorySegments(segments)
    const index = indexOf(source)
    const { hits } = await index.search('w', 'g', alike(['asked']), 100)
    source.stored.clear()
    assert.equal(await index.match('w', 'g', hits, weights), undefined)
    source.stored.set(
      'merged',
      mergeSegments(segments, () => false),
    )
    assert.equal(await index.match('w', 'g', hits, weights), undefined)
  })
})
