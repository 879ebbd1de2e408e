import type { Database } from '../../src/database/database.ts'
import type { SqlValue } from '../../src/database/sql.ts'
import { vectorMark, vectorParameter } from '../../src/database/vector.ts'
import type { Generation } from '../../src/knowledge/knowledge-base.ts'

/** Pseudorandom numbers that are equal in each run. */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export function normalised(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map(value => value / length)
}

export const randomVector = (next: () => number, dimension: number): Float32Array =>
  normalised(Float32Array.from({ length: dimension }, () => next() + next() + next() - 1.5))

export const nearTo = (vector: Float32Array, next: () => number, distance: number): Float32Array =>
  normalised(vector.map(value => value + (next() + next() + next() - 1.5) * distance))

export function similarityOf(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}

/** A generation whose rows are written as by ingestion: staged first, then made live with a new revision. */
export class TestGeneration {
  readonly workspaceId: string
  readonly generation: Generation
  readonly #database: Database
  #time = 0

  constructor(database: Database, workspaceId: string, id: string, dimension: number) {
    this.#database = database
    this.workspaceId = workspaceId
    const chunking: Generation['chunking'] = { strategy: 'general', size: 100, overlap: 0 } as never
    this.generation = { id, chunking, embeddingModel: 'model', dimension, revision: 0 }
  }

  async create(): Promise<this> {
    await this.#database.transaction(transaction =>
      transaction.run(
        "INSERT INTO generations (workspace_id, id, knowledge_id, chunking, embedding_model, dimension, revision, gone) VALUES (?, ?, 'base', '{}', 'model', ?, 0, 0)",
        this.workspaceId,
        this.generation.id,
        this.generation.dimension,
      ),
    )
    return this
  }

  async stage(batchId: string, vectors: Float32Array[]): Promise<void> {
    const { dialect } = this.#database
    const row = `(?, ?, ?, ?, ${vectorMark(dialect)}, ?)`
    await this.#database.transaction(async transaction => {
      await transaction.run(
        "INSERT INTO batches (workspace_id, id, generation_id, file_id, state, chunk_count, revision) VALUES (?, ?, ?, ?, 'staged', ?, 0)",
        ...[this.workspaceId, batchId, this.generation.id, `file of ${batchId}`, vectors.length],
      )
      for (let from = 0; from < vectors.length; from += 200) {
        const part = vectors.slice(from, from + 200)
        await transaction.run(
          `INSERT INTO vectors (workspace_id, generation_id, batch_id, position, vector, written_at) VALUES ${part.map(() => row).join(', ')}`,
          ...part.flatMap((vector, at): SqlValue[] => [
            this.workspaceId,
            this.generation.id,
            batchId,
            from + at,
            vectorParameter(dialect, vector),
            ++this.#time,
          ]),
        )
      }
    })
  }

  async publish(batchId: string): Promise<void> {
    await this.#database.transaction(async transaction => {
      const where = 'WHERE workspace_id = ? AND id = ?'
      await transaction.run(
        `UPDATE generations SET revision = revision + 1 ${where}`,
        this.workspaceId,
        this.generation.id,
      )
      await transaction.run(
        `UPDATE batches SET state = 'live', revision = (SELECT revision FROM generations ${where}) ${where}`,
        ...[this.workspaceId, this.generation.id, this.workspaceId, batchId],
      )
    })
  }

  async add(batchId: string, vectors: Float32Array[]): Promise<void> {
    await this.stage(batchId, vectors)
    await this.publish(batchId)
  }

  /** Hides them as a deletion does; the rows are swept later. */
  async removeBatches(batchIds: string[]): Promise<void> {
    await this.#database.transaction(async transaction => {
      for (const id of batchIds)
        await transaction.run(
          "UPDATE batches SET state = 'gone' WHERE workspace_id = ? AND id = ?",
          this.workspaceId,
          id,
        )
      await transaction.run(
        'UPDATE generations SET revision = revision + 1 WHERE workspace_id = ? AND id = ?',
        this.workspaceId,
        this.generation.id,
      )
    })
  }
}
