import { ModelFailure } from '../../models/model-failure.ts'
import type { WebResult } from '../../models/web-search.ts'

const maxResults = 10
const maxTitleCharacters = 300
const maxContentCharacters = 2000

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
}

/** Engines mark the words that were searched for, and some send text as it stands in HTML. */
const plainText = (value: unknown, most: number): string =>
  (typeof value === 'string' ? value : '')
    .slice(0, most * 4)
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, entity => entities[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()

/** Links are shown to people, who may follow them. */
const webAddress = (value: unknown): string =>
  typeof value === 'string' && /^https?:\/\//i.test(value.trim()) && URL.canParse(value) ? value.trim() : ''

/** The best results; those that cannot be shown are left out. */
export function readResults(answer: unknown): WebResult[] {
  const results = isRecord(answer) ? answer['results'] : undefined
  if (!Array.isArray(results))
    throw new ModelFailure(
      'The web search endpoint answered 200, but there are no results in it: ' +
        'check that WEB_SEARCH_URL is the search page of a SearXNG server',
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
