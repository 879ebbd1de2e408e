import type { WebSearch } from '../../models/web-search.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { ownValue } from '../../workflow/node-kind.ts'
import type { Tool } from './tool.ts'

/** Lets the model search the web. */
export const webSearchTool = (webSearch: WebSearch): Tool => ({
  name: 'web_search',
  description: 'Searches the web and gives titles, addresses and excerpts of pages.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What to search for.' } },
    required: ['query'],
  },
  async call(args, { signal }) {
    const query = ownValue(args, 'query')
    if (typeof query !== 'string' || query.trim() === '')
      throw new ToolFailure('The argument "query" is missing.', { retryable: false })
    return JSON.stringify(await webSearch.search(query, signal))
  },
})
