import type { VectorHit } from '../../knowledge/search/vector-index.ts'
import { BatchTable, type IndexedBatch } from './batch-table.ts'
import { Nearest } from './nearest.ts'
import { searchGraph } from './search-graph.ts'
import { TimeSlice } from './time-slice.ts'
import { VectorGraph } from './vector-graph.ts'
import type { GenerationName, VectorQuestion } from './vector-question.ts'
import type { VectorRows } from './vector-rows.ts'
import { VectorTail } from './vector-tail.ts'

export interface IndexBounds {
  /** Below so many floats a generation is searched exactly: that is as quick as a graph, and needs none. */
  exactFloats: number
  /** Memory for what the graph does not hold yet. */
  tailBytes: number
}

/** How wide a graph is searched before its own recall was measured: enough for data without any clusters. */
const firstExpansion = 2048
const searchMilliseconds = 8

/** The index of one generation: a graph for most of it, and a tail that is searched exactly. */
export class GenerationIndex {
  readonly name: GenerationName
  readonly rows: VectorRows
  readonly table: BatchTable
  readonly tail: VectorTail
  readonly #bounds: IndexBounds
  graph: VectorGraph | undefined
  /** Up to here the batches are known. -1: none. */
  revision = -1
  expansion = firstExpansion
  /** How many vectors the graph held when its recall was measured, and when it was saved. */
  measuredSize = 0
  savedSize = 0
  /** False when more than the size has changed since. */
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

  /** A database that was put back to an earlier state: nothing that is known here counts any more. */
  isBehind(revision: number): boolean {
    return revision < this.revision
  }

  get wantsGraph(): boolean {
    return this.graph !== undefined || this.table.live * this.name.dimension > this.#bounds.exactFloats
  }

  get wantsRebuild(): boolean {
    const { live, dead, liveInGraph } = this.table
    const size = this.graph?.size ?? live + dead
    const useless = this.graph ? size - liveInGraph : dead
    return useless > 100 && useless > 0.25 * size
  }

  /** Its recall was not measured yet, or when it was smaller by far. */
  get wantsMeasure(): boolean {
    return (this.graph?.size ?? 0) > this.measuredSize * 1.25
  }

  get wantsIntake(): boolean {
    return this.wantsRebuild || this.wantsMeasure || (this.wantsGraph && !this.tail.isEmpty)
  }

  /** Learns of the batches that became live, and reads their vectors into memory as far as the bound allows. */
  async advance(mostBytes = this.#bounds.tailBytes): Promise<void> {
    // One that is under way may have looked before the newest batch came.
    while (this.#advancing) await this.#advancing
    this.#advancing = this.#advance(mostBytes).finally(() => {
      this.#advancing = undefined
    })
    await this.#advancing
  }

  async #advance(mostBytes: number): Promise<void> {
    const slice = new TimeSlice(searchMilliseconds)
    const { workspaceId, id } = this.name
    const news = this.rows.liveBatches(workspaceId, id, this.revision)
    if (!news) return
    for (const batchId of news.ids) {
      if (this.table.has(batchId)) continue
      const span = this.rows.span(workspaceId, batchId)
      if (span > 0) this.tail.push(this.table.add(batchId, span))
      await slice.pause()
    }
    this.revision = Math.max(this.revision, news.revision)
    await this.tail.read(slice, mostBytes)
  }

  /** Compares with all live batches: those that are gone are buried, those that were missed are read. */
  reconcile(): void {
    const { workspaceId, id } = this.name
    const live = new Set(this.rows.liveBatches(workspaceId, id, -1)?.ids)
    for (const batch of this.table.all()) if (!live.has(batch.id)) this.table.bury(batch)
    for (const batchId of live) {
      if (this.table.has(batchId)) continue
      const span = this.rows.span(workspaceId, batchId)
      if (span > 0) this.tail.push(this.table.add(batchId, span))
    }
  }

  async search(question: VectorQuestion): Promise<VectorHit[]> {
    if (question.limit < 1) return []
    await this.advance()
    for (;;) {
      const nearest = new Nearest(question.limit)
      const slice = new TimeSlice(searchMilliseconds)
      await this.tail.search(question, nearest, slice)
      if (this.graph) await searchGraph(this, this.graph, question, nearest, slice)
      const found = nearest.take().map(({ key, similarity }) => {
        const batch = this.table.find(key)!
        return { batch, hit: { batchId: batch.id, position: key - batch.base, similarity } }
      })
      if (!this.#buryDead(new Set(found.map(each => each.batch)))) return found.map(each => each.hit)
    }
  }

  /** True when there was one among them; then all others that died are known, too, and a search avoids them. */
  #buryDead(batches: Set<IndexedBatch>): boolean {
    const { workspaceId, id } = this.name
    let someDied = false
    for (const batch of batches)
      if (batch.isDead || !this.rows.isLive(workspaceId, id, batch.id)) {
        this.table.bury(batch)
        someDied = true
      }
    if (someDied) this.reconcile()
    return someDied
  }

  /** Adds to the graph for a few milliseconds. */
  takeIn(slice: TimeSlice): void {
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
