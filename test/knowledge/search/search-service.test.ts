import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/kernel/app-error.ts'
import type { SearchRequest } from '../../../src/knowledge/search/search-request.ts'
import { ModelFailure } from '../../../src/models/model-failure.ts'
import { type Passage, SearchWorld } from './search-world.ts'

const ask = (world: SearchWorld, request: Partial<SearchRequest> = {}) =>
  world.service().search('w', 'k', { query: 'refund', ...request })

const filesOf = async (world: SearchWorld, request: Partial<SearchRequest> = {}): Promise<string[]> =>
  (await ask(world, request)).items.map(({ chunk }) => chunk.fileId)

const three: Passage[] = [
  { file: 'a', content: 'a refund', keyword: 0.9, semantic: 0.1 },
  { file: 'b', content: 'money back', keyword: 0.2, semantic: 0.95 },
  { file: 'c', content: 'refund of money', keyword: 0.8, semantic: 0.9 },
]

const fails = (reason: string) => (error: unknown) => error instanceof AppError && error.reason === reason

describe('search mode', () => {
  test('is hybrid with an embedding model: chunks found by both indexes come first', async () => {
    const world = new SearchWorld([...three, { file: 'd', content: 'd', keyword: 0.85, semantic: 0.94 }])
    const { mode, items, warning } = await ask(world)
    assert.equal(mode, 'hybrid')
    assert.equal(warning, undefined)
    assert.equal(items[0]!.chunk.fileId, 'd')
    assert.deepEqual(items[0]!.scores, { keyword: 0.85, semantic: 0.94 })
    assert.deepEqual(new Set(world.asked.map(({ leg }) => leg)), new Set(['keyword', 'semantic']))
  })

  test('keyword and semantic use one index only, and show its scores', async () => {
    const world = new SearchWorld(three)
    const keyword = await ask(world, { mode: 'keyword' })
    assert.deepEqual(
      keyword.items.map(({ chunk, score, scores }) => [chunk.fileId, score, scores]),
      [
        ['a', 0.9, { keyword: 0.9 }],
        ['c', 0.8, { keyword: 0.8 }],
        ['b', 0.2, { keyword: 0.2 }],
      ],
    )
    assert.deepEqual(await filesOf(world, { mode: 'semantic' }), ['b', 'c', 'a'])
    assert.deepEqual(
      world.asked.map(({ leg }) => leg),
      ['keyword', 'semantic'],
    )
  })

  test('is keyword without an embedding model; other modes are rejected', async () => {
    const world = new SearchWorld(three)
    world.embeddingModel = null
    world.retrieval.mode = 'semantic'
    assert.equal((await ask(world)).mode, 'keyword')
    assert.equal((await ask(world, { mode: 'keyword' })).mode, 'keyword')
    for (const mode of ['hybrid', 'semantic'] as const)
      await assert.rejects(ask(world, { mode }), fails('invalid_request'))
  })

  test('defaults to the mode of the base', async () => {
    const world = new SearchWorld(three)
    world.retrieval.mode = 'semantic'
    assert.equal((await ask(world)).mode, 'semantic')
    assert.equal((await ask(world, { mode: 'hybrid' })).mode, 'hybrid')
  })

  test('compares a similarity with that of other passages, if there are enough of them', async () => {
    const world = new SearchWorld([
      { file: 'a', content: 'x', semantic: 0.8 },
      { file: 'b', content: 'y', semantic: 0.55 },
    ])
    world.embed = async () => Float32Array.from([1, 0])
    const scores = async (): Promise<string[]> =>
      (await ask(world, { mode: 'semantic' })).items.map(({ score }) => score.toFixed(2))
    assert.deepEqual(await scores(), ['0.80', '0.55'], 'as it is in a small base')
    world.sample = Array.from({ length: 64 }, (_, at) => Float32Array.from([0.5 + (at % 3) / 10, 0.5]))
    assert.deepEqual(await scores(), ['0.50', '0.00'], 'half of the others have 0.6 or more')
  })

  test('counts negative similarities as zero', async () => {
    const world = new SearchWorld([{ file: 'a', content: 'x', semantic: -0.4 }])
    assert.equal((await ask(world, { mode: 'semantic' })).items[0]!.score, 0)
  })
})

