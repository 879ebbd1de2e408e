import type { VectorHit } from '../../knowledge/search/vector-index.ts'
import { VectorGraph } from './vector-graph.ts'
import { BatchTable, type IndexedBatch, type VectorRows } from './vector-rows.ts'
import { type GenerationName, Nearest, TimeSlice, type VectorQuery } from './vector-search.ts'
import { searchRows, VectorTail } from './vector-tail.ts'

/** A wider graph search is slower than reading the rows. */
const maxExpansion = 8192
/** A filter that leaves at most this many vectors is answered from their rows. */
const filterRows = 4000
/** With a filter the graph must return this multiple of the limit; fewer means that it ran out of close vectors. */
const filterMargin = 4

export interface IndexBounds {
  /** Generations with fewer floats have no graph: exact search is as fast. */
  exactFloats: number
  /** Memory for vectors that the graph does not hold yet. */
  tailBytes: number
}

/** Search expansion until recall is measured: enough for data without clusters. */
const initialExpansion = 2048
const searchMilliseconds = 8

/** The index of one generation: a graph, and a tail of newer vectors that is searched exactly. */
export class GenerationIndex {
  readonly name: GenerationName
  readonly rows: VectorRows
  readonly table: BatchTable
  readonly tail: VectorTail
  readonly #bounds: IndexBounds
  graph: VectorGraph | undefined
  /** The batches up to this revision are known; -1: none. */
  revision = -1
  expansion = initialExpansion
  /** Sizes of the graph when its recall was measured and when it was saved. */
  measuredSize = 0
  savedSize = 0
  /** False when something other than the size changed since the save. */
  isSaved = true
  lastUse = 0
  users = 0
  #advancing: Promise<void> | undefined

  constructor(name: GenerationName, rows: VectorRows, bounds: IndexBounds, table = new BatchTable()) {
    this.name = name
    this.rows = rows
    this.table = table
    this.#bounds = bounds
    this.tail = new VectorTail(rows, table, name)
  }

  get bytes(): number {
    return this.tail.bytes + (this.graph?.bytes ?? 0)
  }

  /** True when the database was restored to an earlier state: this index is then void. */
  isBehind(revision: number): boolean {
    return revision < this.revision
  }

  get needsGraph(): boolean {
    return this.graph !== undefined || this.table.live * this.name.dimension > this.#bounds.exactFloats
  }

  get needsRebuild(): boolean {
    const { live, dead, liveInGraph } = this.table
    const size = this.graph?.size ?? live + dead
    const useless = this.graph ? size - liveInGraph : dead
    return useless > 100 && useless > 0.25 * size
  }

  /** Recall was never measured, or only when the graph was much smaller. */
  get needsMeasuring(): boolean {
    return (this.graph?.size ?? 0) > this.measuredSize * 1.25
  }

  get needsWork(): boolean {
    return this.needsRebuild || this.needsMeasuring || (this.needsGraph && !this.tail.isEmpty)
  }

