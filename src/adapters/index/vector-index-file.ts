import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BatchTable, isInGraph } from './batch-table.ts'
import type { GenerationIndex } from './generation-index.ts'
import { graphEnding, tableEnding, temporaryEnding } from './index-file-names.ts'
import { VectorGraph } from './vector-graph.ts'
import type { GenerationName } from './vector-question.ts'

/** Moves when a file of an older program must not be read any more. */
const format = 1
/** What a person or an older program named otherwise gets no file: the name must be one on every system. */
const safeId = /^[A-Za-z0-9_-]{1,200}$/

interface Table {
  format: number
  workspaceId: string
  generationId: string
  dimension: number
  revision: number
  nextKey: number
  expansion: number
  measuredSize: number
  graph: { size: number; checksum: string }
  /** Id, base key, span and count of each batch that the graph holds. */
  batches: [string, number, number, number][]
}

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex')

async function checksumOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 19 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

const pathsOf = (folder: string, id: string): { graph: string; table: string } => ({
  graph: join(folder, id + graphEnding),
  table: join(folder, id + tableEnding),
})

/**
 * The graph first, then the table that names the graph's checksum: whatever a crash leaves, and whoever else writes
 * the same files, a table only ever fits the graph it was written for.
 */
export async function saveVectorIndex(folder: string, index: GenerationIndex): Promise<void> {
  const { graph, name, table } = index
  if (!graph || !safeId.test(name.id)) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const paths = pathsOf(folder, name.id)
  const suffix = `.${randomBytes(6).toString('hex')}${temporaryEnding}`
  try {
    // Nothing is awaited between these two, so they show the same moment.
    graph.save(paths.graph + suffix)
    const batches = table
      .all()
      .filter(isInGraph)
      .map(({ id, base, span, added }): Table['batches'][number] => [id, base, span, added])
    const { revision, expansion, measuredSize } = index
    const graphSize = graph.size
    const { size } = await stat(paths.graph + suffix)
    const checksum = await checksumOfFile(paths.graph + suffix)
    const text = JSON.stringify({
      format,
      workspaceId: name.workspaceId,
      generationId: name.id,
      dimension: name.dimension,
      revision,
      nextKey: table.nextKey,
      expansion,
      measuredSize,
      graph: { size, checksum },
      batches,
    } satisfies Table)
    await writeFile(paths.table + suffix, `${checksumOf(text)}\n${text}`, { mode: 0o600 })
    await rename(paths.graph + suffix, paths.graph)
    await rename(paths.table + suffix, paths.table)
    index.savedSize = graphSize
    index.isSaved = true
  } finally {
    await rm(paths.graph + suffix, { force: true })
    await rm(paths.table + suffix, { force: true })
  }
}

/** What `load` found. Its revision is only what was seen: the caller compares with all rows anyway. */
export interface LoadedIndex {
  table: BatchTable
  graph: VectorGraph
  expansion: number
  measuredSize: number
}

/** Undefined when there is none, or none that can be trusted: then it is built from the rows again. */
export async function loadVectorIndex(
  folder: string,
  name: GenerationName,
): Promise<LoadedIndex | undefined> {
  if (!safeId.test(name.id)) return undefined
  const paths = pathsOf(folder, name.id)
  try {
    const saved = readTable(await readFile(paths.table, 'utf8'), name)
    if (!saved || (await stat(paths.graph)).size !== saved.graph.size) return undefined
    if ((await checksumOfFile(paths.graph)) !== saved.graph.checksum) return undefined
    const graph = new VectorGraph(name.dimension)
    graph.load(paths.graph)
    const table = new BatchTable()
    for (const [id, base, span, count] of saved.batches) {
      const batch = table.add(id, span, base)
      batch.isWhole = true
      batch.read = count
      table.addedToGraph(batch, count)
    }
    table.nextKey = saved.nextKey
    return { table, graph, expansion: saved.expansion, measuredSize: saved.measuredSize }
  } catch {
    return undefined
  }
}

function readTable(content: string, name: GenerationName): Table | undefined {
  const end = content.indexOf('\n')
  const text = content.slice(end + 1)
  if (end < 0 || checksumOf(text) !== content.slice(0, end)) return undefined
  const table = JSON.parse(text) as Table
  const fits =
    table.format === format &&
    table.workspaceId === name.workspaceId &&
    table.generationId === name.id &&
    table.dimension === name.dimension
  return fits ? table : undefined
}