describe('a failing embedding model', () => {
  const broken = (): SearchWorld => {
    const world = new SearchWorld(three)
    world.embed = async () => {
      throw new ModelFailure('The endpoint does not answer', { retryable: true })
    }
    return world
  }

  test('falls back to keyword search with a warning', async () => {
    const { mode, warning, items } = await ask(broken())
    assert.equal(mode, 'keyword')
    assert.match(warning!, /Keyword search only: The endpoint does not answer/)
    assert.deepEqual(
      items.map(({ chunk }) => chunk.fileId),
      ['a', 'c', 'b'],
    )
  })

  test('fails a semantic search', () =>
    assert.rejects(ask(broken(), { mode: 'semantic' }), fails('model_failed')))

  test('is not called for a keyword search', async () =>
    assert.equal((await ask(broken(), { mode: 'keyword' })).warning, undefined))

  test('an unrelated error is not reported as a model failure', async () => {
    const world = new SearchWorld(three)
    world.embed = async () => {
      throw new TypeError('a mistake of ours')
    }
    await assert.rejects(ask(world), TypeError)
  })
})

describe('number of results', () => {
  const many = (count: number, more: (index: number) => Partial<Passage> = () => ({})): Passage[] =>
    Array.from({ length: count }, (_, index) => ({
      file: `f${index}`,
      content: `refund ${index}`,
      keyword: 1 - index / 10_000,
      ...more(index),
    }))

  test('comes from the request, else from the base', async () => {
    const world = new SearchWorld(many(30))
    assert.equal((await filesOf(world)).length, 5)
    assert.deepEqual(await filesOf(world, { topK: 2 }), ['f0', 'f1'])
    assert.equal((await filesOf(world, { topK: 100 })).length, 30)
  })

  test('is reached although the index still contains deleted chunks', async () => {
    const world = new SearchWorld(many(900, index => ({ isDead: index < 700 })))
    assert.deepEqual(await filesOf(world, { mode: 'keyword', topK: 3 }), ['f700', 'f701', 'f702'])
    const limits = world.asked.map(({ limit }) => limit)
    assert.ok(limits.length > 1 && limits.every((limit, at) => limit > (limits[at - 1] ?? 0)))
  })

  test('terminates when all indexed chunks are deleted', async () => {
    const world = new SearchWorld(many(20_000, () => ({ isDead: true, semantic: 0.5 })))
    assert.deepEqual(await filesOf(world), [])
    assert.ok(world.asked.length <= 12, `${world.asked.length} lookups`)
  })

  test('needs one lookup when that finds enough', async () => {
    const world = new SearchWorld(many(500, index => ({ isDead: index % 3 === 0 })))
    assert.equal((await filesOf(world, { mode: 'keyword' })).length, 5)
    assert.equal(world.asked.length, 1)
  })

  test('is limited by the score threshold', async () => {
    const world = new SearchWorld(three)
    assert.deepEqual(await filesOf(world, { mode: 'keyword', scoreThreshold: 0.8 }), ['a', 'c'])
    assert.deepEqual(await filesOf(world, { mode: 'keyword', scoreThreshold: 0.91 }), [])
    world.retrieval.scoreThreshold = 0.85
    assert.deepEqual(await filesOf(world, { mode: 'keyword' }), ['a'])
    assert.deepEqual(await filesOf(world, { mode: 'keyword', scoreThreshold: 0 }), ['a', 'c', 'b'])
  })
})

test('copies of a passage leave room for others, and none is hidden', async () => {
  const clause = 'The refund of travel costs is paid with the salary of the month after the journey.'
  const copies = Array.from({ length: 20 }, (_, at) => ({ file: `copy${at}`, content: clause, keyword: 0.9 }))
  const others = ['a broken chair', 'late trains', 'school fees', 'taxes'].map((label, at) => ({
    file: `other${at}`,
    content: `A passage about a refund of ${label} and nothing else.`,
    keyword: 0.6 - at / 100,
  }))
  const world = new SearchWorld([...copies, ...others])
  assert.deepEqual(await filesOf(world, { mode: 'keyword' }), [
    'copy0',
    'copy1',
    'other0',
    'other1',
    'other2',
  ])
  assert.equal(world.asked.length, 1)
  const { items } = await ask(world, { mode: 'keyword', topK: 30, scoreThreshold: 0.55 })
  assert.equal(items.length, 24)
  assert.deepEqual([items.at(-1)!.score, items.at(-1)!.scores], [0.55, { keyword: 0.9 }])
})

