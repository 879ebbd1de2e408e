import { ModelFailure } from '../models/model-failure.ts'
import type { WebResult } from '../models/web-search.ts'
import { StepFailure, stepFailed } from '../workflow/step.ts'
import { defineKind, field, paragraph } from './kind-definition.ts'
import { readText } from './read-setting.ts'

export const webSearch = defineKind({
  kind: 'web_search',
  nodeType: 'tool',
  group: 'tools',
  en: ['Web search', 'Searches the web.'],
  zh: ['联网搜索', '通过搜索服务在网上查找。'],
  fields: {
    query: field(paragraph, ['Query', 'The search query.'], ['搜索内容', '要搜索的内容。']),
  },
  required: ['query'],
  initialData: { query: '{{#sys.query#}}' },
  outputs: () => ['result', 'items', 'text'],
  attempts: 3,
  async run(step, data, services) {
    if (!services.webSearch) throw new StepFailure('not_configured', webSearchNotConfigured)
    const query = step.text(readText(data, 'query')).trim()
    if (query === '')
      throw stepFailed('The search query is empty after its references were replaced; check "query".')
    const items = await services.webSearch.search(query, step).catch(failAsSearch)
    const result = resultText(items)
    return { outputs: { result, items, text: result } }
  },
})

function failAsSearch(error: unknown): never {
  if (!(error instanceof ModelFailure)) throw error
  const { message, retryable, retryAfterMilliseconds } = error
  throw new StepFailure('search_failed', message, { retryable, retryAfterMilliseconds, cause: error })
}

export const webSearchNotConfigured =
  'Web search is not configured: set WEB_SEARCH_URL to the address of a SearXNG server.'

/** A numbered list that people and models can read, with a link for each result. */
function resultText(items: readonly WebResult[]): string {
  return items
    .map(({ title, url, content }, place) =>
      [`${place + 1}. ${title}`, url, content]
        // A page's own text may contain line breaks, which would look like further results.
        .map(line => line.replace(/\s+/g, ' ').trim())
        .filter(line => line !== '')
        .join('\n   '),
    )
    .join('\n')
}
