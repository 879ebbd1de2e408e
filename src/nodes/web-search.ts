import { ModelFailure } from '../models/model-failure.ts'
import type { WebResult } from '../models/web-search.ts'
import type { NodeKind } from '../workflow/node-kind.ts'
import { StepFailure } from '../workflow/step.ts'
import type { NodeServices } from './node-services.ts'
import { readText } from './read-setting.ts'

/** Asks the search service. */
export const webSearch: NodeKind<NodeServices> = {
  kind: 'web_search',
  nodeType: 'tool',
  title: 'Web search',
  fields: { query: { is: 'template', input: 'paragraph' } },
  required: ['query'],
  outputs: () => ['result', 'items', 'text'],
  attempts: 3,
  async run(step, data, services) {
    if (!services.webSearch) {
      const message = 'No search service is set up: set WEB_SEARCH_URL to the address of a SearXNG server.'
      throw new StepFailure('not_configured', message)
    }
    const query = step.text(readText(data, 'query')).trim()
    if (query === '') {
      const message = 'The search text is empty after its references were filled in; check "query".'
      throw new StepFailure('step_failed', message)
    }
    try {
      const items = await services.webSearch.search(query, step.signal)
      const result = resultText(items)
      return { outputs: { result, items, text: result } }
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error
      const { message, retryable, retryAfterMilliseconds } = error
      throw new StepFailure('search_failed', message, { retryable, retryAfterMilliseconds, cause: error })
    }
  },
}

/** A numbered list that a person and a model can read, with a link for each result. */
function resultText(items: readonly WebResult[]): string {
  return items
    .map(({ title, url, content }, place) =>
      [`${place + 1}. ${title}`, url, content]
        // What a page says of itself may have lines of its own, which would look like further results.
        .map(line => line.replace(/\s+/g, ' ').trim())
        .filter(line => line !== '')
        .join('\n   '),
    )
    .join('\n')
}
