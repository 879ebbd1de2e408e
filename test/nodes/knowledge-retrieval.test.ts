import assert from 'node:assert/strict'
import test from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import type { SearchRequest, SearchResult } from '../../src/knowledge/search/search-request.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { knowledgeRetrieval } from '../../src/nodes/knowledge-retrieval.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'
import { fakeKnowledge, foundItem } from './found-chunk.ts'

const scores = (items: unknown) =>
  (items as { index: number; chunk_id: string }[]).map(each => [each.index, each.chunk_id])

test('the best passages of several bases come first, with their sources', async () => {
  const { asked, ...services } = fakeKnowledge({
    kb_1: [foundItem('a', 0.9, { heading: ['Trees', 'Roots'] }), foundItem('b', 0.2)],
    kb_2: [foundItem('c', 0.5)],
  })
  const data = { query: '{{#sys.query#}}', knowledge_ids: ['kb_1', 'kb_2'], top_k: 2 }
  const outputs = await outputsOf(
    knowledgeRetrieval,
    fakeStep({ system: { query: 'roots' } }),
    data,
    services,
  )
  assert.deepEqual(outputs['items'], [
    {
      index: 1,
      knowledge_id: 'kb_1',
      file_id: 'file_a',
      file_name: 'a.md',
      chunk_id: 'a',
      heading: 'Trees › Roots',
      content: 'content of a',
      score: 0.9,
    },
    {
      index: 2,
      knowledge_id: 'kb_2',
      file_id: 'file_c',
      file_name: 'c.md',
      chunk_id: 'c',
      heading: '',
      content: 'content of c',
      score: 0.5,
    },
  ])
  assert.equal(outputs['result'], '[1] a.md › Trees › Roots\ncontent of a\n\n[2] c.md\ncontent of c')
  assert.equal(outputs['text'], outputs['result'])
  assert.deepEqual(
    asked.map(({ request }) => request),
    [
      { query: 'roots', topK: 2 },
      { query: 'roots', topK: 2 },
    ],
  )
})

test('search settings are passed on, and left to the base if not set', async () => {
  const { asked, ...services } = fakeKnowledge({ kb: [] })
  const data = { query: 'x', knowledge_ids: ['kb'] }
  await outputsOf(knowledgeRetrieval, fakeStep(), data, services)
  const settings = { top_k: 7, mode: 'semantic', score_threshold: 0.25 }
  await outputsOf(knowledgeRetrieval, fakeStep(), { ...data, ...settings }, services)
  assert.deepEqual(
    asked.map(({ request }) => request),
    [{ query: 'x' }, { query: 'x', topK: 7, mode: 'semantic', scoreThreshold: 0.25 }],
  )
})

test('with history_turns a second search includes earlier messages, and each passage keeps its best score', async () => {
  const asked: string[] = []
  const services = {
    searchKnowledge: async (_: string, __: string, { query }: SearchRequest): Promise<SearchResult> => {
      asked.push(query)
      const items = query === 'why?' ? [foundItem('a', 0.4), foundItem('b', 0.3)] : [foundItem('b', 0.6)]
      return { mode: 'keyword', tookMilliseconds: 1, items, warning: undefined, explanation: undefined }
    },
  }
  const history = [{ role: 'user', content: 'leaves fall' }] as const
  const data = { query: 'why?', knowledge_ids: ['kb'], history_turns: 1 }
  const outputs = await outputsOf(knowledgeRetrieval, fakeStep({ system: { history } }), data, services)
  assert.deepEqual(asked, ['why?', 'why?\nleaves fall'])
  assert.deepEqual(scores(outputs['items']), [
    [1, 'b'],
    [2, 'a'],
  ])
})

test('without top_k several bases return at most as many passages as one of them', async () => {
  const many = (name: string) => [1, 2, 3, 4].map(each => foundItem(`${name}${each}`, each / 10))
  const services = fakeKnowledge({ kb_1: many('a'), kb_2: many('b') })
  const data = { query: 'x', knowledge_ids: ['kb_1', 'kb_2'] }
  const outputs = await outputsOf(knowledgeRetrieval, fakeStep(), data, services)
  assert.deepEqual(scores(outputs['items']), [
    [1, 'a4'],
    [2, 'b4'],
    [3, 'a3'],
    [4, 'b3'],
    [5, 'a2'],
  ])
})

