import { nextTurn } from '../../kernel/pause.ts'
import { TopScores } from '../../kernel/top-scores.ts'
import type { VectorHit } from '../../knowledge/search/vector-index.ts'
import { BatchTable, type IndexedBatch } from './batch-table.ts'
import { VectorGraph } from './vector-graph.ts'
import type { VectorRows } from './vector-rows.ts'
import { dotProduct, VectorTail } from './vector-tail.ts'

/** Width of a graph search: recall is above 0.98 at 100,000 passages. */
const expansion = 256
/** A wider graph search is slower than reading the rows. */
const maxExpansion = 8192
/** A filter that leaves at most this many vectors is answered from their rows. */
const filterRows = 4000
/** With a filter the graph must return this multiple of the limit; fewer means that it ran out of close vectors. */
const filterMargin = 4

export interface VectorQuery {
  vector: Float32Array
  limit: number
  /** Undefined: all live batches. */
  batchIds: ReadonlySet<string> | undefined
}

export interface IndexBounds {
  /** Generations with fewer floats have no graph: exact search is as fast. */
  exactFloats: number
  /** Memory for vectors that the graph does not hold yet. */
  tailBytes: number
}

/** The index of one generation: a graph, and a tail of newer vectors that is searched exactly. */
export class GenerationIndex {
  readonly rows: VectorRows
  readonly batches: BatchTable
  readonly #bounds: IndexBounds
  readonly #tail: VectorTail
  graph: VectorGraph | undefined
  /** The batches up to this revision are known; -1: none. */
  revision = -1
  /** Size of the graph when it was saved. */
  savedSize = 0
  lastUse = 0
  users = 0

  constructor(
    rows: VectorRows,
    bounds: IndexBounds,
    saved: { graph?: VectorGraph; batches: BatchTable } = { batches: new BatchTable() },
  ) {
    this.rows = rows
    this.#bounds = bounds
    this.batches = saved.batches
    this.graph = saved.graph
    this.savedSize = saved.graph?.size ?? 0
    this.#tail = new VectorTail(rows, saved.batches)
  }

  get bytes(): number {
    return this.#tail.bytes + (this.graph?.bytes ?? 0)
  }

  get unsavedSize(): number {
    return (this.graph?.size ?? 0) - this.savedSize
  }

  get needsRebuild(): boolean {
    const size = (this.graph?.size ?? 0) + this.#tail.count
    const useless = size - this.batches.alive
    return useless > 100 && useless > 0.25 * size
  }

  /** The batches of which the graph holds all vectors. */
  batchesInGraph(): IndexedBatch[] {
    const { graphEnd } = this.#tail
    return this.batches.all.filter(
      ({ base, span, count, isDead }) => !isDead && count > 0 && base + span <= graphEnd,
    )
  }

  /** Registers the batches that became live since. */
  catchUp(revision: number): void {
    if (revision <= this.revision) return
    for (const batchId of this.rows.liveBatches(this.revision)) this.#register(batchId)
    this.revision = revision
  }

  /** Compares with all live batches: marks deleted ones, and registers missed ones. */
  reconcile(): void {
    const live = new Set(this.rows.liveBatches(-1))
    for (const batch of this.batches.all) if (!live.has(batch.id)) this.batches.markDead(batch)
    for (const batchId of live) this.#register(batchId)
  }