test('a query without words finds nothing in keyword mode', async () => {
  const world = new SearchWorld(three)
  assert.deepEqual(await filesOf(world, { query: '🎉 !!', mode: 'keyword' }), [])
  assert.equal((await filesOf(world, { query: '🎉 !!' })).length, 3)
})

test('items contain the highlights of the query words', async () => {
  const { items } = await ask(new SearchWorld(three), { mode: 'keyword' })
  assert.deepEqual(items[0]!.highlights, [[2, 8]])
  assert.deepEqual(items[2]!.highlights, [])
})

test('what a misspelt word was meant to be is highlighted', async () => {
  const world = new SearchWorld([{ file: 'a', content: 'Information retrieval', keyword: 0.9 }])
  world.meant = { retreiv: 'retriev' }
  const { items } = await ask(world, { mode: 'keyword', query: 'retreival' })
  assert.deepEqual(items[0]!.highlights, [[12, 21]])
})

test('other forms of a word are highlighted', async () => {
  const world = new SearchWorld([{ file: 'a', content: 'A child writes', keyword: 0.9 }])
  const { items } = await ask(world, { mode: 'keyword', query: 'What have children written?' })
  assert.deepEqual(items[0]!.highlights, [
    [2, 7],
    [8, 14],
  ])
})

test('question words and particles are not highlighted, unless there is nothing else', async () => {
  const world = new SearchWorld([{ file: 'a', content: '什么情况下退款？退款的期限是七天。', keyword: 0.9 }])
  const lit = async (query: string): Promise<string[]> => {
    const [item] = (await ask(world, { mode: 'keyword', query })).items
    return item!.highlights.map(([from, to]) => item!.chunk.content.slice(from, to))
  }
  assert.deepEqual(await lit('退款的期限是什么？'), ['退款', '退款', '期限'])
  assert.deepEqual(await lit('什么'), ['什么'])
})

describe('filters', () => {
  test('apply to both indexes', async () => {
    const world = new SearchWorld(three)
    assert.deepEqual((await filesOf(world, { fileIds: ['a', 'b'] })).sort(), ['a', 'b'])
    assert.deepEqual(world.filters, [{ fileIds: ['a', 'b'], conditions: [] }])
    world.matching = ['b', 'c']
    const conditions = [{ key: 'year', gt: 2020 }]
    assert.deepEqual((await filesOf(world, { conditions })).sort(), ['b', 'c'])
    assert.deepEqual(await filesOf(world, { conditions, fileIds: ['a', 'b'] }), ['b'])
    assert.deepEqual(await filesOf(world, { fileIds: ['none'] }), [])
  })

  test('that match too many documents are applied to the results', async () => {
    const passages = Array.from({ length: 800 }, (_, index) => ({
      file: `f${index}`,
      content: 'refund',
      keyword: 1 - index / 1000,
    }))
    const world = new SearchWorld(passages)
    world.maxListed = 0
    world.matching = ['f3', 'f700', 'f799']
    for (const file of world.matching) world.metadata[file] = { year: 2026 }
    const conditions = [{ key: 'year', equals: 2026 }]
    assert.deepEqual(await filesOf(world, { mode: 'keyword', conditions, topK: 1 }), ['f3'])
    assert.deepEqual(await filesOf(world, { mode: 'keyword', conditions }), ['f3', 'f700', 'f799'])
    assert.deepEqual(await filesOf(world, { mode: 'keyword', conditions, fileIds: ['f3', 'f4'] }), ['f3'])
  })

  test('cost no lookup when there are none', async () => {
    const world = new SearchWorld(three)
    await ask(world, { conditions: [] })
    assert.deepEqual(world.filters, [])
    assert.equal(world.asked.find(({ leg }) => leg === 'semantic')!.allowed, undefined)
  })
})

