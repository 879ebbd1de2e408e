import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { createWebSearch, readResults } from '../../src/adapters/model/searxng-search.ts'
import { type PlainPlan, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { heldTime } from './held-time.ts'

const caller = { workspaceId: 'w' }

const egress = createEgress({ allow: [] })
after(() => egress.close())

describe('web search', () => {
  let provider: ScriptedModel
  before(async () => {
    provider = await startScriptedModel()
  })
  after(() => provider.stop())
  beforeEach(() => provider.reset())

  const open = (path = '/search', apiKey?: string, attemptMilliseconds = 5000) =>
    createWebSearch({
      egress,
      url: `${provider.origin}${path}`,
      apiKey,
      attemptMilliseconds,
      ...heldTime().timing,
    })

  it('returns pages as plain text, the best first', async () => {
    assert.deepEqual(await open().search(' what is a banyan & 榕树? ', caller), [
      {
        title: 'Banyan tree',
        url: 'https://example.org/banyan',
        content: 'A fig that grows new trunks. 榕树。',
      },
      { title: 'Second', url: 'https://example.org/2', content: 'another result' },
    ])
    assert.equal(provider.calls.search[0]?.query, 'what is a banyan & 榕树?')
  })

  for (const [path, expected] of [
    ['', '/search?q=x&format=json'],
    ['/', '/search?q=x&format=json'],
    ['/searx/search', '/searx/search?q=x&format=json'],
    ['/find', '/find?q=x&format=json'],
    ['/search?language=de&format=html', '/search?language=de&format=json&q=x'],
  ] as const)
    it(`calls ${expected} where the address ends in "${path}"`, async () => {
      await open(path).search('x', caller)
      const { pathname, search } = provider.calls.search[0]!.url
      assert.equal(pathname + search, expected)
    })

  it('sends a key only if one is configured', async () => {
    await open().search('x', caller)
    await open('/search', 'k').search('x', caller)
    assert.deepEqual(
      provider.calls.search.map(call => call.headers.authorization),
      [undefined, 'Bearer k'],
    )
  })

  const fails = async (plan: PlainPlan, attemptMilliseconds?: number) => {
    provider.playSearch(() => plan)
    return open('/search', 'canary-key', attemptMilliseconds)
      .search('x', caller)
      .then(
        () => assert.fail('the call did not fail'),
        error => {
          assert.equal(error.name, 'ModelFailure')
          assert.ok(!error.message.includes('canary-key'))
          return {
            message: String(error.message),
            retryable: error.retryable,
            calls: provider.calls.search.length,
          }
        },
      )
  }

  it('explains how to fix a SearXNG that does not return JSON', async () => {
    const { message, retryable, calls } = await fails({ status: 403 })
    assert.match(message, /enable json in search\.formats of SearXNG/)
    assert.equal(retryable, false)
    assert.equal(calls, 1)
  })

  for (const [label, plan, words] of [
    ['a web page', { html: true }, /a web page instead of JSON\. Check WEB_SEARCH_URL/],
    ['no results', { json: { answers: [] } }, /WEB_SEARCH_URL/],
    ['an error', { status: 500 }, /provider error \(500\)/],
  ] as const)
    it(`makes three attempts when it gets ${label}`, async () => {
      const { message, retryable, calls } = await fails(plan)
      assert.match(message, words)
      assert.equal(retryable, true)
      assert.equal(calls, 3)
    })

  it('reports an unreachable server by its setting', async () => {
    assert.match((await fails({ drop: true })).message, /could not be reached\. Check that WEB_SEARCH_URL/)
  })

  it('times out', async () => {
    assert.match((await fails({ hang: true }, 50)).message, /did not respond in time/)
  })

  it('reports an invalid address or key by its setting', async () => {
    assert.match((await fails({ status: 404 })).message, /WEB_SEARCH_URL/)
    assert.match((await fails({ status: 401 })).message, /WEB_SEARCH_API_KEY/)
    assert.throws(() => createWebSearch({ egress, url: 'nonsense' }), /WEB_SEARCH_URL/)
  })

  it('rejects an empty query, and truncates a long one', async () => {
    await assert.rejects(open().search(' \n', caller), { name: 'ModelFailure', retryable: false })
    assert.equal(provider.calls.search.length, 0)
    await open().search('x'.repeat(5000), caller)
    assert.equal(provider.calls.search[0]?.query.length, 1000)
  })

  it('can be aborted', async () => {
    const reason = new Error('enough')
    await assert.rejects(open().search('x', { ...caller, signal: AbortSignal.abort(reason) }), reason)
  })
})

describe('web search results', () => {
  const result = (more: object) => ({ title: 'T', url: 'https://a.example/', content: 'c', ...more })

  it('are limited to ten', () => {
    assert.equal(readResults({ results: Array.from({ length: 30 }, () => result({})) }).length, 10)
  })

  it('are omitted without a title or a valid link', () => {
    const without = [
      { title: '' },
      { title: undefined },
      { url: '' },
      { url: 5 },
      { url: 'javascript:alert(1)' },
      { url: 'no url' },
    ]
    assert.deepEqual(readResults({ results: [...without.map(result), null, 'x'] }), [])
  })

  it('are plain text, whatever an engine sends', () => {
    const content = ' a &lt;b&gt; <em class="x">c</em>\n\n d &amp;lt; 1 < 2 '
    const [read] = readResults({
      results: [result({ content, title: '<b>T</b>' }), result({ content: null })],
    })
    assert.deepEqual(read, { title: 'T', url: 'https://a.example/', content: 'a <b> c d &lt; 1 < 2' })
  })
})
