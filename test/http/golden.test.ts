import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ask, until } from '../support/watch.ts'

type Data = ApiAnswer['json']

const texts = {
  'leave.md': '# Leave\n\nEverybody has twenty days of leave.\n\n# Sick leave\n\nCall before nine.',
  'travel.md': '# Travel\n\nTrains are booked by the office.',
}

describe('golden questions', () => {
  let provider: ScriptedProvider
  let server: TestServer
  let api: ApiClient
  before(async () => {
    provider = await startScriptedProvider()
    server = await startTestServer({ EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_MODEL: 'first' })
    api = server.api
  })
  after(async () => {
    await server.stop()
    await provider.close()
  })

  const record = (id: string): Promise<Data> => dataOf(api.get(`knowledge/${id}`))
  const update = (id: string, body: object): Promise<Data> => dataOf(api.post(`knowledge/${id}/update`, body))
  const add = (id: string, body: object): Promise<Data> =>
    dataOf(api.post(`knowledge/${id}/golden/create`, body))
  const finished = (id: string, runId: string): Promise<Data> =>
    until('the end of the run', async () => {
      const found = await dataOf(api.get(`knowledge/${id}/golden/runs/${runId}`))
      return found.run.finished_at === null ? undefined : found
    })
  const run = async (id: string): Promise<Data> =>
    finished(id, (await dataOf(api.post(`knowledge/${id}/golden/run`, {}))).id)
  const veto = (id: string): Promise<Data> =>
    until('the veto', async () => {
      const { golden_check: check } = await record(id)
      return check?.status === 'lost' ? check : undefined
    })
  const decide = (id: string, runId: string, decision: 'accept' | 'discard') =>
    dataOf(api.post(`knowledge/${id}/golden/runs/${runId}/${decision}`, {}))

  test('are created, changed, listed and deleted', async () => {
    const id = await makeBase(api, { embedding: null })
    const [leave, travel] = await addTexts(api, id, texts)
    const made = await add(id, { question: ' How many days of leave? ', file_ids: [leave, leave] })
    assert.deepEqual(
      [made.question, made.file_ids, made.expected_text, made.documents],
      ['How many days of leave?', [leave], '', [{ file_id: leave, name: 'leave.md' }]],
    )
    const again = await api.post(`knowledge/${id}/golden/create`, {
      question: 'How many days of leave?',
      file_ids: [travel],
    })
    assert.equal(again.status, 409, again.text)
    const wrong = await api.post(`knowledge/${id}/golden/create`, { question: 'Q', file_ids: ['file_no'] })
    assert.equal(wrong.json.data.errors[0].path, '/file_ids/0')
    const blank = await api.post(`knowledge/${id}/golden/create`, { question: ' ', file_ids: [leave] })
    assert.equal(blank.json.data.errors[0].path, '/question')
    const changed = await dataOf(
      api.post(`knowledge/${id}/golden/questions/${made.id}/update`, {
        file_ids: [travel],
        expected_text: 'Trains',
      }),
    )
    assert.deepEqual([changed.question, changed.documents[0].name], [made.question, 'travel.md'])
    await dataOf(api.post(`knowledge/${id}/files/${travel}/delete`, {}))
    const listed = await dataOf(api.get(`knowledge/${id}/golden`))
    assert.deepEqual([listed.total, listed.items[0].documents[0].name], [1, null])
    const { results } = await run(id)
    assert.equal(results[0].outcome, 'no_document')
    await dataOf(api.post(`knowledge/${id}/golden/questions/${made.id}/delete`, {}))
    assert.equal((await dataOf(api.get(`knowledge/${id}/golden`))).total, 0)
    assert.equal((await api.post(`knowledge/${id}/golden/questions/${made.id}/delete`, {})).status, 404)
    const none = await api.post(`knowledge/${id}/golden/run`, {})
    assert.equal(none.status, 400, none.text)
  })

  test('are imported from CSV and JSON lines, with the reason for each line that is skipped', async () => {
    const id = await makeBase(api, { embedding: null })
    const [leave] = await addTexts(api, id, texts)
    const csv =
      '\uFEFFQuestion,Document,Text\r\n"Days, of leave?",leave.md|travel.md,twenty\r\nTrains?,missing.md,\r\n,leave.md,\r\n'
    const imported = (format: string, content: string): Promise<Data> =>
      dataOf(api.post(`knowledge/${id}/golden/import`, { format, content }))
    const first = await imported('csv', csv)
    assert.deepEqual(first, {
      added: 1,
      skipped: [
        {
          line: 3,
          reason: 'unknown_document',
          message: 'the document “missing.md” is not in this knowledge base',
        },
        { line: 4, reason: 'no_question', message: 'the question is missing' },
      ],
    })
    const lines = [
      { question: 'Trains?', documents: ['travel.md'] },
      { question: 'Days, of leave?', document: leave },
    ]
    const second = await imported('jsonl', `${lines.map(line => JSON.stringify(line)).join('\n')}\nno json\n`)
    assert.deepEqual(second, {
      added: 1,
      skipped: [
        { line: 2, reason: 'exists', message: 'the question already exists' },
        { line: 3, reason: 'not_json', message: 'it is not a JSON object' },
      ],
    })
    const { items } = await dataOf(api.get(`knowledge/${id}/golden`))
    assert.deepEqual(
      items.map((item: Data) => [item.question, item.documents.length, item.expected_text]),
      [
        ['Days, of leave?', 2, 'twenty'],
        ['Trains?', 1, ''],
      ],
    )
    for (const [format, content] of [
      ['csv', `question,document\n${'q,d\n'.repeat(5001)}`],
      ['jsonl', '1\n'.repeat(5001)],
      ['jsonl', `[1${',1'.repeat(5000)}]`],
    ] as const) {
      const tooMany = await api.post(`knowledge/${id}/golden/import`, { format, content })
      assert.match(tooMany.json.message, /has more than 5000 records/)
    }
    const unnamed = await api.post(`knowledge/${id}/golden/import`, { format: 'csv', content: 'a,b\n1,2' })
    assert.equal(unnamed.json.data.errors[0].path, '/content')
    const many = Array.from({ length: 501 }, (_, at) => `Question ${at},leave.md`).join('\n')
    const refused = await api.post(`knowledge/${id}/golden/import`, {
      format: 'csv',
      content: `question,document\n${many}`,
    })
    assert.match(refused.json.message, /500 golden questions/)
  })

  test('count the lines of an import as an editor shows them, and take a JSON array', async () => {
    const id = await makeBase(api, { embedding: null })
    await addTexts(api, id, texts)
    const imported = (format: string, content: string): Promise<Data> =>
      dataOf(api.post(`knowledge/${id}/golden/import`, { format, content }))
    const csv =
      'question;document\n\n"Two\nlines?";leave.md\nTrains?;no.md\nTwice?;travel.md\nTwice?;leave.md\n'
    const { added, skipped } = await imported('csv', csv)
    assert.deepEqual(
      [added, skipped.map(({ line, reason }: Data) => [line, reason])],
      [
        2,
        [
          [5, 'unknown_document'],
          [7, 'duplicate'],
        ],
      ],
    )
    const array = [{ question: 'Trains?', documents: ['travel.md'] }, 'no object']
    const second = await imported('jsonl', JSON.stringify(array, null, 2))
    assert.deepEqual([second.added, second.skipped[0].line, second.skipped[0].reason], [1, 2, 'not_json'])
  })

  test('are exported as they can be imported again', async () => {
    const id = await makeBase(api, { embedding: null })
    const [leave, travel] = await addTexts(api, id, texts)
    await add(id, { question: '=1+1, or two?', file_ids: [leave, travel], expected_text: 'twenty' })
    await add(id, { question: 'Who books "trains"?', file_ids: [travel] })
    const csv = await api.get(`knowledge/${id}/golden/export?format=csv`)
    assert.equal(
      csv.text,
      'question,document,text\r\n"\'=1+1, or two?",leave.md|travel.md,twenty\r\n"Who books ""trains""?",travel.md,\r\n',
    )
    assert.match(csv.headers.get('content-disposition')!, /attachment.*golden-questions-.*\.csv/)
    const lines = await api.get(`knowledge/${id}/golden/export?format=jsonl`)
    const questions = (await dataOf(api.get(`knowledge/${id}/golden`))).items.map(
      (each: Data) => each.question,
    )
    for (const [format, { text: content }] of [
      ['csv', csv],
      ['jsonl', lines],
    ] as const) {
      const other = await makeBase(api, { embedding: null })
      await addTexts(api, other, texts)
      const { added } = await dataOf(api.post(`knowledge/${other}/golden/import`, { format, content }))
      assert.equal(added, 2)
      const again = (await dataOf(api.get(`knowledge/${other}/golden`))).items
      assert.deepEqual(
        again.map((each: Data) => each.question),
        questions,
      )
      assert.deepEqual(
        again.map((each: Data) => each.documents.length),
        [2, 1],
      )
    }
  })

  test('a manual run gives ranks and is compared with the last accepted one', async () => {
    const id = await makeBase(api, { embedding: null, retrieval: { top_k: 1 } })
    const [leave, travel] = await addTexts(api, id, texts)
    await add(id, { question: 'How many days of leave?', file_ids: [leave], expected_text: 'TWENTY  days' })
    await add(id, { question: 'Who books trains?', file_ids: [travel] })
    await add(id, { question: 'days of leave', file_ids: [leave], expected_text: 'is not written there' })
    const first = await run(id)
    const { status, reason, top_k, total, hits, lost, mrr, done, started_by } = first.run
    assert.deepEqual(
      { status, reason, top_k, total, done, hits, lost, mrr: mrr.toFixed(3), started_by },
      {
        ...{ status: 'passed', reason: 'manual', top_k: 1, total: 3, done: 3, hits: 2, lost: 0 },
        ...{ mrr: '0.667', started_by: 'operator' },
      },
    )
    assert.deepEqual(
      first.results.map((each: Data) => [each.outcome, each.rank, each.rank_before, each.first_name]),
      [
        ['found', 1, null, 'leave.md'],
        ['found', 1, null, 'travel.md'],
        ['not_found', null, null, 'leave.md'],
      ],
    )
    const [winner] = await addTexts(api, id, { 'new.md': 'Trains trains: who books trains, who books.' })
    const second = await run(id)
    assert.deepEqual([second.run.status, second.run.lost], ['lost', 1])
    const [, trains] = second.results
    assert.deepEqual(
      [trains.outcome, trains.rank, trains.rank_before, trains.first_name],
      ['lost', 2, 1, 'new.md'],
    )
    assert.equal((await record(id)).golden_check, null, 'a manual run holds nothing back')
    assert.equal((await run(id)).run.lost, 1, 'the run that is not accepted is not the one to compare with')
    const third = (await dataOf(api.get(`knowledge/${id}/golden/runs`))).items
    assert.deepEqual(
      third.map((each: Data) => each.status),
      ['lost', 'discarded', 'passed'],
    )
    assert.equal((await decide(id, third[0].id, 'accept')).status, 'accepted')
    assert.equal((await api.post(`knowledge/${id}/golden/runs/${third[0].id}/discard`, {})).status, 409)
    assert.equal((await run(id)).run.status, 'passed')
    await dataOf(api.post(`knowledge/${id}/files/${winner}/delete`, {}))
  })

  /** With size 100 the answer is in a passage without the words of the question. */
  const long = `The vacation policy of the company. ${'It matters to us a lot. '.repeat(20)}\n\n${'Other things are written here. '.repeat(30)}\n\nStaff get twenty six free days.`
  async function guarded(settings: object = {}): Promise<{ id: string; found: () => Promise<boolean> }> {
    const id = await makeBase(api, { embedding: null, chunking: { size: 2000, overlap: 0 }, ...settings })
    const [policy] = await addTexts(api, id, { 'policy.md': long, ...texts })
    const question = 'vacation policy of the company'
    await add(id, { question, file_ids: [policy], expected_text: 'twenty six free days' })
    const found = async (): Promise<boolean> =>
      (await ask(api, id, question)).items.some((item: Data) => item.content.includes('twenty six'))
    assert.ok(await found())
    return { id, found }
  }

  test('veto an index that loses one; the old index answers until the change is discarded', async () => {
    const { id, found } = await guarded()
    await update(id, { chunking: { size: 100 } })
    const { run_id, reason, lost, total } = await veto(id)
    assert.deepEqual({ reason, lost, total }, { reason: 'index', lost: 1, total: 1 })
    const during = await record(id)
    assert.deepEqual([during.status, during.chunking.size, during.reindexing.done], ['ready', 100, 3])
    assert.ok(await found())
    const { results } = await dataOf(api.get(`knowledge/${id}/golden/runs/${run_id}`))
    assert.deepEqual([results[0].outcome, results[0].rank, results[0].rank_before], ['lost', null, 1])
    assert.equal((await decide(id, run_id, 'discard')).status, 'discarded')
    const after = await record(id)
    assert.deepEqual(
      [after.chunking.size, after.reindexing, after.golden_check, after.status],
      [2000, null, null, 'ready'],
    )
    assert.ok(await found())
  })

  test('an accepted change is swapped in', async () => {
    const { id, found } = await guarded()
    await update(id, { chunking: { size: 100 } })
    const { run_id } = await veto(id)
    // Another change in the meantime is checked anew, and the first one is no longer to be decided.
    await update(id, { chunking: { size: 120 } })
    const next = await until('the second veto', async () => {
      const { golden_check: check } = await record(id)
      return check?.status === 'lost' && check.run_id !== run_id ? check : undefined
    })
    assert.equal((await api.post(`knowledge/${id}/golden/runs/${run_id}/accept`, {})).status, 409)
    assert.equal((await decide(id, next.run_id, 'accept')).status, 'accepted')
    const done = await whenIngested(api, id)
    assert.deepEqual([done.chunking.size, done.reindexing, done.golden_check], [120, null, null])
    assert.ok(!(await found()))
    const last = await run(id)
    assert.deepEqual([last.run.status, last.run.lost, last.run.hits], ['passed', 0, 0])
  })

  test('a change within the threshold passes, and null turns the check off', async () => {
    const { id } = await guarded({ golden_max_lost: 1 })
    await update(id, { chunking: { size: 100 } })
    const done = await whenIngested(api, id)
    assert.deepEqual([done.chunking.size, done.reindexing, done.golden_max_lost], [100, null, 1])
    const [index] = (await dataOf(api.get(`knowledge/${id}/golden/runs`))).items
    assert.deepEqual([index.reason, index.status, index.lost], ['index', 'passed', 1])
    const other = await guarded({ golden_max_lost: null })
    await update(other.id, { chunking: { size: 100 } })
    await whenIngested(api, other.id)
    assert.equal((await dataOf(api.get(`knowledge/${other.id}/golden/runs`))).total, 0)
  })

  test('an unavailable model delays the swap and loses nothing', async () => {
    const { id, found } = await guarded()
    let isDown = true
    provider.decide(({ inputs }) =>
      isDown && inputs[0] === 'vacation policy of the company' ? { status: 400, message: 'no' } : undefined,
    )
    await update(id, { embedding: { model: 'first' } })
    await until('the error', async () => (await record(id)).golden_check?.error)
    assert.match((await record(id)).golden_check.status, /^(queued|running)$/)
    assert.ok(await found())
    isDown = false
    const done = await whenIngested(api, id)
    assert.deepEqual([done.embedding, done.reindexing], [{ model: 'first' }, null])
    provider.decide(() => undefined)
  })

  test('discarding an index for other vectors of the same model drops it', async () => {
    const { id, found } = await guarded({ embedding: { model: 'first' } })
    provider.resize(32)
    provider.decide(({ inputs }) =>
      inputs[0] === 'vacation policy of the company' ? { status: 400, message: 'no' } : undefined,
    )
    await update(id, { embedding: {} })
    const check = await until('the check', async () => (await record(id)).golden_check ?? undefined)
    assert.equal((await decide(id, check.run_id, 'discard')).status, 'discarded')
    const after = await record(id)
    assert.deepEqual(
      [after.reindexing, after.golden_check, after.status, after.embedding],
      [null, null, 'ready', { model: 'first' }],
    )
    provider.decide(() => undefined)
    provider.resize(64)
    assert.ok(await found())
  })

  test('new search options are checked, and discarding them restores the previous ones', async () => {
    const { id, found } = await guarded()
    await update(id, { retrieval: { score_threshold: 0.999 } })
    assert.ok(!(await found()))
    const { run_id, reason } = await veto(id)
    assert.equal(reason, 'retrieval')
    await update(id, { retrieval: { score_threshold: 0.998 } })
    const next = await until('the second check', async () => {
      const { golden_check: check } = await record(id)
      return check?.status === 'lost' && check.run_id !== run_id ? check : undefined
    })
    await decide(id, next.run_id, 'discard')
    const after = await record(id)
    assert.deepEqual([after.retrieval.score_threshold, after.golden_check], [0, null])
    assert.ok(await found())
    await update(id, { retrieval: { top_k: 6 } })
    await until('the check', async () => (await record(id)).golden_check === null)
    assert.equal((await record(id)).retrieval.top_k, 6)
  })

  test('leave nothing behind when the base is deleted', async () => {
    const { id } = await guarded()
    await update(id, { chunking: { size: 100 } })
    const { run_id } = await veto(id)
    await dataOf(api.post(`knowledge/${id}/delete`, {}))
    assert.equal((await api.get(`knowledge/${id}/golden`)).status, 404)
    assert.equal((await api.post(`knowledge/${id}/golden/runs/${run_id}/accept`, {})).status, 404)
  })
})