  /** Registers new live batches, and reads their vectors into memory up to the limit. */
  async advance(maxBytes = this.#bounds.tailBytes): Promise<void> {
    // A call that is under way may have read the batches before the newest one came.
    while (this.#advancing) await this.#advancing
    this.#advancing = this.#advance(maxBytes).finally(() => {
      this.#advancing = undefined
    })
    await this.#advancing
  }

  async #advance(maxBytes: number): Promise<void> {
    const slice = new TimeSlice(searchMilliseconds)
    const { workspaceId, id } = this.name
    const news = this.rows.liveBatches(workspaceId, id, this.revision)
    if (!news) return
    for (const batchId of news.ids) {
      this.#register(batchId)
      await slice.pause()
    }
    this.revision = Math.max(this.revision, news.revision)
    await this.tail.read(slice, maxBytes)
  }

  /** Compares with all live batches: marks deleted ones, and registers missed ones. */
  reconcile(): void {
    const { workspaceId, id } = this.name
    const live = new Set(this.rows.liveBatches(workspaceId, id, -1)?.ids)
    for (const batch of this.table.all()) if (!live.has(batch.id)) this.table.markDead(batch)
    for (const batchId of live) this.#register(batchId)
  }

  #register(batchId: string): void {
    if (this.table.get(batchId)) return
    const span = this.rows.span(this.name.workspaceId, batchId)
    if (span > 0) this.tail.push(this.table.add(batchId, span))
  }

  async search(query: VectorQuery): Promise<VectorHit[]> {
    if (query.limit < 1) return []
    await this.advance()
    for (;;) {
      const nearest = new Nearest(query.limit)
      const slice = new TimeSlice(searchMilliseconds)
      await this.tail.search(query, nearest, slice)
      if (this.graph) await this.#searchGraph(this.graph, query, nearest, slice)
      const found = nearest.take().map(({ key, similarity }) => {
        const batch = this.table.find(key)!
        return { batch, hit: { batchId: batch.id, position: key - batch.base, similarity } }
      })
      if (!this.#markDead(new Set(found.map(each => each.batch)))) return found.map(each => each.hit)
    }
  }

  /** True when one of them was deleted meanwhile. Then all deletions are registered, and the search can repeat. */
  #markDead(batches: Set<IndexedBatch>): boolean {
    const { workspaceId, id } = this.name
    let someDied = false
    for (const batch of batches)
      if (batch.isDead || !this.rows.isLive(workspaceId, id, batch.id)) {
        this.table.markDead(batch)
        someDied = true
      }
    if (someDied) this.reconcile()
    return someDied
  }

  /** Searches the graph, or the rows of all eligible batches where the graph is not reliable. */
  async #searchGraph(
    graph: VectorGraph,
    query: VectorQuery,
    nearest: Nearest,
    slice: TimeSlice,
  ): Promise<void> {
    const { batchIds } = query
    const isEligible = (batch: IndexedBatch | undefined): batch is IndexedBatch =>
      batch !== undefined && batch.added > 0 && !batch.isDead && (batchIds?.has(batch.id) ?? true)
    const count = batchIds
      ? [...batchIds]
          .map(id => this.table.get(id))
          .filter(isEligible)
          .reduce((sum, batch) => sum + batch.added, 0)
      : this.table.liveInGraph
    if (count === 0) return
    const isFew = batchIds !== undefined && count <= filterRows
    if (!isFew && this.#walkGraph(graph, query, nearest, count)) return
    for (const batch of this.table.all().filter(isEligible))
      await searchRows(this.rows, this.name.workspaceId, batch, query.vector, nearest, slice)
  }

  /** False when the graph returned too few eligible vectors, even with a wide search. */
  #walkGraph(
    graph: VectorGraph,
    { vector, limit, batchIds }: VectorQuery,
    nearest: Nearest,
    count: number,
  ): boolean {
    const share = count / graph.size
    const wanted = Math.min(batchIds ? limit * filterMargin : limit, count)
    for (let asked = Math.ceil(Math.max(this.expansion, limit * 2) / share); ; asked *= 4) {
      const expansion = Math.min(asked, Math.max(maxExpansion, limit * filterMargin))
      let accepted = 0
      for (const { key, similarity } of graph.search(vector, expansion)) {
        const batch = this.table.find(key)
        if (!batch || batch.isDead || (batchIds && !batchIds.has(batch.id))) continue
        nearest.offer(key, similarity)
        if (++accepted >= wanted) return true
      }
      if (expansion < asked || expansion >= graph.size) return false
    }
  }

  /** Moves vectors from the tail into the graph until the time slice is over. */
  growGraph(slice: TimeSlice): void {
    this.graph ??= new VectorGraph(this.name.dimension)
    for (let next = this.tail.next(); next; next = this.tail.next()) {
      const batch = this.table.find(next.key)
      if (batch && !batch.isDead) {
        this.graph.add(next.key, next.vector)
        this.table.addedToGraph(batch)
      }
      this.tail.drop()
      if (slice.isOver) return
    }
  }
}
