import { exactSearch, type Matches, MetricKind } from 'usearch'
import type { GenerationIndex } from './generation-index.ts'
import { saveVectorIndex } from './index-files.ts'
import { isInGraph } from './vector-rows.ts'
import { Nearest, nextTurn, TimeSlice } from './vector-search.ts'

const sliceMilliseconds = 4
/** A growing graph is saved when it doubles and has this many new vectors; a complete one when this share is new. */
const saveVectors = 20_000
const saveShare = 0.2

/** Parameters of the recall measurement. */
const samples = 24
const depth = 10
const expansions = [64, 128, 256, 512, 1024, 2048]
const targetRecall = 0.99
const minExpansion = 256
const blockFloats = 1 << 19

/** What the background work checks between its steps. */
export interface BuilderState {
  isSearching(): boolean
  isClosing(): boolean
}

/** Moves new vectors into the graph, measures its recall and saves it. Searches have priority. */
export class IndexBuilder {
  readonly #folder: string
  readonly #state: BuilderState

  constructor(folder: string, state: BuilderState) {
    this.#folder = folder
    this.#state = state
  }

  /** `readBytes` limits the read-ahead; without it the tail is read as far as searches need. */
  async build(index: GenerationIndex, readBytes?: number): Promise<void> {
    await index.advance(readBytes)
    const slice = new TimeSlice(sliceMilliseconds)
    while (!this.#state.isClosing() && index.needsGraph && !index.tail.isEmpty) {
      // Adds one vector between searches, so that the build also finishes under constant load.
      const isSearching = this.#state.isSearching()
      index.growGraph(isSearching ? new TimeSlice(0) : slice)
      if (isSearching) await nextTurn()
      else await slice.pause()
      if (!index.tail.next()) await index.advance(readBytes)
      if (grown(index) >= saveVectors && grown(index) >= index.savedSize) await this.#measureAndSave(index)
    }
    await this.#measureAndSave(index)
  }

  /** Also called while the graph grows: until it is measured, searches are wider than most data needs. */
  async #measureAndSave(index: GenerationIndex): Promise<void> {
    if (this.#state.isClosing() || !index.graph) return
    if (index.needsMeasuring) {
      const { size } = index.graph
      const expansion = await measureExpansion(index, this.#state)
      if (this.#state.isClosing()) return
      if (expansion !== undefined) {
        index.expansion = expansion
        index.measuredSize = size
        index.isSaved = false
      }
    }
    if (!index.isSaved || grown(index) > saveShare * index.savedSize) await this.save(index)
  }

  async save(index: GenerationIndex): Promise<void> {
    if (grown(index) > 0 || !index.isSaved) await saveVectorIndex(this.#folder, index)
  }
}

const grown = (index: GenerationIndex): number => (index.graph?.size ?? 0) - index.savedSize

/**
 * Finds the search expansion that this data needs, by searching for some of its own vectors. Clustered data such as
 * text needs little, unordered vectors need much. Queries are further from the data than its own vectors, so the
 * result is doubled.
 */
async function measureExpansion(index: GenerationIndex, state: BuilderState): Promise<number | undefined> {
  const { graph } = index
  const slice = new TimeSlice(4)
  const queries = sampleVectors(index)
  if (!graph || queries.length === 0) return undefined
  const truth = await exactNeighbours(index, queries, slice, state)
  if (state.isClosing()) return undefined
  for (const expansion of expansions) {
    let found = 0
    let wanted = 0
    for (const [at, query] of queries.entries()) {
      const keys = new Set(
        graph
          .search(query, expansion)
          .slice(0, depth * 2)
          .map(each => each.key),
      )
      wanted += truth[at]!.length
      found += truth[at]!.filter(key => keys.has(key)).length
      await slice.pause()
    }
    if (found >= targetRecall * wanted) return Math.max(minExpansion, expansion * 2)
  }
  return expansions.at(-1)! * 2
}

function sampleVectors({ table, rows, name }: GenerationIndex): Float32Array[] {
  const batches = table.all().filter(isInGraph)
  const total = batches.reduce((sum, batch) => sum + batch.span, 0)
  const found: Float32Array[] = []
  let before = 0
  for (const batch of batches) {
    for (;;) {
      const target = Math.floor(((found.length + 0.5) * total) / samples)
      if (found.length >= samples || target >= before + batch.span) break
      const row = rows.page(name.workspaceId, batch.id, Math.max(0, target - before), 1)[0]
      if (row?.vector.length !== name.dimension) break
      found.push(row.vector)
    }
    before += batch.span
  }
  return found
}

async function exactNeighbours(
  { table, rows, name }: GenerationIndex,
  queries: Float32Array[],
  slice: TimeSlice,
  state: BuilderState,
): Promise<number[][]> {
  const nearest = queries.map(() => new Nearest(depth))
  const block = new Float32Array(Math.max(1, Math.floor(blockFloats / name.dimension)) * name.dimension)
  let keys: number[] = []
  const compare = async (): Promise<void> => {
    const view = block.subarray(0, keys.length * name.dimension)
    for (const [at, query] of queries.entries()) {
      const wanted = Math.min(depth, keys.length)
      const found = exactSearch(view, query, name.dimension, wanted, MetricKind.IP, 1) as Matches
      for (const [rank, key] of found.keys.entries())
        nearest[at]!.offer(keys[Number(key)]!, 1 - found.distances[rank]!)
      await slice.pause()
    }
    keys = []
  }
  for (const batch of table.all().filter(isInGraph))
    for (let from = 0; !state.isClosing() && from < batch.span; ) {
      const page = rows.page(name.workspaceId, batch.id, from)
      for (const { position, vector } of page) {
        if (vector.length !== name.dimension) continue
        block.set(vector, keys.length * name.dimension)
        if (keys.push(batch.base + position) * name.dimension === block.length) await compare()
      }
      await slice.pause()
      if (page.length === 0) break
      from = page.at(-1)!.position + 1
    }
  if (keys.length > 0) await compare()
  return nearest.map(each => each.take().map(({ key }) => key))
}
