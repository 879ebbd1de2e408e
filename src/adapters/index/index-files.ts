import { createHash, hash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../kernel/durable-files.ts'
import { BatchTable } from './batch-table.ts'
import type { GenerationIndex } from './generation-index.ts'
import type { VectorGraph } from './vector-graph.ts'
import type { GenerationName } from './vector-rows.ts'

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
  dimension: number
  nextKey: number
  graph: { checksum: string }
  /** Id, base key, span and vector count of each batch in the graph. */
  batches: [string, number, number, number][]
}

const pathsOf = (folder: string, id: string): { graph: string; table: string } => ({
  graph: join(folder, id + graphExtension),
  table: join(folder, id + tableExtension),
})

async function checksumOf(path: string): Promise<string> {
  const checksum = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 19 }))
    checksum.update(chunk as Buffer)
  return checksum.digest('hex')
}

/** The graph, then the table with its checksum: after a crash, or with two writers, a table matches only its own graph. */
export async function saveVectorIndex(folder: string, index: GenerationIndex): Promise<void> {
  const { workspaceId, id, dimension } = index.rows.name
  const { graph } = index
  if (!graph || !safeId.test(id)) return
  await makeFolder(folder)
  const paths = pathsOf(folder, id)
  const suffix = `.${randomBytes(6).toString('hex')}${temporaryExtension}`
  try {
    graph.save(paths.graph + suffix)
    // Before the next await, so that these describe the saved graph.
    const savedSize = graph.size
    const { nextKey } = index.batches
    const batches = index
      .batchesInGraph()
      .map((batch): Table['batches'][number] => [batch.id, batch.base, batch.span, batch.count])
    const checksum = await checksumOf(paths.graph + suffix)
    const table: Table = { format, workspaceId, dimension, nextKey, graph: { checksum }, batches }
    const text = JSON.stringify(table)
    await writeFile(paths.table + suffix, `${hash('sha256', text)}\n${text}`, { mode: 0o600 })
    await rename(paths.graph + suffix, paths.graph)
    await rename(paths.table + suffix, paths.table)
    index.savedSize = savedSize
  } finally {
    await rm(paths.graph + suffix, { force: true })
    await rm(paths.table + suffix, { force: true })
  }
}

/** The batches may be older or newer than the rows. Undefined when files are missing or damaged; then it is rebuilt. */
export async function loadVectorIndex(
  folder: string,
  { workspaceId, id, dimension }: GenerationName,
  graph: VectorGraph,
): Promise<BatchTable | undefined> {
  if (!safeId.test(id)) return undefined
  const paths = pathsOf(folder, id)
  try {
    const [checksum, text = ''] = (await readFile(paths.table, 'utf8')).split('\n')
    if (hash('sha256', text) !== checksum) return undefined
    const saved = JSON.parse(text) as Table
    if (saved.format !== format || saved.workspaceId !== workspaceId || saved.dimension !== dimension)
      return undefined
    if ((await checksumOf(paths.graph)) !== saved.graph.checksum) return undefined
    graph.load(paths.graph)
    const batches = new BatchTable()
    for (const batch of saved.batches) batches.add(...batch)
    batches.nextKey = saved.nextKey
    return batches
  } catch {
    return undefined
  }
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
