import type { BatchTable, IndexedBatch } from './batch-table.ts'
import { dotProduct, type Nearest } from './nearest.ts'
import type { TimeSlice } from './time-slice.ts'
import { VectorBlock } from './vector-block.ts'
import type { VectorQuestion } from './vector-question.ts'
import type { VectorRows } from './vector-rows.ts'

interface Unread {
  batch: IndexedBatch
  from: number
}

/**
 * What the graph does not hold yet, in the order of its arrival. It is searched exactly: from memory as far as
 * that goes, and behind that from the rows.
 */
export class VectorTail {
  readonly #rows: VectorRows
  readonly #table: BatchTable
  readonly #workspaceId: string
  readonly #dimension: number
  #blocks: VectorBlock[] = []
  /** How many of the first block the graph holds. */
  #taken = 0
  #unread: Unread[] = []

  constructor(rows: VectorRows, table: BatchTable, of: { workspaceId: string; dimension: number }) {
    this.#rows = rows
    this.#table = table
    this.#workspaceId = of.workspaceId
    this.#dimension = of.dimension
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.bytes, 0)
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.#unread.length === 0
  }

  push(batch: IndexedBatch): void {
    this.#unread.push({ batch, from: 0 })
  }

  /** Reads rows into memory up to so many bytes. */
  async read(slice: TimeSlice, most: number): Promise<void> {
    let bytes = this.bytes
    while (this.#unread.length > 0 && bytes < most) {
      // Between this and the pause nothing else runs, so a vector is always either unread or in a block.
      const first = this.#unread[0]!
      const page = first.batch.isDead ? [] : this.#rows.page(this.#workspaceId, first.batch.id, first.from)
      for (const { position, vector } of page)
        if (this.#add(first.batch, position, vector)) bytes += vector.byteLength
      if (page.length > 0) first.from = page.at(-1)!.position + 1
      if (page.length === 0 || first.from >= first.batch.span) {
        first.batch.isWhole = true
        this.#unread.shift()
      }
      await slice.pause()
    }
  }

  #add(batch: IndexedBatch, position: number, vector: Float32Array): boolean {
    // A row of another length was not written by this program; nothing can be compared with it.
    if (vector.length !== this.#dimension || position >= batch.span) return false
    let block = this.#blocks.at(-1)
    if (!block || block.isFull) {
      block = new VectorBlock(this.#dimension)
      this.#blocks.push(block)
    }
    block.add(batch.base + position, vector)
    batch.read++
    return true
  }

  /** The next vector for the graph. */
  next(): { key: number; vector: Float32Array } | undefined {
    const block = this.#blocks[0]
    return block && { key: block.key(this.#taken), vector: block.vector(this.#taken) }
  }

  /** The graph holds it now. */
  drop(): void {
    this.#taken++
    if (this.#taken < this.#blocks[0]!.count) return
    this.#blocks.shift()
    this.#taken = 0
  }

  /** What moves into the graph meanwhile is still found here: the blocks are those of the beginning. */
  async search(question: VectorQuestion, nearest: Nearest, slice: TimeSlice): Promise<void> {
    const blocks = [...this.#blocks]
    const unread = this.#unread.map(each => ({ ...each }))
    const { vector, limit, batchIds } = question
    const accepts = (key: number): boolean => {
      const batch = this.#table.find(key)
      return batch !== undefined && !batch.isDead && (!batchIds || batchIds.has(batch.id))
    }
    for (const block of blocks) {
      if (batchIds) block.scan(vector, nearest, accepts)
      else block.search(vector, limit, nearest, accepts)
      await slice.pause()
    }
    for (const { batch, from } of unread)
      if (!batchIds || batchIds.has(batch.id))
        await searchRows(this.#rows, this.#workspaceId, batch, vector, nearest, slice, from)
  }
}

/** Compares with the rows of one batch, straight from the database. */
export async function searchRows(
  rows: VectorRows,
  workspaceId: string,
  batch: IndexedBatch,
  vector: Float32Array,
  nearest: Nearest,
  slice: TimeSlice,
  start = 0,
): Promise<void> {
  for (let from = start; from < batch.span && !batch.isDead; ) {
    const page = rows.page(workspaceId, batch.id, from)
    for (const row of page)
      if (row.vector.length === vector.length && row.position < batch.span)
        nearest.offer(batch.base + row.position, dotProduct(vector, row.vector))
    await slice.pause()
    if (page.length === 0) return
    from = page.at(-1)!.position + 1
  }
}
