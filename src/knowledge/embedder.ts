import { createHash } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import type { EmbeddingModel } from '../models/embedding-model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import type { EmbeddingCache } from './embedding-cache.ts'
import type { Chunk } from './ingest/chunking/chunk.ts'

/** What stands for a passage: its headings say what "it" and "this" in it mean. */
const textOf = (chunk: Pick<Chunk, 'content' | 'heading'>): string =>
  [...chunk.heading, chunk.content].join('\n')

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The generation that the vectors are for. */
export interface EmbeddedGeneration {
  embeddingModel: string
  dimension: number | null
}

export class EmbeddingNotConfigured extends ModelFailure {
  constructor() {
    super('No embedding endpoint is configured: set EMBEDDING_BASE_URL and EMBEDDING_MODEL', {
      retryable: false,
    })
  }
}

/** Vectors of two models never meet. */
export class DimensionChanged extends ModelFailure {
  constructor(length: number) {
    super(
      `The embedding model gives vectors of ${length} numbers now, and gave others before. Update the embedding of the knowledge base to build a new index.`,
      { retryable: false },
    )
  }
}

/** Vectors for passages and questions; what was embedded before is not paid for again. */
export class Embedder {
  readonly #model: EmbeddingModel | undefined
  readonly #questionModel: EmbeddingModel | undefined
  readonly #cache: EmbeddingCache
  readonly #clock: Clock

  constructor(
    model: EmbeddingModel | undefined,
    questionModel: EmbeddingModel | undefined,
    cache: EmbeddingCache,
    clock: Clock,
  ) {
    this.#model = model
    this.#questionModel = questionModel
    this.#cache = cache
    this.#clock = clock
  }

  /** Vectors of `dimension` numbers, where that is known already; others are refused. */
  async embed(
    workspaceId: string,
    { embeddingModel: model, dimension }: EmbeddedGeneration,
    chunks: Pick<Chunk, 'content' | 'heading'>[],
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const texts = chunks.map(textOf)
    const hashes = texts.map(hashOf)
    const known = await this.#cache.find(workspaceId, model, [...new Set(hashes)], this.#clock.now())
    // What the model of that name once gave, before another one took its place.
    for (const [hash, vector] of known) if (dimension && vector.length !== dimension) known.delete(hash)
    const missing = new Map<string, string>()
    for (const [index, hash] of hashes.entries()) if (!known.has(hash)) missing.set(hash, texts[index]!)
    if (missing.size > 0) {
      const vectors = await configured(this.#model).embed(model, [...missing.values()], signal)
      const fresh = new Map([...missing.keys()].map((hash, index) => [hash, vectors[index]!]))
      await this.#cache.keep(workspaceId, model, fresh, this.#clock.now())
      for (const [hash, vector] of fresh) known.set(hash, vector)
    }
    const vectors = hashes.map(hash => known.get(hash)!)
    const length = dimension ?? vectors[0]?.length
    const other = vectors.find(vector => vector.length !== length)
    if (other) throw new DimensionChanged(other.length)
    return vectors
  }

  /** Questions are not kept: most are asked once. */
  async embedQuestion(model: string, question: string, signal?: AbortSignal): Promise<Float32Array> {
    const [vector] = await configured(this.#questionModel).embed(model, [question], signal)
    return vector!
  }
}

function configured(model: EmbeddingModel | undefined): EmbeddingModel {
  if (!model) throw new EmbeddingNotConfigured()
  return model
}
