import { isRecord } from '../../kernel/is-record.ts'
import type { ModelFailure } from '../../models/model-failure.ts'
import type { RankedDocument, Reranker } from '../../models/reranker.ts'
import { cutText, type EndpointLabels, type EndpointOptions, endpointLabels } from './endpoint.ts'
import { badResponse } from './endpoint-failure.ts'
import { JsonClient } from './json-client.ts'

interface RerankOptions extends Omit<EndpointOptions, 'attemptMilliseconds'> {
  model: string
}

const environmentLabels = endpointLabels('Rerank model', 'RERANK')

/** Rerankers read a few thousand characters; the rest would only cost time. */
const maxDocumentCharacters = 16_000

const logistic = (value: number): number => 1 / (1 + Math.exp(-value))

/** Any endpoint with the rerank API of Cohere, Jina or vLLM. */
export function createReranker(options: RerankOptions): Reranker {
  // A user waits for the result, so one attempt may take all of the time, and retries share it.
  const { model, labels = environmentLabels, totalMilliseconds = 10_000 } = options
  const timeouts = {
    attemptMilliseconds: totalMilliseconds,
    totalMilliseconds,
    maxRetryAfterMilliseconds: 5000,
  }
  const client = new JsonClient(labels, timeouts, options)
  /** Some models return logits. One score out of bounds reveals this, and from then on all scores are converted. */
  let returnsLogits = false
  return {
    rerank: async (query, documents, caller) => {
      if (documents.length === 0) return []
      const body = {
        model,
        query: cutText(query, maxDocumentCharacters),
        documents: documents.map(text => cutText(text, maxDocumentCharacters)),
        top_n: documents.length,
        ...options.extraBody,
      }
      const scored = await client.post(
        'rerank',
        body,
        response => readScores(response, documents.length, labels),
        caller,
      )
      returnsLogits ||= scored.some(({ score }) => score < 0 || score > 1)
      const bounded = returnsLogits
        ? scored.map(({ index, score }) => ({ index, score: logistic(score) }))
        : scored
      return bounded.sort((one, other) => other.score - one.score || one.index - other.index)
    },
  }
}

const malformed = (labels: EndpointLabels, problem: string): ModelFailure =>
  badResponse(labels, `sent a response in which ${problem}`)

/** The score of every document as the model returned it; a `ModelFailure` when one is missing. */
export function readScores(
  response: unknown,
  count: number,
  labels: EndpointLabels = environmentLabels,
): RankedDocument[] {
  // Cohere, Jina and vLLM name the list `results`, Voyage names it `data`, and TEI sends the list alone.
  const entries = isRecord(response) ? (response['results'] ?? response['data']) : response
  if (!Array.isArray(entries) || !entries.every(isRecord)) throw malformed(labels, 'there are no results')
  if (entries.length !== count)
    throw malformed(labels, `there are ${entries.length} results for ${count} documents`)
  const seen = new Set<number>()
  return entries.map(entry => {
    const { index } = entry
    const score = entry['relevance_score'] ?? entry['score']
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
      throw malformed(labels, 'a result belongs to no document')
    if (seen.has(index)) throw malformed(labels, 'two results belong to the same document')
    if (typeof score !== 'number' || !Number.isFinite(score))
      throw malformed(labels, 'a score is not a number')
    seen.add(index)
    return { index, score }
  })
}
