import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import { defaultRetrieval } from '../knowledge/knowledge-base.ts'
import type { SearchItem, SearchRequest } from '../knowledge/search/search-request.ts'
import { citationMark, citedIndexes } from '../workflow/citations.ts'
import { type Step, stepFailed } from '../workflow/step.ts'
import { recentTurns } from './model-messages.ts'
import type { NodeServices } from './node-services.ts'
import { clipText } from './read-setting.ts'

/** A chunk of a document as later nodes see it, and as a model cites it by its index. */
export interface Passage {
  /** From 1. */
  index: number
  knowledge_id: string
  file_id: string
  file_name: string
  /** The address of a web page. */
  source_url?: string
  chunk_id: string
  /** The headings above it, the outermost first, as one text; may be empty. */
  heading: string
  /** The first of its pages, in formats that have pages. */
  page?: number
  last_page?: number
  content: string
  score: number
}

/** "How long does it take?" says little alone. How many were measured: docs/decisions/2026-11-19-follow-ups.md. */
const maxEarlierMessages = 2
const maxEarlierLength = 1000

interface PassageRequest extends SearchRequest {
  /** How many earlier turns may explain the query; 0 if it stands alone. */
  historyTurns: number
  /** A knowledge base that does not exist is a failure, or counts as `empty`. */
  missing: 'fails' | 'empty'
}

/** The query, and the query with the messages of the user before it. */
function queriesOf({ system }: Step, query: string, historyTurns: number): string[] {
  if (query === '') return []
  const earlier = recentTurns(system.history, historyTurns)
    .flatMap(({ role, content }) => (role === 'user' && content.trim() !== '' ? [content.trim()] : []))
    .slice(-maxEarlierMessages)
    .reverse()
  if (earlier.length === 0) return [query]
  return [query, [query, ...earlier.map(message => clipText(message, maxEarlierLength))].join('\n')]
}

/**
 * The best passages of several knowledge bases. A follow-up is also searched with the messages before it, and a passage has
 * the better of its two scores.
 */
export async function findPassages(
  step: Step,
  services: NodeServices,
  knowledgeIds: readonly string[],
  { historyTurns, missing, ...request }: PassageRequest,
): Promise<Passage[]> {
  // A query may be as long as a whole conversation.
  const queries = queriesOf(step, request.query.trim(), historyTurns).map(query =>
    clipText(query, limits.queryLength),
  )
  if (queries.length === 0) return []
  step.signal.throwIfAborted()
  const search = async (id: string, query: string) => {
    const found = services.searchKnowledge(step.workspaceId, id, { ...request, query })
    const { items } = await found.catch((error: unknown) => {
      if (missing === 'empty' && isAbsent(error)) return { items: [] }
      throw failureOf(error, id)
    })
    return items.map(item => passageOf(id, item))
  }
  const searches = [...new Set(knowledgeIds)].flatMap(id => queries.map(query => search(id, query)))
  const found = await Promise.all(searches)
  step.signal.throwIfAborted()
  // A base may be configured to return more than the default, and that is respected.
  const maxPassages = request.topK ?? Math.max(defaultRetrieval.topK, ...found.map(({ length }) => length))
  const best = found.flat().toSorted((one, other) => other.score - one.score)
  const passages = Map.groupBy(best, ({ chunk_id }) => chunk_id).values()
  return Array.from(passages, ([passage]) => passage!)
    .slice(0, maxPassages)
    .map((passage, place) => ({ index: place + 1, ...passage }))
}

const isAbsent = (error: unknown): boolean => error instanceof AppError && error.reason === 'not_found'

function failureOf(error: unknown, knowledgeId: string): unknown {
  if (!(error instanceof AppError)) return error
  const name = JSON.stringify(knowledgeId)
  if (isAbsent(error))
    return stepFailed(`There is no knowledge base ${name} in this workspace; choose an existing one.`, error)
  if (error.reason === 'invalid_request') return stepFailed(`Knowledge base ${name}: ${error.message}`, error)
  return error
}

const passageOf = (knowledgeId: string, { chunk, score }: SearchItem) => ({
  knowledge_id: knowledgeId,
  file_id: chunk.fileId,
  file_name: chunk.fileName,
  ...(chunk.sourceUrl !== undefined && { source_url: chunk.sourceUrl }),
  chunk_id: chunk.id,
  heading: chunk.heading.join(' › '),
  ...(chunk.page !== undefined && { page: chunk.page, last_page: chunk.lastPage ?? chunk.page }),
  content: chunk.content,
  score,
})

const pagesText = ({ page, last_page = page }: Passage): string => {
  if (page === undefined) return ''
  return page === last_page ? `, p. ${page}` : `, p. ${page}–${last_page}`
}

/** The passages as people and models read them, each under its number and its source. */
export const passagesText = (passages: readonly Passage[]): string =>
  passages
    .map(passage => {
      const { index, file_name, heading, content } = passage
      const source = heading === '' ? file_name : `${file_name} › ${heading}`
      return `[${index}] ${source}${pagesText(passage)}\n${content}`
    })
    .join('\n\n')

/** The passages that an answer refers to by number, or all of them where it refers to none. */
export function citationsOf(answer: string, passages: readonly Passage[]) {
  const named = new Set([...answer.matchAll(citationMark)].flatMap(citedIndexes))
  const cited = passages.filter(passage => named.has(passage.index))
  const shown = cited.length > 0 ? cited : passages
  return shown.map(({ heading: _, ...passage }) => ({ ...passage, cited: cited.length > 0 }))
}
