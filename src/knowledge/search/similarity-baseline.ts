import { LruMap } from '../../kernel/lru-map.ts'
import type { ChunkStore } from '../chunk-store.ts'

const sampleSize = 64
/** With fewer passages the sample would consist of the answers themselves, so the similarity is used unchanged. */
const minSample = 20
/** The sample is read again after this many changes of a base, so that it stays representative. */
const maxChanges = 500
const maxCachedFloats = 8 << 20

interface Sample {
  revision: number
  vectors: Float32Array[]
}

/**
 * How similar a question is to passages in general. Embedding models differ: unrelated texts have a cosine of 0.1 with
 * one and 0.7 with another. So a similarity is compared with the similarities of the same question to a sample of the
 * base.
 */
export class SimilarityBaseline {
  readonly #chunks: Pick<ChunkStore, 'sampleVectors'>
  readonly #samples = new LruMap<string, Sample>(maxCachedFloats, ({ vectors }) =>
    vectors.reduce((sum, { length }) => sum + length, 1),
  )

  constructor(chunks: Pick<ChunkStore, 'sampleVectors'>) {
    this.#chunks = chunks
  }

  /** Maps a cosine to a relevance: 0 is at most as similar as half of the base, 1 is identical. The order stays. */
  async relevance(
    workspaceId: string,
    generation: { id: string; revision: number },
    question: Float32Array,
  ): Promise<(similarity: number) => number> {
    const vectors = await this.#sample(workspaceId, generation)
    const similarities = vectors
      .filter(({ length }) => length === question.length)
      .map(vector => vector.reduce((sum, value, at) => sum + value * question[at]!, 0))
      .sort((left, right) => left - right)
    const usual = similarities.length < minSample ? 0 : similarities[similarities.length >> 1]!
    const least = Math.min(0.99, Math.max(0, usual))
    return similarity => Math.min(1, Math.max(0, (similarity - least) / (1 - least)))
  }

  async #sample(
    workspaceId: string,
    { id, revision }: { id: string; revision: number },
  ): Promise<Float32Array[]> {
    const key = `${workspaceId}/${id}`
    const cached = this.#samples.get(key)
    // A small base is sampled each time, which is cheap, because each document changes the sample.
    const isCurrent =
      cached && cached.vectors.length === sampleSize && revision - cached.revision < maxChanges
    if (isCurrent) return cached.vectors
    const vectors = await this.#chunks.sampleVectors(workspaceId, id, sampleSize)
    this.#samples.set(key, { revision, vectors })
    return vectors
  }
}
