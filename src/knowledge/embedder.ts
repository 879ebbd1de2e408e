import { createHash } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import type { EmbeddingModel } from '../models/embedding-model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import type { EmbeddingCache } from './embedding-cache.ts'
import type { Chunk } from './ingest/cut/chunk.ts'

/** What stands for a passage: its headings say what "it" and "this" in it mean. */
const textOf = (chunk: Pick<Chunk, 'content' | 'heading'>): string =>
  [...chunk.heading, chunk.content].join('\n')

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Vectors for passages and questions; what was embedded before is not paid for again. */
export class Embedder {
  readonly #model: EmbeddingModel | undefined
  readonly #cache: EmbeddingCache
  readonly #clock: Clock

  constructor(model: EmbeddingModel | undefined, cache: EmbeddingCache, clock: Clock) {
    this.#model = model
    this.#cache = cache
    this.#clock = clock
  }

  async embed(
    workspaceId: string,
    model: string,
    chunks: Pick<Chunk, 'content' | 'heading'>[],
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const texts = chunks.map(textOf)
    const hashes = texts.map(hashOf)
    const known = await this.#cache.find(workspaceId, model, [...new Set(hashes)], this.#clock.now())
    const missing = new Map<string, string>()
    for (const [index, hash] of hashes.entries()) if (!known.has(hash)) missing.set(hash, texts[index]!)
    if (missing.size > 0) {
      const vectors = await this.#require().embed(model, [...missing.values()], signal)
      const fresh = new Map([...missing.keys()].map((hash, index) => [hash, vectors[index]!]))
      await this.#cache.keep(workspaceId, model, fresh, this.#clock.now())
      for (const [hash, vector] of fresh) known.set(hash, vector)
    }
    return hashes.map(hash => known.get(hash)!)
  }

  /** Questions are not kept: most are asked once. */
  async embedQuestion(model: string, question: string, signal?: AbortSignal): Promise<Float32Array> {
    const [vector] = await this.#require().embed(model, [question], signal)
    return vector!
  }

  #require(): EmbeddingModel {
    if (!this.#model)
      throw new ModelFailure('No embedding endpoint is configured: set EMBEDDING_BASE_URL', {
        retryable: false,
      })
    return this.#model
  }
}
