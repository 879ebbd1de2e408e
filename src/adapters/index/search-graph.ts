import type { BatchTable, IndexedBatch } from './batch-table.ts'
import type { Nearest } from './nearest.ts'
import type { TimeSlice } from './time-slice.ts'
import type { VectorGraph } from './vector-graph.ts'
import type { GenerationName, VectorQuestion } from './vector-question.ts'
import type { VectorRows } from './vector-rows.ts'
import { searchRows } from './vector-tail.ts'

/** What it needs to know of the index. */
interface Searched {
  readonly table: BatchTable
  readonly rows: VectorRows
  readonly name: GenerationName
  readonly expansion: number
}

/** Wider than this, reading the rows is the better way. */
const widest = 8192
/** A filter that leaves at most so many vectors is answered from their rows. */
const filterRows = 4000
/** With a filter the graph must give so many times what is asked for, else its far end was reached: not trusted. */
const filterMargin = 4

/** Asks the graph, or, where it cannot tell, compares with the rows of all batches that count. */
export async function searchGraph(
  index: Searched,
  graph: VectorGraph,
  question: VectorQuestion,
  nearest: Nearest,
  slice: TimeSlice,
): Promise<void> {
  const { table, rows, name } = index
  const { batchIds } = question
  const counts = (batch: IndexedBatch | undefined): batch is IndexedBatch =>
    batch !== undefined && batch.added > 0 && !batch.isDead && (batchIds?.has(batch.id) ?? true)
  const count = batchIds
    ? [...batchIds]
        .map(id => table.get(id))
        .filter(counts)
        .reduce((sum, batch) => sum + batch.added, 0)
    : table.liveInGraph
  if (count === 0) return
  const isFew = batchIds !== undefined && count <= filterRows
  if (!isFew && walkGraph(index, graph, question, nearest, count)) return
  for (const batch of table.all().filter(counts))
    await searchRows(rows, name.workspaceId, batch, question.vector, nearest, slice)
}

/** False when the graph gave too few of those that count, even when asked for many. */
function walkGraph(
  { table, expansion }: Searched,
  graph: VectorGraph,
  { vector, limit, batchIds }: VectorQuestion,
  nearest: Nearest,
  count: number,
): boolean {
  const share = count / graph.size
  const wanted = Math.min(batchIds ? limit * filterMargin : limit, count)
  for (let asked = Math.ceil(Math.max(expansion, limit * 2) / share); ; asked *= 4) {
    const most = Math.min(asked, Math.max(widest, limit * filterMargin))
    let accepted = 0
    for (const { key, similarity } of graph.search(vector, most)) {
      const batch = table.find(key)
      if (!batch || batch.isDead || (batchIds && !batchIds.has(batch.id))) continue
      nearest.offer(key, similarity)
      if (++accepted >= wanted) return true
    }
    if (most < asked || most >= graph.size) return false
  }
}
