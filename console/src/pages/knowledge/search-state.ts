import type { CallInput } from '../../api/operations.ts'
import { pathTo } from '../../ui/router.ts'
import { listTextOf, partsOf, scalarOf, textOf } from './metadata-rows.ts'
import { withQuery } from './with-query.ts'

type SearchBody = CallInput<'POST /api/v1/knowledge/{knowledge_id}/search'>['body']

export const operators = ['eq', 'in', 'gte', 'lte', 'gt', 'lt'] as const
type Operator = (typeof operators)[number]

/** One filter row as it is typed. */
export interface FilterRow {
  key: string
  operator: Operator
  value: string
}

/**
 * A search as it is stored in the URL, so that it can be shared. Undefined options use the knowledge base's
 * settings.
 */
export interface SearchState {
  text: string
  mode?: 'hybrid' | 'keyword' | 'semantic' | undefined
  topK?: number | undefined
  threshold?: number | undefined
  rerank?: boolean | undefined
  filter: FilterRow[]
  /** Whether the results are explained, and the document whose absence is explained. */
  explain: boolean
  explainFileId?: string | undefined
}

const numberIn = (query: URLSearchParams, name: string, from: number, to: number): number | undefined => {
  const text = query.get(name)
  const value = Number(text)
  return text === null || text === '' || !(value >= from && value <= to) ? undefined : value
}

export function readSearch(query: URLSearchParams): SearchState {
  const mode = query.get('mode')
  const topK = numberIn(query, 'top_k', 1, 50)
  const rerank = query.get('rerank')
  return {
    text: query.get('q') ?? '',
    mode: mode === 'hybrid' || mode === 'keyword' || mode === 'semantic' ? mode : undefined,
    topK: topK === undefined ? undefined : Math.floor(topK),
    threshold: numberIn(query, 'score_threshold', 0, 1),
    rerank: rerank === null ? undefined : rerank === 'true',
    filter: rowsOfFilter(query.get('filter')),
    explain: query.get('explain') === 'true' || query.has('file'),
    explainFileId: query.get('file') ?? undefined,
  }
}

export function searchHref(knowledgeId: string, state: SearchState): string {
  const filter = filterOf(state.filter)
  return withQuery(pathTo('knowledge', knowledgeId, 'search'), {
    q: state.text,
    mode: state.mode,
    top_k: state.topK,
    score_threshold: state.threshold,
    rerank: state.rerank === undefined ? undefined : String(state.rerank),
    filter: filter && JSON.stringify(filter),
    explain: state.explain ? 'true' : undefined,
    file: state.explainFileId,
  })
}

export function searchBody(state: SearchState): SearchBody {
  const filter = filterOf(state.filter)
  return {
    query: state.text,
    ...(state.mode && { mode: state.mode }),
    ...(state.topK !== undefined && { top_k: state.topK }),
    ...(state.threshold !== undefined && { score_threshold: state.threshold }),
    ...(state.rerank !== undefined && { rerank: state.rerank }),
    ...(filter && { filter }),
    ...(state.explain && {
      explain: state.explainFileId === undefined ? true : { file_id: state.explainFileId },
    }),
  }
}

/** Rows of one key are combined: year ≥ 2024 and year ≤ 2026 are one range. */
function filterOf(rows: readonly FilterRow[]): Record<string, unknown> | undefined {
  const filter: Record<string, Record<string, unknown>> = {}
  for (const { key, operator, value } of rows) {
    if (key.trim() === '' || value.trim() === '') continue
    const wanted = operator === 'in' ? partsOf(value).map(scalarOf) : scalarOf(value)
    filter[key.trim()] = { ...filter[key.trim()], [operator]: wanted }
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

function rowsOfFilter(text: string | null): FilterRow[] {
  let filter: unknown
  try {
    filter = JSON.parse(text ?? '')
  } catch {
    return []
  }
  if (typeof filter !== 'object' || filter === null) return []
  return Object.entries(filter).flatMap(([key, conditions]) => {
    if (typeof conditions !== 'object' || conditions === null)
      return [{ key, operator: 'eq' as const, value: textOf(conditions) }]
    const entries = Object.entries(conditions as Record<string, unknown>)
    return entries.flatMap(([name, value]) => {
      const operator = operators.find(each => each === name)
      if (!operator) return []
      return [{ key, operator, value: Array.isArray(value) ? listTextOf(value) : textOf(value) }]
    })
  })
}
