import assert from 'node:assert/strict'
import test from 'node:test'
import { ModelFailure } from '../../src/models/model-failure.ts'
import type { WebResult, WebSearch } from '../../src/models/web-search.ts'
import { webSearch } from '../../src/nodes/web-search.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

const found: WebResult[] = [
  { title: 'Trees', url: 'https://trees.example', content: 'About\n2. trees' },
  { title: 'Leaves', url: 'https://leaves.example', content: '' },
]

const searching = (search: WebSearch['search']): { webSearch: WebSearch } => ({ webSearch: { search } })

test('results are items and a numbered list in which no page can fake a number', async () => {
  const asked: string[] = []
  const services = searching(async query => {
    asked.push(query)
    return found
  })
  const step = fakeStep({ system: { query: 'banyan' } })
  const outputs = await outputsOf(webSearch, step, { query: ' {{#sys.query#}} tree ' }, services)
  const result = [
    '1. Trees\n   https://trees.example\n   About 2. trees',
    '2. Leaves\n   https://leaves.example',
  ].join('\n')
  assert.deepEqual(outputs, { result, text: result, items: found })
  assert.deepEqual(asked, ['banyan tree'])
})

test('no result is not a failure', async () => {
  const outputs = await outputsOf(
    webSearch,
    fakeStep(),
    { query: 'x' },
    searching(async () => []),
  )
  assert.deepEqual(outputs, { result: '', text: '', items: [] })
})

test('without a search service the failure names the setting', async () => {
  const run = outputsOf(webSearch, fakeStep(), { query: 'x' }, { webSearch: undefined })
  await assert.rejects(run, { name: 'StepFailure', reason: 'not_configured', message: /WEB_SEARCH_URL/ })
})

test('an empty query fails without a search', async () => {
  const services = searching(() => assert.fail('asked all the same'))
  const run = outputsOf(webSearch, fakeStep(), { query: '{{#skipped.text#}} ' }, services)
  await assert.rejects(run, { reason: 'step_failed', retryable: false, message: /"query"/ })
})

test('a failed search is retryable if its failure is', async () => {
  const services = searching(async () => {
    throw new ModelFailure('too many', { retryable: true, retryAfterMilliseconds: 7 })
  })
  await assert.rejects(outputsOf(webSearch, fakeStep(), { query: 'x' }, services), {
    reason: 'search_failed',
    message: 'too many',
    retryable: true,
    retryAfterMilliseconds: 7,
  })
  assert.equal(webSearch.attempts, 3)
})

test('the signal of the step aborts the search with its own reason', async () => {
  const reason = new Error('stopped')
  const services = searching(async (_, { signal }) => {
    signal?.throwIfAborted()
    return found
  })
  const run = outputsOf(webSearch, fakeStep({ signal: AbortSignal.abort(reason) }), { query: 'x' }, services)
  await assert.rejects(run, error => error === reason)
})
