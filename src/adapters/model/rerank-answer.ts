import { ModelFailure } from '../../models/model-failure.ts'
import type { RankedDocument } from '../../models/reranker.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const malformed = (what: string): ModelFailure =>
  new ModelFailure(
    `The rerank endpoint answered 200, but ${what}: check RERANK_BASE_URL and the model behind it`,
    { retryable: true, status: 200 },
  )

/** Cohere, Jina and vLLM say `results`, Voyage says `data`, and TEI sends the list alone. */
const entriesOf = (answer: unknown): unknown =>
  isRecord(answer) ? (answer['results'] ?? answer['data']) : answer

/** The score of every document, as the model gave it; a `ModelFailure` when one is missing. */
export function readScores(answer: unknown, count: number): RankedDocument[] {
  const entries = entriesOf(answer)
  if (!Array.isArray(entries) || !entries.every(isRecord)) throw malformed('there are no results in it')
  if (entries.length !== count) throw malformed(`it has ${entries.length} results for ${count} documents`)
  const seen = new Set<number>()
  return entries.map(entry => {
    const { index } = entry
    const score = entry['relevance_score'] ?? entry['score']
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
      throw malformed('a result belongs to no document')
    if (seen.has(index)) throw malformed('two results belong to the same document')
    if (typeof score !== 'number' || !Number.isFinite(score)) throw malformed('a score is no number')
    seen.add(index)
    return { index, score }
  })
}
