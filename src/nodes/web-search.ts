import type { NodeKind } from '../workflow/node-kind.ts'

/** Asks the search service. */
export const webSearch: NodeKind = {
  kind: 'web_search',
  nodeType: 'tool',
  title: 'Web search',
  fields: { query: { is: 'text' } },
  templates: ['query'],
  required: ['query'],
  outputs: () => ['result', 'items', 'text'],
}
