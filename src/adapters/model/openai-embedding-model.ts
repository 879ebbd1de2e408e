import type { EmbeddingModel } from '../../models/embedding-model.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { Egress } from '../egress/egress.ts'
import { cutText } from './cut-text.ts'
import { checkDimension, readEmbeddings } from './embedding-answer.ts'
import { embeddingBatches, type PlacedText } from './embedding-batches.ts'
import type { Surroundings } from './endpoint-health.ts'
import { settingNames } from './model-endpoint.ts'
import { PersistentEndpoint } from './persistent-endpoint.ts'

interface EmbeddingOptions extends Surroundings {
  egress: Egress
  /** Up to but not including `/embeddings`. */
  baseUrl: string
  apiKey?: string | undefined
  attemptMilliseconds?: number
  /** For all tries together; none where it is not told, since a document can wait. */
  totalMilliseconds?: number
  /** Longest wait that a provider may ask for. */
  pauseMilliseconds?: number
  /** Told of every text that was embedded by its beginning only. */
  onCut?: (characters: { given: number; kept: number }) => void
}

/** No model reads more at once; what lies behind would be paid for or refused. */
const maxTextCharacters = 24_000
const maxInputs = 64
const batchesAtOnce = 3
/** A single text that is still too long is halved this often before that is a failure. */
const maxHalvings = 6

const isRefusal = (error: unknown): error is ModelFailure =>
  error instanceof ModelFailure && [400, 413, 422].includes(error.status ?? 0)

const saysTooLong = (failure: ModelFailure): boolean =>
  failure.status === 413 ||
  /too (long|large|many tokens)|context length|token limit|max\w*[ _](context|token|input|length)|exceed/i.test(
    failure.message,
  )

/** Any endpoint that speaks OpenAI's embeddings interface. */
class OpenAiEmbeddingModel implements EmbeddingModel {
  readonly #endpoint: PersistentEndpoint
  readonly #onCut: NonNullable<EmbeddingOptions['onCut']>
  /** Inputs that a request may hold, by model, where a provider has refused more. */
  readonly #learnedInputs = new Map<string, number>()
  /** How many texts had to be shortened so far. */
  #shortened = 0

  constructor(endpoint: PersistentEndpoint, onCut: NonNullable<EmbeddingOptions['onCut']>) {
    this.#endpoint = endpoint
    this.#onCut = onCut
  }

  async embed(model: string, texts: string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const placed = texts.map((text, place) => ({ place, text: this.#prepare(text) }))
    const waiting = embeddingBatches(placed, this.#maxInputs(model))
    const vectors = new Array<Float32Array>(texts.length)
    const stop = new AbortController()
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    const work = async (): Promise<void> => {
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
        const found = await this.#embedBatch(model, batch, either)
        for (const [index, { place }] of batch.entries()) vectors[place] = found[index]!
      }
    }
    try {
      await Promise.all(Array.from({ length: batchesAtOnce }, work))
    } finally {
      // The first failure is the answer; what the others would bring is not wanted any more.
      stop.abort()
    }
    checkDimension(vectors)
    return vectors
  }

  #maxInputs(model: string): number {
    return this.#learnedInputs.get(model) ?? maxInputs
  }

  #prepare(text: string): string {
    if (text.trim() === '')
      throw new ModelFailure('An empty text cannot be embedded: leave it out', { retryable: false })
    return text.length > maxTextCharacters ? this.#cut(text, maxTextCharacters) : text.toWellFormed()
  }

  #cut(text: string, length: number): string {
    this.#onCut({ given: text.length, kept: length })
    return cutText(text, length)
  }

  async #embedBatch(model: string, batch: PlacedText[], signal: AbortSignal): Promise<Float32Array[]> {
    if (batch.length > this.#maxInputs(model)) {
      const parts = embeddingBatches(batch, this.#maxInputs(model))
      return this.#inTurn(model, parts, signal)
    }
    const texts = batch.map(each => each.text)
    try {
      return await this.#request(model, texts, signal)
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (batch.length === 1) return this.#shorten(model, texts[0]!, error, signal)
      // Too many inputs, too much text or one bad text: providers tell these apart in their own words only.
      const shortenedBefore = this.#shortened
      const half = Math.ceil(batch.length / 2)
      const vectors = await this.#inTurn(model, [batch.slice(0, half), batch.slice(half)], signal)
      // Both halves were taken as they are, so it was their number; no later request needs to learn it again.
      if (this.#shortened === shortenedBefore)
        this.#learnedInputs.set(model, Math.min(half, this.#maxInputs(model)))
      return vectors
    }
  }

  async #inTurn(model: string, batches: PlacedText[][], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const batch of batches) vectors.push(...(await this.#embedBatch(model, batch, signal)))
    return vectors
  }

  /** The beginning of a text stands for it better than nothing does. */
  async #shorten(
    model: string,
    text: string,
    refusal: ModelFailure,
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    let failure = refusal
    let length = Math.floor(text.length / 2)
    for (let count = 0; count < maxHalvings && length > 0 && saysTooLong(failure); count++) {
      try {
        const vectors = await this.#request(model, [cutText(text, length)], signal)
        this.#shortened++
        this.#onCut({ given: text.length, kept: length })
        return vectors
      } catch (error) {
        if (!isRefusal(error)) throw error
        failure = error
        length = Math.floor(length / 2)
      }
    }
    throw failure
  }

  #request(model: string, input: string[], signal: AbortSignal): Promise<Float32Array[]> {
    const body = { model, input, encoding_format: 'float' }
    return this.#endpoint.call('embeddings', body, answer => readEmbeddings(answer, input.length), signal)
  }
}

export function createEmbeddingModel(options: EmbeddingOptions): EmbeddingModel {
  const { egress, baseUrl, apiKey, attemptMilliseconds = 60_000, onCut = () => {} } = options
  const endpoint = { name: 'embedding', ...settingNames('EMBEDDING'), baseUrl, apiKey }
  const patience = {
    attemptMilliseconds,
    totalMilliseconds: options.totalMilliseconds ?? Number.POSITIVE_INFINITY,
    pauseMilliseconds: options.pauseMilliseconds ?? 60_000,
  }
  return new OpenAiEmbeddingModel(new PersistentEndpoint(egress, endpoint, patience, options), onCut)
}
