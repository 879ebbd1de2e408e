import { exactSearch, type Matches, MetricKind } from 'usearch'
import { isInGraph } from './batch-table.ts'
import type { GenerationIndex } from './generation-index.ts'
import type { IntakeSigns } from './intake-signs.ts'
import { Nearest } from './nearest.ts'
import { TimeSlice } from './time-slice.ts'

const samples = 24
const depth = 10
const expansions = [64, 128, 256, 512, 1024, 2048]
const enough = 0.99
const narrowest = 256
const blockFloats = 1 << 19

/**
 * Finds how wide the graph of this data must be searched, by asking for the neighbours of some of its own vectors.
 * Text lies in clusters and needs little; vectors without any order need much. Questions lie further from the
 * data than the data itself, so the answer is doubled.
 */
export async function measureExpansion(
  index: GenerationIndex,
  signs: IntakeSigns,
): Promise<number | undefined> {
  const { graph } = index
  const slice = new TimeSlice(4)
  const questions = sampleVectors(index)
  if (!graph || questions.length === 0) return undefined
  const truth = await exactNeighbours(index, questions, slice, signs)
  if (signs.isClosing()) return undefined
  for (const expansion of expansions) {
    let found = 0
    let wanted = 0
    for (const [at, question] of questions.entries()) {
      const keys = new Set(
        graph
          .search(question, expansion)
          .slice(0, depth * 2)
          .map(each => each.key),
      )
      wanted += truth[at]!.length
      found += truth[at]!.filter(key => keys.has(key)).length
      await slice.pause()
    }
    if (found >= enough * wanted) return Math.max(narrowest, expansion * 2)
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
  questions: Float32Array[],
  slice: TimeSlice,
  signs: IntakeSigns,
): Promise<number[][]> {
  const nearest = questions.map(() => new Nearest(depth))
  const block = new Float32Array(Math.max(1, Math.floor(blockFloats / name.dimension)) * name.dimension)
  let keys: number[] = []
  const compare = async (): Promise<void> => {
    const view = block.subarray(0, keys.length * name.dimension)
    for (const [at, question] of questions.entries()) {
      const wanted = Math.min(depth, keys.length)
      const found = exactSearch(view, question, name.dimension, wanted, MetricKind.IP, 1) as Matches
      for (const [rank, key] of found.keys.entries())
        nearest[at]!.offer(keys[Number(key)]!, 1 - found.distances[rank]!)
      await slice.pause()
    }
    keys = []
  }
  for (const batch of table.all().filter(isInGraph))
    for (let from = 0; !signs.isClosing() && from < batch.span; ) {
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
