import type { RankedDocument, Reranker } from '../../models/reranker.ts'
import type { Egress } from '../egress/egress.ts'
import { cutText } from './cut-text.ts'
import type { Surroundings } from './endpoint-health.ts'
import { settingNames } from './model-endpoint.ts'
import { PersistentEndpoint } from './persistent-endpoint.ts'
import { readScores } from './rerank-answer.ts'

interface RerankOptions extends Surroundings {
  egress: Egress
  /** Up to but not including `/rerank`. */
  baseUrl: string
  apiKey?: string | undefined
  model: string
  /** For everything, further tries included, because somebody waits for the answer. */
  totalMilliseconds?: number
}

/** Rerankers read a few thousand characters; the rest would only cost time. */
const maxDocumentCharacters = 16_000

const logistic = (value: number): number => 1 / (1 + Math.exp(-value))

/** Any endpoint that speaks the rerank interface of Cohere, Jina or vLLM. */
class RerankModel implements Reranker {
  readonly #endpoint: PersistentEndpoint
  readonly #model: string
  /** Some models give bare logits. One score out of bounds shows it, and then it holds for all that follow. */
  #givesLogits = false

  constructor(endpoint: PersistentEndpoint, model: string) {
    this.#endpoint = endpoint
    this.#model = model
  }

  async rerank(query: string, documents: string[], signal?: AbortSignal): Promise<RankedDocument[]> {
    if (documents.length === 0) return []
    const body = {
      model: this.#model,
      query: cutText(query, maxDocumentCharacters),
      documents: documents.map(text => cutText(text, maxDocumentCharacters)),
      top_n: documents.length,
    }
    const scored = await this.#endpoint.call(
      'rerank',
      body,
      answer => readScores(answer, documents.length),
      signal,
    )
    this.#givesLogits ||= scored.some(({ score }) => score < 0 || score > 1)
    const within = this.#givesLogits
      ? scored.map(({ index, score }) => ({ index, score: logistic(score) }))
      : scored
    return within.sort((one, other) => other.score - one.score || one.index - other.index)
  }
}

export function createReranker(options: RerankOptions): Reranker {
  const { egress, baseUrl, apiKey, model, totalMilliseconds = 10_000 } = options
  const endpoint = { name: 'rerank', ...settingNames('RERANK'), baseUrl, apiKey }
  const patience = { attemptMilliseconds: totalMilliseconds, totalMilliseconds, pauseMilliseconds: 5000 }
  return new RerankModel(new PersistentEndpoint(egress, endpoint, patience, options), model)
}