test('an id may be a reference to one base or to a list, and no base is searched twice', async () => {
  const { asked, ...services } = fakeKnowledge({ kb_1: [], kb_2: [], kb_3: [] })
  const values = { 'a.one': 'kb_1', 'a.some': ['kb_2', 'kb_3', 'kb_1'] }
  const data = { query: 'x', knowledge_ids: ['{{#a.one#}}', '{{#a.some#}}', '{{#skipped.id#}}'] }
  await outputsOf(knowledgeRetrieval, fakeStep({ values }), data, services)
  assert.deepEqual(
    asked.map(({ knowledgeId }) => knowledgeId),
    ['kb_1', 'kb_2', 'kb_3'],
  )
  const none = { query: 'x', knowledge_ids: ['{{#skipped.id#}}'] }
  await assert.rejects(outputsOf(knowledgeRetrieval, fakeStep({ values }), none, services), {
    reason: 'step_failed',
    message: /knowledge_ids/,
  })
})

test('no match or an empty query gives an empty text and an empty list', async () => {
  for (const query of ['x', ' ']) {
    const data = { query, knowledge_ids: ['kb'] }
    const outputs = await outputsOf(knowledgeRetrieval, fakeStep(), data, fakeKnowledge({ kb: [] }))
    assert.deepEqual(outputs, { result: '', items: [], text: '' })
  }
})

test('a long query is cut between characters', async () => {
  const { asked, ...services } = fakeKnowledge({ kb: [] })
  const step = fakeStep({ system: { query: `x${'😀'.repeat(3000)}` } })
  await outputsOf(knowledgeRetrieval, step, { query: '{{#sys.query#}}', knowledge_ids: ['kb'] }, services)
  const { query } = asked[0]!.request
  assert.equal(query.length, 3999)
  assert.ok(query.isWellFormed())
})

const failing = (error: Error) => ({
  searchKnowledge: async () => {
    throw error
  },
})

test('a missing base is named in the failure', async () => {
  const services = failing(new AppError('not_found', 'No such thing.'))
  const data = { query: 'x', knowledge_ids: ['kb_gone'] }
  await assert.rejects(outputsOf(knowledgeRetrieval, fakeStep(), data, services), {
    name: 'StepFailure',
    reason: 'step_failed',
    message: /"kb_gone"/,
    retryable: false,
  })
})

test('a failed model of a base is retryable if its failure is', async () => {
  const data = { query: 'x', knowledge_ids: ['kb'] }
  for (const retryable of [true, false]) {
    const cause = new ModelFailure('down', { retryable })
    const services = failing(new AppError('model_failed', 'down', { cause }))
    await assert.rejects(outputsOf(knowledgeRetrieval, fakeStep(), data, services), {
      reason: 'model_failed',
      retryable,
    })
  }
})

test('an internal error is not reported as a failure of the step', async () => {
  const internalError = new TypeError('x is undefined')
  const run = outputsOf(
    knowledgeRetrieval,
    fakeStep(),
    { query: 'x', knowledge_ids: ['kb'] },
    failing(internalError),
  )
  await assert.rejects(run, error => error === internalError)
})

test('settings out of range are gaps at their places', () => {
  const places = (data: Record<string, unknown>) => knowledgeRetrieval.gaps!(data).map(({ place }) => place)
  assert.deepEqual(places({ top_k: 5, mode: 'hybrid', score_threshold: 1 }), [])
  assert.deepEqual(places({}), [])
  assert.deepEqual(places({ top_k: 51, mode: 'psychic', score_threshold: -0.1 }), [
    ['top_k'],
    ['mode'],
    ['score_threshold'],
  ])
  assert.deepEqual(places({ top_k: 1.5 }), [['top_k']])
  assert.deepEqual(places({ top_k: 0 }), [['top_k']])
})
