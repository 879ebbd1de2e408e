import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { GenerationIndex } from './generation-index.ts'
import type { VectorGraph } from './vector-graph.ts'
import { BatchTable, isInGraph } from './vector-rows.ts'
import type { GenerationName } from './vector-search.ts'

// The main thread sweeps these files and must not load native code, so this module imports the graph as a type only.
const graphExtension = '.usearch'
const tableExtension = '.json'
const temporaryExtension = '.tmp'
/** A temporary file that is older was left by a crash. */
const temporaryMilliseconds = 3_600_000

/** Increased when files of older versions must not be read. */
const format = 1
/** Other ids get no file: the name must be valid on every file system. */
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
  /** Id, base key, span and vector count of each batch in the graph. */
  batches: [string, number, number, number][]
}

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex')

async function checksumOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 19 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

const pathsOf = (folder: string, id: string): { graph: string; table: string } => ({
  graph: join(folder, id + graphExtension),
  table: join(folder, id + tableExtension),
})

/**
 * Writes the graph, then the table with the graph's checksum. After a crash, or when another process writes the same
 * files, a table never matches a graph that it was not written for.
 */
export async function saveVectorIndex(folder: string, index: GenerationIndex): Promise<void> {
  const { graph, name, table } = index
  if (!graph || !safeId.test(name.id)) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const paths = pathsOf(folder, name.id)
  const suffix = `.${randomBytes(6).toString('hex')}${temporaryExtension}`
  try {
    // No await between these two, so they describe the same state.
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

/** The saved state. It may be older or newer than the rows: the caller compares it with all batches. */
export interface LoadedIndex {
  table: BatchTable
  expansion: number
  measuredSize: number
}

/** Reads the files into an empty graph. Undefined when they are missing or damaged; the index is then rebuilt. */
export async function loadVectorIndex(
  folder: string,
  name: GenerationName,
  graph: VectorGraph,
): Promise<LoadedIndex | undefined> {
  if (!safeId.test(name.id)) return undefined
  const paths = pathsOf(folder, name.id)
  try {
    const saved = readTable(await readFile(paths.table, 'utf8'), name)
    if (!saved || (await stat(paths.graph)).size !== saved.graph.size) return undefined
    if ((await checksumOfFile(paths.graph)) !== saved.graph.checksum) return undefined
    graph.load(paths.graph)
    const table = new BatchTable()
    for (const [id, base, span, count] of saved.batches) {
      const batch = table.add(id, span, base)
      batch.isWhole = true
      batch.read = count
      table.addedToGraph(batch, count)
    }
    table.nextKey = saved.nextKey
    return { table, expansion: saved.expansion, measuredSize: saved.measuredSize }
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

/** Removes the files of deleted generations, and temporary files that a crash left. */
export async function sweepIndexFiles(
  { folder, databasePath }: { folder: string; databasePath: string },
  signal: AbortSignal,
): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0) return
  const connection = new DatabaseSync(databasePath, { readOnly: true, timeout: 1000 })
  try {
    const known = connection.prepare('SELECT 1 FROM generations WHERE id = ? AND gone = 0')
    for (const name of names) {
      if (signal.aborted) return
      const path = join(folder, name)
      const isUseless = name.endsWith(temporaryExtension)
        ? Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()) >
          temporaryMilliseconds
        : [graphExtension, tableExtension].some(
            extension => name.endsWith(extension) && !known.get(name.slice(0, -extension.length)),
          )
      if (isUseless) await rm(path, { force: true })
    }
  } finally {
    connection.close()
  }
}