describe('a reranker', () => {
  test('decides order and scores, to which the threshold applies', async () => {
    const world = new SearchWorld(three)
    world.rerank = documents =>
      documents
        .map((document, index) => ({ index, score: document.includes('back') ? 0.9 : 0.3 + index / 100 }))
        .sort((left, right) => right.score - left.score)
    const { items } = await ask(world, { rerank: true, topK: 2 })
    assert.equal(items.length, 2)
    assert.equal(items[0]!.chunk.fileId, 'b')
    assert.equal(items[0]!.score, 0.9)
    assert.deepEqual(items[0]!.scores, { keyword: 0.2, semantic: 0.95, rerank: 0.9 })
    assert.equal(world.reranked[0]!.query, 'refund')
    assert.ok(world.reranked[0]!.documents.includes('Heading\nmoney back'))
    assert.deepEqual(await filesOf(world, { rerank: true, scoreThreshold: 0.5 }), ['b'])
  })

  test('is used when the base or the request enables it', async () => {
    const world = new SearchWorld(three)
    world.rerank = documents => documents.map((_, index) => ({ index, score: 1 }))
    await ask(world)
    assert.equal(world.reranked.length, 0)
    world.retrieval.rerank = true
    await ask(world)
    assert.equal(world.reranked.length, 1)
    await ask(world, { rerank: false })
    assert.equal(world.reranked.length, 1)
    await ask(world, { rerank: true, fileIds: ['none'] })
    assert.equal(world.reranked.length, 1, 'not called without candidates')
  })

  test('that is not configured is an error for the request, not for the setting of the base', async () => {
    const world = new SearchWorld(three)
    await assert.rejects(ask(world, { rerank: true }), fails('invalid_request'))
    world.retrieval.rerank = true
    assert.equal((await filesOf(world)).length, 3)
  })

  test('that fails is reported as a model failure', async () => {
    const world = new SearchWorld(three)
    world.rerank = () => {
      throw new ModelFailure('The reranker does not answer', { retryable: true })
    }
    await assert.rejects(ask(world, { rerank: true }), fails('model_failed'))
  })

  test('that fails leaves the order of the search where only the base enables it', async () => {
    const world = new SearchWorld(three)
    const before = await filesOf(world)
    world.retrieval.rerank = true
    world.rerank = () => {
      throw new ModelFailure('The reranker does not answer', { retryable: true })
    }
    const { items, warning } = await ask(world)
    assert.deepEqual(
      items.map(({ chunk }) => chunk.fileId),
      before,
    )
    assert.equal(warning, 'Not reranked: The reranker does not answer')
  })

  test('does not reduce the number of results', async () => {
    const passages = Array.from({ length: 100 }, (_, index) => ({
      file: `f${index}`,
      content: 'refund',
      keyword: 1 - index / 1000,
    }))
    const world = new SearchWorld(passages)
    world.rerank = documents => documents.map((_, index) => ({ index, score: 0.5 }))
    assert.equal((await filesOf(world, { rerank: true, mode: 'keyword', topK: 50 })).length, 50)
  })

  test('gets more candidates than are returned', async () => {
    const passages = Array.from({ length: 40 }, (_, index) => ({
      file: `f${index}`,
      content: `refund ${index}`,
      keyword: 1 - index / 100,
    }))
    const world = new SearchWorld(passages)
    world.rerank = documents =>
      documents
        .map((document, index) => ({ index, score: document.endsWith(' 39') ? 1 : 0.1 }))
        .sort((left, right) => right.score - left.score)
    assert.deepEqual(await filesOf(world, { rerank: true, mode: 'keyword', topK: 1 }), ['f39'])
  })
})

