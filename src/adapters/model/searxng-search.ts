import { ModelFailure } from '../../models/model-failure.ts'
import type { WebResult, WebSearch } from '../../models/web-search.ts'
import type { Egress } from '../egress/egress.ts'
import { cutText } from './cut-text.ts'
import type { Surroundings } from './endpoint-health.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import { PersistentEndpoint } from './persistent-endpoint.ts'
import { readResults } from './searxng-answer.ts'

interface WebSearchOptions extends Surroundings {
  egress: Egress
  /** The search page of a SearXNG server, or its root. */
  url: string
  apiKey?: string | undefined
  attemptMilliseconds?: number
  /** For all tries together. */
  totalMilliseconds?: number
}

/** It travels in the address, which servers bound. */
const maxQueryCharacters = 1000

function advise(status: number): string | undefined {
  if (status === 403) return 'its JSON format may be turned off: enable json in search.formats of SearXNG'
  if (status === 401) return 'check WEB_SEARCH_API_KEY'
  return status === 404 ? 'check WEB_SEARCH_URL (it often ends in /search)' : undefined
}

class SearxngSearch implements WebSearch {
  readonly #endpoint: PersistentEndpoint
  readonly #page: URL

  constructor(endpoint: PersistentEndpoint, page: URL) {
    this.#endpoint = endpoint
    this.#page = page
  }

  async search(query: string, signal?: AbortSignal): Promise<WebResult[]> {
    const asked = query.trim()
    if (asked === '')
      throw new ModelFailure('There is nothing to search the web for: the query is empty', {
        retryable: false,
      })
    const url = new URL(this.#page)
    url.searchParams.set('q', cutText(asked, maxQueryCharacters))
    url.searchParams.set('format', 'json')
    return this.#endpoint.send({ url, method: 'GET' }, readResults, signal)
  }
}

export function createWebSearch(options: WebSearchOptions): WebSearch {
  const { egress, url, apiKey } = options
  const endpoint: ModelEndpoint = {
    name: 'web search',
    urlSetting: 'WEB_SEARCH_URL',
    keySetting: 'WEB_SEARCH_API_KEY',
    baseUrl: url,
    apiKey,
    advise,
  }
  const patience = {
    attemptMilliseconds: options.attemptMilliseconds ?? 10_000,
    totalMilliseconds: options.totalMilliseconds ?? 25_000,
    pauseMilliseconds: 5000,
  }
  const persistent = new PersistentEndpoint(egress, endpoint, patience, options)
  const page = new URL(url)
  if (page.pathname === '/') page.pathname = '/search'
  return new SearxngSearch(persistent, page)
}
