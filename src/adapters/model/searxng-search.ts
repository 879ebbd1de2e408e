import { isRecord } from '../../kernel/is-record.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { WebResult, WebSearch } from '../../models/web-search.ts'
import { cutText, type EndpointLabels, type EndpointOptions, type StatusMeaning } from './endpoint.ts'
import { JsonClient } from './json-client.ts'

interface WebSearchOptions extends Omit<EndpointOptions, 'baseUrl'> {
  /** The search page of a SearXNG server, or its root. */
  url: string
}

/** It is part of the URL, whose length servers limit. */
const maxQueryCharacters = 1000
const maxResults = 10
const maxTitleCharacters = 300
const maxContentCharacters = 2000

const meanings: Record<number, StatusMeaning> = {
  401: ['the server rejected the API key', 'Check WEB_SEARCH_API_KEY.'],
  403: [
    'the server refused the search',
    'Its JSON format may be turned off: enable json in search.formats of SearXNG.',
  ],
  404: ['there is no such page', 'Check WEB_SEARCH_URL (it often ends in /search).'],
}

const labels: EndpointLabels = {
  label: 'Web search',
  urlSetting: 'WEB_SEARCH_URL',
  keySetting: 'WEB_SEARCH_API_KEY',
  explain: status => meanings[status],
}

const defaultTimeouts = {
  attemptMilliseconds: 10_000,
  totalMilliseconds: 25_000,
  maxRetryAfterMilliseconds: 5000,
}

export function createWebSearch(options: WebSearchOptions): WebSearch {
  const client = new JsonClient(labels, defaultTimeouts, { ...options, baseUrl: options.url })
  const page = new URL(options.url)
  if (page.pathname === '/') page.pathname = '/search'
  return {
    search: async (query, caller) => {
      const text = query.trim()
      if (text === '')
        throw new ModelFailure('The query of the web search is empty: enter what to search for', {
          retryable: false,
        })
      const search = new URL(page)
      search.searchParams.set('q', cutText(text, maxQueryCharacters))
      search.searchParams.set('format', 'json')
      return client.send({ url: search, method: 'GET' }, readResults, caller)
    },
  }
}

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
}

/** Engines highlight the words that were searched for, and some send HTML. */
const plainText = (value: unknown, maxLength: number): string =>
  (typeof value === 'string' ? value : '')
    .slice(0, maxLength * 4)
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, entity => entities[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()

/** Links are shown to users, who may follow them. */
const webAddress = (value: unknown): string =>
  typeof value === 'string' && /^https?:\/\//i.test(value.trim()) && URL.canParse(value) ? value.trim() : ''

/** The best results; those that cannot be shown are left out. */
export function readResults(response: unknown): WebResult[] {
  const results = isRecord(response) ? response['results'] : undefined
  if (!Array.isArray(results))
    throw new ModelFailure(
      `${labels.label}: the server sent a response without results. ` +
        'Check that WEB_SEARCH_URL is the search page of a SearXNG server.',
      { retryable: true, status: 200 },
    )
  return results
    .filter(isRecord)
    .map(({ title, url, content }) => ({
      title: plainText(title, maxTitleCharacters),
      url: webAddress(url),
      content: plainText(content, maxContentCharacters),
    }))
    .filter(({ title, url }) => title !== '' && url !== '')
    .slice(0, maxResults)
}