describe('search explanation', () => {
  const explain = async (world: SearchWorld, request: Partial<SearchRequest> = {}) =>
    (await ask(world, { explain: true, ...request })).explanation!

  const reason = async (world: SearchWorld, fileId: string, request: Partial<SearchRequest> = {}) => {
    const { absent } = await explain(world, { explainFileIds: [fileId], ...request })
    assert.deepEqual(
      absent.map(each => each.fileId),
      [fileId],
    )
    return `${absent[0]!.code}: ${absent[0]!.reason}`
  }

  test('is returned only on request', async () =>
    assert.equal((await ask(new SearchWorld(three))).explanation, undefined))

  test('contains the terms, and the rank of each item in each index', async () => {
    const { terms, ranks, absent } = await explain(new SearchWorld(three))
    assert.deepEqual(
      terms.map(({ term }) => term),
      ['refund'],
    )
    assert.deepEqual(
      ranks.toSorted((left, right) => (left.chunkId < right.chunkId ? -1 : 1)),
      [
        { chunkId: 'a_0', keyword: 1, semantic: 3 },
        { chunkId: 'b_0', keyword: 3, semantic: 1 },
        { chunkId: 'c_0', keyword: 2, semantic: 2 },
      ],
    )
    assert.deepEqual(absent, [])
  })

  test('does not mention a file that was found', async () =>
    assert.deepEqual((await explain(new SearchWorld(three), { explainFileIds: ['a'] })).absent, []))

  test('covers a file that is not in the base', async () =>
    assert.match(
      await reason(new SearchWorld(three), 'x'),
      /^not_in_base: .* not a document of this knowledge base/,
    ))

  test('covers a file that is not indexed yet or has failed', async () => {
    const world = new SearchWorld(three)
    world.statuses = { slow: 'embedding', bad: 'failed' }
    assert.match(await reason(world, 'slow'), /^not_indexed: .* not indexed yet; its status is embedding/)
    assert.match(await reason(world, 'bad'), /^processing_failed: .* could not be processed: It is a scan/)
  })

  test('covers a file that the filter excludes', async () => {
    const world = new SearchWorld(three)
    world.matching = ['b']
    assert.match(
      await reason(world, 'a', { conditions: [{ key: 'x', equals: 1 }] }),
      /^filtered_out: .* filter excludes it/,
    )
  })

  test('covers a file of `file_ids` that is not found', async () => {
    const { absent } = await explain(new SearchWorld(three), { fileIds: ['a', 'nope'] })
    assert.deepEqual(
      absent.map(({ fileId }) => fileId),
      ['nope'],
    )
  })

  test('covers a file below the threshold', async () => {
    const world = new SearchWorld(three)
    const why = await reason(world, 'b', { mode: 'keyword', scoreThreshold: 0.5 })
    assert.match(why, /^below_threshold: .* score 0\.200, below the threshold 0\.5/)
  })

  test('covers a file below the threshold and below top_k, and advises a larger top_k only where it helps', async () => {
    const many = Array.from({ length: 200 }, (_, at) => ({ file: `f${at}`, content: `${at}`, keyword: 0.9 }))
    const last = { file: 'b', content: 'money', keyword: 0.5, semantic: 0.1 }
    const why = (request: Partial<SearchRequest>) =>
      reason(new SearchWorld([...many, last]), 'b', { topK: 1, ...request })
    const keyword = 'keyword' as const
    assert.match(await why({ mode: keyword, scoreThreshold: 0.6 }), /^below_threshold: .* score 0\.500/)
    assert.match(await why({ mode: keyword, scoreThreshold: 0.4 }), /^ranked_lower: .* larger top_k/)
    assert.match(await why({}), /^ranked_lower: .* larger top_k/)
    assert.match(
      await why({ scoreThreshold: 0.4 }),
      /^ranked_lower: .* keyword rank 201, similarity 0\.100\.$/,
    )
  })

  test('covers a file that the reranker scored below the threshold', async () => {
    const world = new SearchWorld(three)
    world.rerank = documents => documents.map((_, index) => ({ index, score: 0.25 }))
    const why = await reason(world, 'a', { rerank: true, scoreThreshold: 0.4 })
    assert.match(why, /score 0\.250, below the threshold 0\.4/)
  })

  test('covers a file without a word of the query', async () => {
    const world = new SearchWorld([...three, { file: 'd', content: 'weather' }])
    assert.match(
      await reason(world, 'd', { mode: 'keyword' }),
      /^no_match: None of its passages contains a word of the query/,
    )
  })

  test('covers a file whose best passage is disabled', async () => {
    const world = new SearchWorld([...three, { file: 'd', content: 'refund', keyword: 0.99, isDead: true }])
    assert.match(await reason(world, 'd', { mode: 'keyword' }), /^disabled: .* disabled or was just changed/)
  })

  test('covers a file that others outrank', async () => {
    const world = new SearchWorld(three)
    const why = await reason(world, 'b', { mode: 'keyword', topK: 2 })
    assert.match(
      why,
      /^ranked_lower: Other passages rank higher; its best one has keyword score 0\.200, keyword rank 3\./,
    )
    const semantic = await reason(world, 'a', { mode: 'semantic', topK: 2 })
    assert.match(semantic, /similarity 0\.100/)
    assert.doesNotMatch(semantic, /keyword/, 'an index that was not queried does not count')
  })
})
