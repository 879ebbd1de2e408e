import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { chain } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

const isoWithOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/

const holidays = '# Holidays\n\nEverybody has 30 days of holiday a year.'
const tea = '# Tea\n\nThe kettle is in the kitchen. Oolong stands on the shelf.'

describe('knowledge bases over HTTP', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer()
    api = server.api
  })
  after(() => server.stop())

  const search = (id: string, body: object): Promise<Data> => dataOf(api.post(`knowledge/${id}/search`, body))
  const foundIn = async (id: string, body: object): Promise<string[]> =>
    (await search(id, body)).items.map((item: Data) => item.file_id)

  test('creates a base with default settings and returns the same record on read', async () => {
    const made = await dataOf(api.post('knowledge/create', { name: '手册 Handbook' }))
    const { knowledge_id, created_at, updated_at, ...rest } = made
    assert.match(knowledge_id, /^kb_[A-Za-z0-9_-]{22}$/)
    assert.match(created_at, isoWithOffset)
    assert.equal(updated_at, created_at)
    assert.deepEqual(rest, {
      name: '手册 Handbook',
      description: '',
      chunking: { strategy: 'auto', size: 512, overlap: 64 },
      embedding: null,
      retrieval: { mode: 'keyword', top_k: 5, score_threshold: 0, rerank: false },
      metadata: {},
      status: 'ready',
      document_count: 0,
      chunk_count: 0,
      failed_count: 0,
      reindexing: null,
      golden_max_lost: 0,
      golden_check: null,
    })
    assert.deepEqual(await dataOf(api.get(`knowledge/${knowledge_id}`)), made)
  })

  test('stores known settings and ignores unknown fields', async () => {
    const chunking = { strategy: 'paragraph', size: 100, overlap: 50, separators: ['\n\n', '。'] }
    const retrieval = { mode: 'keyword', top_k: 50, score_threshold: 1, rerank: false }
    const metadata = { constructor: 'data', 年份: 2026, tags: ['a', 1, true], 'a/b': false }
    const made = await dataOf(
      api.post('knowledge/create', {
        name: 'x'.repeat(100),
        description: '树'.repeat(2000),
        chunking: { ...chunking, unknown: 1 },
        embedding: null,
        retrieval: { ...retrieval, unknown: 1 },
        metadata,
        status: 'indexing',
        knowledge_id: 'kb_mine',
      }),
    )
    assert.deepEqual(
      [made.chunking, made.retrieval, made.metadata, made.status],
      [chunking, retrieval, metadata, 'ready'],
    )
    assert.notEqual(made.knowledge_id, 'kb_mine')
    assert.equal(made.description.length, 2000)
  })

  test('accepts every size and overlap within the limits, alone and together', async () => {
    const { knowledge_id } = await dataOf(
      api.post('knowledge/create', { name: 'limits', chunking: { size: 100 } }),
    )
    const chunkingOf = async (chunking: object) =>
      (await dataOf(api.post(`knowledge/${knowledge_id}/update`, { chunking }))).chunking
    assert.deepEqual(await chunkingOf({}), { strategy: 'auto', size: 100, overlap: 64 })
    for (const chunking of [{ overlap: 500 }, { size: 4000 }, { size: 512 }, { overlap: 0 }])
      assert.partialDeepStrictEqual(await chunkingOf(chunking), chunking)
  })

  test('requires unique base names in a workspace and frees the name on delete', async () => {
    const taken = async (answer: Promise<ApiAnswer>): Promise<void> => {
      const { status, json } = await answer
      assert.deepEqual([status, json.code, json.data.errors[0].path], [409, 40903, '/name'])
    }
    const id = (await dataOf(api.post('knowledge/create', { name: 'Only one' }))).knowledge_id
    await taken(api.post('knowledge/create', { name: 'Only one' }))
    const other = await makeBase(api)
    await taken(api.post(`knowledge/${other}/update`, { name: 'Only one' }))
    await dataOf(api.post(`knowledge/${id}/update`, { name: 'Only one' }))
    assert.deepEqual(await dataOf(api.post(`knowledge/${id}/delete`)), {})
    await dataOf(api.post('knowledge/create', { name: 'Only one' }))
  })

  test('lists bases in pages, filtered by name or by ids', async () => {
    const ids: string[] = []
    for (const name of ['Listed 1', 'listed 2', 'LISTED 3']) ids.push(await makeBase(api, { name }))
    const list = async (body: object): Promise<Data> => dataOf(api.post('knowledge', body))
    const found = await list({ keyword: 'listed' })
    assert.deepEqual(
      found.items.map((item: Data) => item.knowledge_id),
      ids.toReversed(),
    )
    const second = await list({ keyword: 'listed', page: 2, page_size: 2 })
    assert.deepEqual([second.total, second.page, second.page_size, second.items.length], [3, 2, 2, 1])
    const named = await list({ knowledge_ids: [ids[0], 'kb_none', ids[2], ids[0]] })
    assert.deepEqual(named.items.map((item: Data) => item.knowledge_id).sort(), [ids[0], ids[2]].sort())
    assert.equal(named.total, 2)
    assert.deepEqual((await list({ keyword: 'no such name' })).items, [])
    assert.ok((await dataOf(api.post('knowledge'))).total >= 3, 'a missing body lists every base')
  })

  test('ingests many small texts, of which some cannot be read', async () => {
    const id = await makeBase(api)
    const empty = (await dataOf(api.upload('empty.txt', ' \n '))).file_id
    const texts = Array.from({ length: 90 }, (_, at) => ({
      name: `${at}.txt`,
      content: `Drawer ${at} holds part${at}x.`,
    }))
    const { items } = await dataOf(api.post(`knowledge/${id}`, { file_ids: [empty], texts }))
    assert.equal(items.length, 91)
    const record = await whenIngested(api, id)
    assert.deepEqual([record.document_count, record.chunk_count, record.failed_count], [91, 90, 1])
    for (const at of [0, 44, 89]) {
      const file = items.find((item: Data) => item.name === `${at}.txt`)
      assert.deepEqual(await foundIn(id, { query: `part${at}x`, top_k: 1 }), [file.file_id])
      const chunks = await dataOf(api.get(`knowledge/${id}/files/${file.file_id}/chunks`))
      assert.deepEqual(
        chunks.items.map((chunk: Data) => chunk.content),
        [texts[at]!.content],
      )
    }
    const failed = await dataOf(api.get(`knowledge/${id}/files?status=failed`))
    assert.deepEqual(
      failed.items.map((item: Data) => [item.file_id, item.error.code, item.attempts]),
      [[empty, 'no_text', 1]],
    )
  })

  test('ingests a small text with many chunks apart from the others', async () => {
    const id = await makeBase(api, { chunking: { strategy: 'heading', size: 100, overlap: 0 } })
    const sections = Array.from({ length: 100 }, (_, at) => `# Shelf ${at}\n\nIt holds piece${at}x.`)
    const texts = [
      { name: 'one.md', content: '# One\n\nA single piece.' },
      { name: 'many.md', content: sections.join('\n\n') },
      { name: 'two.md', content: '# Two\n\nAnother piece.' },
    ]
    const { items } = await dataOf(api.post(`knowledge/${id}`, { texts }))
    const record = await whenIngested(api, id)
    assert.deepEqual([record.document_count, record.chunk_count, record.failed_count], [3, 102, 0])
    const documents = await dataOf(api.get(`knowledge/${id}/files`))
    const attempts = documents.items.map((item: Data) => [item.name, item.attempts]).sort()
    assert.deepEqual(attempts, [
      ['many.md', 2],
      ['one.md', 1],
      ['two.md', 1],
    ])
    const many = items.find((item: Data) => item.name === 'many.md')
    assert.deepEqual(await foundIn(id, { query: 'piece99x', top_k: 1 }), [many.file_id])
  })

  test('ingests files and texts as searchable documents', async () => {
    const id = await makeBase(api)
    const file = (await dataOf(api.upload('holidays.md', holidays))).file_id
    const metadata = { year: 2026 }
    const added = await dataOf(
      api.post(`knowledge/${id}`, {
        file_ids: [file, 'file_none'],
        texts: [{ name: 'tea.md', content: tea, unknown: 1 }],
        metadata,
      }),
    )
    assert.deepEqual(added.skipped, [{ file_id: 'file_none', reason: 'not_found' }])
    assert.deepEqual(added.items.map((item: Data) => item.name).sort(), ['holidays.md', 'tea.md'])
    const again = await dataOf(api.post(`knowledge/${id}`, { file_ids: [file], texts: [] }))
    assert.deepEqual(again, { items: [], skipped: [{ file_id: file, reason: 'already_added' }] })

    const record = await whenIngested(api, id)
    assert.deepEqual([record.document_count, record.chunk_count, record.failed_count], [2, 2, 0])
    const page = await dataOf(api.get(`knowledge/${id}/files?status=ready&keyword=holi`))
    assert.equal(page.total, 1)
    const { created_at, updated_at, indexed_at, ...document } = page.items[0]
    for (const time of [created_at, updated_at, indexed_at]) assert.match(time, isoWithOffset)
    assert.deepEqual(document, {
      file_id: file,
      name: 'holidays.md',
      mime_type: 'text/markdown',
      size: Buffer.byteLength(holidays),
      status: 'ready',
      progress: 1,
      chunk_count: 1,
      attempts: 1,
      recognition: null,
      warnings: [],
      source_url: null,
      error: null,
      metadata,
    })
    const textId = added.items.find((item: Data) => item.name === 'tea.md').file_id
    assert.equal((await api.get(`files/${textId}`)).text, tea, 'a text is stored as a file')
    const second = await dataOf(api.get(`knowledge/${id}/files?page=2&page_size=1`))
    assert.deepEqual([second.total, second.page, second.page_size, second.items.length], [2, 2, 1, 1])
    assert.equal((await dataOf(api.get(`knowledge/${id}/files?status=failed`))).total, 0)
  })

  test('accepts a text larger than the default body limit', async () => {
    const id = await makeBase(api)
    const long = `${'榕树 '.repeat(60_000)}needle`
    const [file] = await addTexts(api, id, { 'long.txt': long })
    assert.deepEqual(await foundIn(id, { query: 'needle' }), [file])
  })

  test('reports why a document failed without affecting others, and allows a retry', async () => {
    const id = await makeBase(api)
    await addTexts(api, id, { 'blank.txt': ' \n ', 'tea.md': tea })
    const record = await dataOf(api.get(`knowledge/${id}`))
    assert.deepEqual([record.document_count, record.failed_count], [2, 1])
    const [failed] = (await dataOf(api.get(`knowledge/${id}/files?status=failed`))).items
    assert.deepEqual([failed.error.code, failed.error.retryable, failed.indexed_at], ['no_text', false, null])
    assert.ok(failed.error.message.length > 0)

    assert.deepEqual(await dataOf(api.post(`knowledge/${id}/rebind`)), {
      accepted: [failed.file_id],
      skipped: [],
    })
    await whenIngested(api, id)
    const [ready] = (await dataOf(api.get(`knowledge/${id}/files?status=ready`))).items
    const named = await dataOf(api.post(`knowledge/${id}/rebind`, { file_ids: [ready.file_id, 'file_none'] }))
    assert.deepEqual(named, {
      accepted: [ready.file_id],
      skipped: [{ file_id: 'file_none', reason: 'not_found' }],
    })
    await whenIngested(api, id)
    assert.deepEqual(await foundIn(id, { query: 'oolong' }), [ready.file_id])
  })

  test('returns content, location, scores and highlights for each search result', async () => {
    const id = await makeBase(api)
    const [file] = await addTexts(
      api,
      id,
      { 'holidays.md': holidays, 'tea.md': tea },
      { metadata: { year: 2026 } },
    )
    const { mode, took_ms, items, ...rest } = await search(id, { query: 'days of holiday', top_k: 1 })
    assert.deepEqual([mode, items.length, rest], ['keyword', 1, {}])
    assert.ok(took_ms >= 0)
    const [{ chunk_id, score, scores, offsets, highlights, ...item }] = items
    const listed = await dataOf(api.get(`knowledge/${id}/files/${file}/chunks`))
    assert.equal(chunk_id, listed.items[0].chunk_id)
    assert.deepEqual(offsets, listed.items[0].offsets)
    assert.ok(score > 0 && score <= 1)
    assert.deepEqual([typeof scores.keyword, scores.semantic, scores.rerank], ['number', null, null])
    assert.deepEqual(item, {
      file_id: file,
      file_name: 'holidays.md',
      source_url: null,
      content: listed.items[0].content,
      position: 0,
      heading: ['Holidays'],
      page: null,
      last_page: null,
      sheet: null,
      metadata: { year: 2026 },
    })
    const marked = highlights.map(([from, to]: number[]) => item.content.slice(from, to).toLowerCase())
    assert.ok(marked.includes('days') && marked.includes('holiday'), marked.join())
  })

  test('ranks passages with the words that a question quotes before others', async () => {
    const id = await makeBase(api)
    await addTexts(api, id, {
      'often.md':
        'Deployments: a run needs a dry day. Each run of a deployment that is dry is a run that is good.',
      'exact.md':
        'Before deployments the team does a dry run, and many other things that are told elsewhere.',
    })
    await whenIngested(api, id)
    const namesOf = async (query: string): Promise<string[]> =>
      (await search(id, { query })).items.map((item: Data) => item.file_name)
    assert.deepEqual(await namesOf('dry run of deployments'), ['often.md', 'exact.md'])
    assert.deepEqual(await namesOf('"dry run" of deployments'), ['exact.md', 'often.md'])
  })

  test('scores a polite question like a plain one, and highlights only its subject', async () => {
    const id = await makeBase(api)
    await addTexts(api, id, {
      'office.md': 'The office closes at six. Please lock the door.',
      '年假.md': '年假有三十天，入职满一年后可以申请。',
      'tea.md': tea,
    })
    await whenIngested(api, id)
    const best = async (query: string): Promise<Data> => (await search(id, { query })).items[0]
    for (const [plain, polite, file] of [
      [
        'When does the office close?',
        'Hello, can you please tell me when the office closes? Thanks',
        'office.md',
      ],
      ['年假有几天', '您好，麻烦帮我查一下年假有几天，谢谢', '年假.md'],
    ] as const) {
      const [expected, item] = [await best(plain), await best(polite)]
      assert.equal(item.file_name, file)
      assert.ok(item.score > expected.score * 0.9, `${item.score} instead of ${expected.score}`)
      const shown = item.highlights.map(([from, to]: Data) => item.content.slice(from, to))
      assert.ok(!shown.some((text: string) => /please/i.test(text)), shown.join())
    }
  })

  test('applies file ids, metadata filter and score threshold to a search', async () => {
    const id = await makeBase(api)
    const add = (name: string, metadata: object): Promise<string[]> =>
      addTexts(api, id, { [name]: 'About holidays.' }, { metadata })
    const [old] = await add('a.txt', { year: 2020, language: 'en', tags: ['x', 'y'], draft: false })
    const [recent] = await add('b.txt', { year: 2026, language: 'de', tags: ['y'], draft: true })
    const both = [old, recent].sort()
    const cases: [object, (string | undefined)[]][] = [
      [{}, both],
      [{ file_ids: [recent] }, [recent]],
      [{ file_ids: ['file_none'] }, []],
      [{ filter: { language: 'en' } }, [old]],
      [{ filter: { year: 2026 } }, [recent]],
      [{ filter: { draft: true } }, [recent]],
      [{ filter: { tags: 'x' } }, [old]],
      [{ filter: { tags: { in: ['x', 'y'] } } }, both],
      [{ filter: { language: { eq: 'de' } } }, [recent]],
      [{ filter: { language: { in: ['en', 'fr', 1] } } }, [old]],
      [{ filter: { year: { gt: 2020 } } }, [recent]],
      [{ filter: { year: { gte: 2020, lt: 2026 } } }, [old]],
      [{ filter: { year: { gt: 2020, lt: 2026 } } }, []],
      [{ filter: { year: { lte: 2026 }, language: 'de' } }, [recent]],
      [{ filter: { language: { gt: 'de', lte: 'en' } } }, [old]],
      [{ filter: { year: '2026' } }, []],
      [{ filter: { nothing: 1 } }, []],
      [{ filter: {} }, both],
      [{ top_k: 1, filter: { language: 'de' } }, [recent]],
    ]
    for (const [request, expected] of cases) {
      const found = await foundIn(id, { query: 'holidays', ...request })
      assert.deepEqual(found.sort(), expected, JSON.stringify(request))
    }
    for (const { score } of (await search(id, { query: 'holidays', score_threshold: 0.3 })).items)
      assert.ok(score >= 0.3)
    assert.equal((await search(id, { query: 'holidays', mode: 'keyword', rerank: false })).mode, 'keyword')
  })

  test('explains terms, ranks and why a document is absent from the results', async () => {
    const id = await makeBase(api)
    const [found, absent] = await addTexts(api, id, { 'holidays.md': holidays, 'tea.md': tea })
    const { items, explanation } = await search(id, { query: 'holiday', explain: { file_id: absent } })
    assert.deepEqual(
      items.map((item: Data) => item.file_id),
      [found],
    )
    const [term] = explanation.terms
    assert.deepEqual([typeof term.term, term.chunk_count, typeof term.weight], ['string', 1, 'number'])
    assert.deepEqual(explanation.ranks, [{ chunk_id: items[0].chunk_id, keyword: 1, semantic: null }])
    assert.deepEqual(
      explanation.absent.map((each: Data) => [each.file_id, each.code]),
      [[absent, 'no_match']],
    )
    assert.ok(explanation.absent[0].reason.length > 0)
    const limited = await search(id, { query: 'holiday', explain: true, file_ids: [absent, 'file_none'] })
    assert.deepEqual(limited.explanation.absent.map((each: Data) => each.file_id).sort(), [
      ...[absent, 'file_none'].sort(),
    ])
    assert.equal((await search(id, { query: 'holiday', explain: false })).explanation, undefined)
  })

  test('lists, edits and disables chunks', async () => {
    const id = await makeBase(api)
    const [file] = await addTexts(api, id, { 'holidays.md': holidays })
    const page = await dataOf(api.get(`knowledge/${id}/files/${file}/chunks?page=1&page_size=1`))
    assert.deepEqual([page.total, page.page, page.page_size], [1, 1, 1])
    const [chunk] = page.items
    assert.deepEqual(
      [chunk.position, chunk.heading, chunk.enabled, chunk.edited, chunk.page, chunk.sheet],
      [0, ['Holidays'], true, false, null, null],
    )
    assert.ok(chunk.tokens > 0 && chunk.offsets[0] < chunk.offsets[1])
    const correct = (body: object): Promise<Data> =>
      dataOf(api.post(`knowledge/${id}/files/${file}/chunks/${chunk.chunk_id}/update`, body))

    const corrected = await correct({ content: 'Everybody has 31 days of vacation.' })
    assert.deepEqual(
      [corrected.chunk_id, corrected.content, corrected.edited, corrected.enabled],
      [chunk.chunk_id, 'Everybody has 31 days of vacation.', true, true],
    )
    assert.deepEqual(await foundIn(id, { query: 'vacation' }), [file])
    assert.deepEqual(await foundIn(id, { query: 'everybody year' }), [file])
    assert.equal((await search(id, { query: 'vacation' })).items[0].content, corrected.content)

    assert.equal((await correct({ enabled: false })).enabled, false)
    assert.deepEqual(await foundIn(id, { query: 'vacation' }), [])
    assert.equal((await correct({ enabled: true, content: 'Ask about sabbaticals.' })).enabled, true)
    assert.deepEqual(await foundIn(id, { query: 'sabbaticals' }), [file])
    assert.deepEqual(await foundIn(id, { query: 'vacation' }), [])
  })

  test('updates only the fields that are sent', async () => {
    const id = await makeBase(api, {
      description: 'before',
      metadata: { a: 1 },
      chunking: { size: 300, overlap: 20 },
      retrieval: { top_k: 7 },
    })
    const before = await dataOf(api.get(`knowledge/${id}`))
    const unchanged = await dataOf(api.post(`knowledge/${id}/update`))
    assert.deepEqual({ ...unchanged, updated_at: '' }, { ...before, updated_at: '' })
    const update = (body: object): Promise<Data> => dataOf(api.post(`knowledge/${id}/update`, body))
    const one = await update({ retrieval: { score_threshold: 0.5 }, unknown: 1 })
    assert.deepEqual(one.retrieval, { mode: 'keyword', top_k: 7, score_threshold: 0.5, rerank: false })
    assert.deepEqual([one.description, one.metadata, one.chunking], ['before', { a: 1 }, before.chunking])
    const two = await update({ description: '', metadata: { b: true }, name: 'Renamed base' })
    assert.deepEqual(
      [two.name, two.description, two.metadata, two.retrieval],
      ['Renamed base', '', { b: true }, one.retrieval],
    )
  })

  test('re-indexes after a chunking change and keeps documents searchable meanwhile', async () => {
    const id = await makeBase(api)
    const paragraphs = Array.from(
      { length: 40 },
      (_, at) => `Paragraph ${at} tells of banyan trees at length.`,
    )
    const [file] = await addTexts(api, id, { 'trees.txt': paragraphs.join('\n\n') })
    const before = await dataOf(api.get(`knowledge/${id}`))
    const changed = await dataOf(api.post(`knowledge/${id}/update`, { chunking: { size: 100, overlap: 0 } }))
    assert.deepEqual(changed.chunking, { strategy: 'auto', size: 100, overlap: 0 })
    assert.ok((await foundIn(id, { query: 'banyan' })).includes(file!))
    const after = await whenIngested(api, id)
    assert.ok(
      after.chunk_count > before.chunk_count,
      `${before.chunk_count} before, ${after.chunk_count} after`,
    )
    assert.equal(after.reindexing, null)
    assert.ok((await foundIn(id, { query: 'banyan' })).includes(file!))
  })

  test('removes a deleted document from search immediately and keeps its file', async () => {
    const id = await makeBase(api)
    const [file, other] = await addTexts(api, id, { 'holidays.md': holidays, 'more.md': holidays })
    const remove = (): Promise<ApiAnswer> => api.post(`knowledge/${id}/files/${file}/delete`)
    assert.deepEqual(await dataOf(remove()), {})
    assert.deepEqual(await foundIn(id, { query: 'holiday' }), [other])
    assert.equal((await remove()).json.code, 40401)
    assert.equal((await api.get(`knowledge/${id}/files/${file}/chunks`)).json.code, 40401)
    assert.equal((await api.get(`files/${file}`)).text, holidays)
    assert.equal((await dataOf(api.get(`knowledge/${id}`))).document_count, 1)
  })

  test('refuses to delete a file in use unless forced', async () => {
    const id = await makeBase(api)
    const [file] = await addTexts(api, id, { 'holidays.md': holidays })
    assert.deepEqual(await dataOf(api.post('files/delete', { file_ids: [file] })), {
      deleted: [],
      missing: [],
      in_use: [{ file_id: file, knowledge_ids: [id] }],
    })
    assert.deepEqual(await foundIn(id, { query: 'holiday' }), [file])
    const forced = await dataOf(api.post('files/delete', { file_ids: [file], force: true }))
    assert.deepEqual(forced.deleted, [file])
    assert.deepEqual(await foundIn(id, { query: 'holiday' }), [])
    assert.equal((await dataOf(api.get(`knowledge/${id}/files`))).total, 0)
  })

  test('lists the agents and workflows that use a base', async () => {
    const id = await makeBase(api)
    const usedBy = async () =>
      (await dataOf(api.get(`knowledge/${id}/used_by`))).items.map((user: Data) => [user.kind, user.id])
    assert.deepEqual(await usedBy(), [])
    const learns = await makeAgent(api, {}, { learn: { [id]: {} } })
    const tools = { look: { running_config: { type: 'knowledge', id } } }
    const searches = await makeAgent(api, { tools })
    await makeAgent(api, { character_profile: `Mentions ${id} only` })
    const workflow = await makeWorkflow(
      api,
      chain(node('find', 'knowledge_retrieval', { knowledge_ids: [id], query: '{{#sys.query#}}' })),
    )
    const users = [
      ['agent', learns],
      ['agent', searches],
      ['workflow', workflow],
    ]
    assert.deepEqual((await usedBy()).sort(), users.sort())
    assert.equal((await api.get('knowledge/kb_none/used_by')).json.code, 40401)
  })

  test('returns 404 for every operation on a deleted base', async () => {
    const id = await makeBase(api)
    const [file] = await addTexts(api, id, { 'holidays.md': holidays })
    await dataOf(api.post(`knowledge/${id}/delete`))
    const answers = [
      await api.get(`knowledge/${id}`),
      await api.get(`knowledge/${id}/files`),
      await api.get(`knowledge/${id}/files/${file}/chunks`),
      await api.post(`knowledge/${id}`, { file_ids: [file] }),
      await api.post(`knowledge/${id}/search`, { query: 'holiday' }),
      await api.post(`knowledge/${id}/rebind`),
      await api.post(`knowledge/${id}/update`, { name: 'x' }),
      await api.post(`knowledge/${id}/delete`),
      await api.post(`knowledge/${id}/files/${file}/delete`),
    ]
    for (const { json } of answers) assert.equal(json.code, 40401)
    assert.equal((await dataOf(api.post('knowledge', { knowledge_ids: [id] }))).total, 0)
    assert.equal((await api.get(`files/${file}`)).text, holidays)
    assert.deepEqual((await dataOf(api.post('files/delete', { file_ids: [file] }))).deleted, [file])
  })
})
