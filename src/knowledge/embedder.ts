import { createHash } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import type { EmbeddingModel } from '../models/embedding-model.ts'
import { ModelNotConfigured } from '../models/language-model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import type { EmbeddingCache } from './embedding-cache.ts'
import type { Chunk } from './ingest/chunking/chunk.ts'

/** Headings give a passage the context that its own text refers to. */
const textOf = (chunk: Pick<Chunk, 'content' | 'heading'>): string =>
  [...chunk.heading, chunk.content].join('\n')

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** No vectors can be computed for a base until its configuration changes. */
export class EmbeddingFailure extends ModelFailure {
  readonly code: 'embedding_not_configured' | 'embedding_changed'

  constructor(code: EmbeddingFailure['code'], message: string) {
    super(message, { retryable: false })
    this.code = code
  }
}

/** Vectors of different models are not comparable. */
export const dimensionChanged = (length: number): EmbeddingFailure =>
  new EmbeddingFailure(
    'embedding_changed',
    `The embedding model now returns vectors with ${length} dimensions, which do not fit the existing index. Update the embedding of the knowledge base to build a new index.`,
  )

interface EmbedderParts {
  model: EmbeddingModel
  queryModel: EmbeddingModel
  cache: EmbeddingCache
  clock: Clock
}

/** Computes vectors for passages and queries. Cached passages are not embedded again. */
export class Embedder {
  readonly #parts: EmbedderParts

  constructor(parts: EmbedderParts) {
    this.#parts = parts
  }

  /** Rejects vectors that differ from `dimension`, if that is known. */
  async embed(
    workspaceId: string,
    { embeddingModel: model, dimension }: { embeddingModel: string; dimension: number | null },
    chunks: Pick<Chunk, 'content' | 'heading'>[],
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const { cache, clock } = this.#parts
    const all = chunks.map(textOf)
    const hashes = all.map(hashOf)
    const texts = new Map(hashes.map((hash, index) => [hash, all[index]!]))
    let found = await cache.find(workspaceId, model, [...texts.keys()], clock.now())
    // Cached vectors may come from another model of the same name.
    for (const [hash, vector] of found) if (dimension && vector.length !== dimension) found.delete(hash)
    const missing = new Map([...texts].filter(([hash]) => !found.has(hash)))
    found = new Map([...found, ...(await this.#compute(workspaceId, model, missing, signal))])
    // Without a known dimension, only vectors that differ show this.
    if (dimension === null && new Set([...found.values()].map(({ length }) => length)).size > 1)
      found = await this.#compute(workspaceId, model, texts, signal)
    const vectors = hashes.map(hash => found.get(hash)!)
    const length = dimension ?? vectors[0]?.length
    const other = vectors.find(vector => vector.length !== length)
    if (other) throw dimensionChanged(other.length)
    return vectors
  }

  /** Computes and caches vectors of texts by their hashes. */
  async #compute(
    workspaceId: string,
    model: string,
    texts: Map<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<Map<string, Float32Array>> {
    if (texts.size === 0) return new Map()
    const { cache, clock } = this.#parts
    const vectors = await this.#parts.model
      .embed(model, [...texts.values()], { workspaceId, signal })
      .catch(notConfigured)
    const computed = new Map([...texts.keys()].map((hash, index) => [hash, vectors[index]!]))
    await cache.keep(workspaceId, model, computed, clock.now())
    return computed
  }

  /** Queries are not cached: most occur once. */
  async embedQuery(workspaceId: string, model: string, query: string): Promise<Float32Array> {
    const [vector] = await this.#parts.queryModel.embed(model, [query], { workspaceId }).catch(notConfigured)
    return vector!
  }
}

function notConfigured(error: unknown): never {
  throw error instanceof ModelNotConfigured
    ? new EmbeddingFailure('embedding_not_configured', error.message)
    : error
}
