import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import { defaultRetrieval, type SearchMode } from '../knowledge/knowledge-base.ts'
import type { SearchItem } from '../knowledge/search/search-request.ts'
import { type Step, StepFailure } from '../workflow/step.ts'
import type { NodeServices } from './node-services.ts'
import { stepFailureOf } from './step-failure-of.ts'

/** A piece of a document as nodes after this one see it, and as a model cites it by its index. */
export interface Passage {
  /** From 1. */
  index: number
  knowledge_id: string
  file_id: string
  file_name: string
  chunk_id: string
  /** The headings above it, the outermost first, as one text; may be empty. */
  heading: string
  content: string
  score: number
}

export interface PassageQuestion {
  query: string
  knowledgeIds: readonly string[]
  /** Of all bases together. */
  topK?: number | undefined
  mode?: SearchMode | undefined
  scoreThreshold?: number | undefined
}

interface Hit {
  knowledgeId: string
  item: SearchItem
}

/** Asks several knowledge bases at once; the best passages of all of them, the best first. */
export async function findPassages(
  step: Step,
  services: NodeServices,
  question: PassageQuestion,
): Promise<Passage[]> {
  const query = cutQuery(question.query)
  const ids = [...new Set(question.knowledgeIds)]
  if (query === '' || ids.length === 0) return []
  step.signal.throwIfAborted()
  const hits = (await Promise.all(ids.map(id => searchBase(step, services, id, query, question)))).flat()
  step.signal.throwIfAborted()
  // A base whose own setting gives more than that has been asked for it on purpose.
  const most = question.topK ?? Math.max(defaultRetrieval.topK, ...countsByBase(hits))
  return hits
    .toSorted((one, other) => other.item.score - one.item.score)
    .slice(0, most)
    .map(passageOf)
}

async function searchBase(
  step: Step,
  services: NodeServices,
  knowledgeId: string,
  query: string,
  { topK, mode, scoreThreshold }: PassageQuestion,
): Promise<Hit[]> {
  try {
    const { items } = await services.searchKnowledge(step.workspaceId, knowledgeId, {
      query,
      ...(topK !== undefined && { topK }),
      ...(mode !== undefined && { mode }),
      ...(scoreThreshold !== undefined && { scoreThreshold }),
    })
    return items.map(item => ({ knowledgeId, item }))
  } catch (error) {
    throw failureOf(error, knowledgeId)
  }
}

function failureOf(error: unknown, knowledgeId: string): unknown {
  if (!(error instanceof AppError)) return stepFailureOf(error)
  const name = JSON.stringify(knowledgeId)
  if (error.reason === 'not_found') {
    const message = `There is no knowledge base ${name} in this workspace; choose another one.`
    return new StepFailure('step_failed', message, { cause: error })
  }
  if (error.reason === 'invalid_request')
    return new StepFailure('step_failed', `Knowledge base ${name}: ${error.message}`, { cause: error })
  return stepFailureOf(error)
}

/** A question may be a whole conversation; its beginning finds what it is about. */
function cutQuery(query: string): string {
  const trimmed = query.trim()
  if (trimmed.length <= limits.queryLength) return trimmed
  // Half of a character at the cut would be no valid text.
  return trimmed.slice(0, limits.queryLength).replace(/[\uD800-\uDBFF]$/, '')
}

function countsByBase(hits: readonly Hit[]): number[] {
  return [...Map.groupBy(hits, ({ knowledgeId }) => knowledgeId).values()].map(({ length }) => length)
}

const passageOf = ({ knowledgeId, item: { chunk, score } }: Hit, place: number): Passage => ({
  index: place + 1,
  knowledge_id: knowledgeId,
  file_id: chunk.fileId,
  file_name: chunk.fileName,
  chunk_id: chunk.id,
  heading: chunk.heading.join(' › '),
  content: chunk.content,
  score,
})

/** The passages as a person or a model reads them, each under its number and its source. */
export const passagesText = (passages: readonly Passage[]): string =>
  passages
    .map(({ index, file_name, heading, content }) => {
      const source = heading === '' ? file_name : `${file_name} › ${heading}`
      return `[${index}] ${source}\n${content}`
    })
    .join('\n\n')