  #register(batchId: string): void {
    if (this.batches.get(batchId)) return
    const span = this.rows.span(batchId)
    if (span > 0) this.batches.add(batchId, this.batches.nextKey, span)
  }

  async search(query: VectorQuery): Promise<VectorHit[]> {
    if (query.limit < 1) return []
    await this.read()
    for (;;) {
      const found = (await this.#nearest(query)).map(({ item: key, score: similarity }) => {
        const batch = this.batches.find(key)!
        return { batch, hit: { batchId: batch.id, position: key - batch.base, similarity } }
      })
      if (!this.#noticeDeleted(new Set(found.map(each => each.batch)))) return found.map(each => each.hit)
    }
  }

  /**
   * True when one of the found batches was deleted meanwhile. Then all deletions are registered, and the search can
   * repeat.
   */
  #noticeDeleted(found: Set<IndexedBatch>): boolean {
    const deleted = [...found].filter(batch => batch.isDead || !this.rows.isLive(batch.id))
    for (const batch of deleted) this.batches.markDead(batch)
    if (deleted.length > 0) this.reconcile()
    return deleted.length > 0
  }

  /** Each key is in the graph, in memory or only in the rows when this starts, so it is found once. */
  async #nearest(query: VectorQuery): Promise<{ item: number; score: number }[]> {
    const { vector, limit, batchIds } = query
    const nearest = new TopScores<number>(limit)
    const { graphEnd, readEnd } = this.#tail
    const { nextKey } = this.batches
    const accepts = (key: number): boolean => {
      const batch = this.batches.find(key)
      return batch !== undefined && !batch.isDead && (!batchIds || batchIds.has(batch.id))
    }
    this.#tail.search(vector, limit, nearest, { accepts, isFiltered: batchIds !== undefined })
    const inGraph = this.#searchGraph(query, graphEnd, accepts)
    for (const { key, similarity } of inGraph ?? []) nearest.offer(key, similarity)
    if (!inGraph) await this.#searchRows(query, nearest, 0, graphEnd)
    await this.#searchRows(query, nearest, readEnd, nextKey)
    return nearest.best()
  }

  /** Undefined when few vectors are eligible, or the graph returns too few of them even with a wide search. */
  #searchGraph(
    { vector, limit, batchIds }: VectorQuery,
    graphEnd: number,
    accepts: (key: number) => boolean,
  ): { key: number; similarity: number }[] | undefined {
    const { graph } = this
    const eligible = batchIds
      ? this.#eligible(batchIds).reduce((sum, { base, count }) => sum + (base < graphEnd ? count : 0), 0)
      : this.batches.alive
    if (!graph || eligible === 0) return []
    if (batchIds && eligible <= filterRows) return undefined
    const wanted = Math.min(batchIds ? limit * filterMargin : limit, eligible)
    const share = Math.min(1, eligible / graph.size)
    for (let asked = Math.ceil(Math.max(expansion, limit * 2) / share); ; asked *= 4) {
      const width = Math.min(asked, Math.max(maxExpansion, limit * filterMargin))
      const found = graph.search(vector, width).filter(({ key }) => accepts(key))
      if (found.length >= wanted) return found.slice(0, wanted)
      if (width < asked || width >= graph.size) return undefined
    }
  }

  #eligible(batchIds: ReadonlySet<string> | undefined): IndexedBatch[] {
    const batches = batchIds ? [...batchIds].flatMap(id => this.batches.get(id) ?? []) : this.batches.all
    return batches.filter(batch => !batch.isDead)
  }

  /** Compares with the rows of the keys in a range. */
  async #searchRows({ vector, batchIds }: VectorQuery, nearest: TopScores<number>, from: number, to: number) {
    if (from === to) return
    for (const batch of this.#eligible(batchIds)) {
      const end = Math.min(to - batch.base, batch.span)
      let at = Math.max(from - batch.base, 0)
      while (at < end && !batch.isDead) {
        const { rows, next } = this.rows.page(batch.id, at)
        for (const row of rows)
          if (row.position < end) nearest.offer(batch.base + row.position, dotProduct(vector, row.vector))
        at = next ?? end
        await nextTurn()
      }
    }
  }

  /** Reads new vectors into memory, up to a limit. */
  read(maxBytes = this.#bounds.tailBytes): Promise<void> {
    return this.#tail.read(maxBytes)
  }

  /** Moves a vector into the graph. False when none is left, or the generation is too small for a graph. */
  async grow(maxBytes: number | undefined): Promise<boolean> {
    if (!this.graph && this.#liveFloats() <= this.#bounds.exactFloats) return false
    const graph = this.graph ?? new VectorGraph(this.rows.name.dimension)
    this.graph = graph
    if (this.#tail.count === 0) await this.read(maxBytes)
    this.#tail.take((key, vector) => {
      if (this.batches.find(key)?.isDead === false) graph.add(key, vector)
    })
    return !this.#tail.isEmpty
  }

  #liveFloats(): number {
    const vectors = this.batches.all.reduce((sum, { isDead, span }) => sum + (isDead ? 0 : span), 0)
    return vectors * this.rows.name.dimension
  }
}
