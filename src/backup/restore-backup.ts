import type { BlobStore } from '../files/blob-store.ts'
import type { FileStore } from '../files/file-store.ts'
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts'
import { groupsOf } from '../kernel/groups-of.ts'
import { BackupError, contentId, contentTable, damagedArchive, fileTable } from './archive-format.ts'
import type { ArchiveSource } from './archive-place.ts'
import { ArchiveReader } from './archive-reader.ts'
import type { Row, TableArchive } from './table-archive.ts'

export interface RestoreParts {
  tables: TableArchive
  blobs: Pick<BlobStore, 'write' | 'remove'>
  files: Pick<FileStore, 'knownKeys'>
}

export interface RestoreSummary {
  createdAt: string
  programVersion: string
  rows: Record<string, number>
  contents: { count: number; bytes: number }
  filesLeftOut: number
  /** The operator's token of the backed-up server, if its first start created one. */
  bootstrapToken: Uint8Array | undefined
}

/** Each small file waits for an fsync; in parallel they take about as long as one. */
const writesAtOnce = 8
const removeBatch = 500

/** Rows of these tables are dropped with their file. */
const documentTables = new Set(['documents', 'document_values', 'readings'])
const batchTable = 'batches'

interface RestoreOptions {
  overwrite: boolean
  signal: AbortSignal
}

async function restore(
  { tables, blobs, files }: RestoreParts,
  archive: ArchiveReader,
  { overwrite, signal }: RestoreOptions,
): Promise<RestoreSummary> {
  const { manifest } = archive
  /** New keys by those of the archive, because stores choose their own. Only this map grows with the archive. */
  const newKeys = new Map<string, string>()
  const lost = new Set<string>()
  const lostFiles = new Set<string>()
  const isOfLostFile = (row: Row): boolean =>
    lostFiles.size > 0 && lostFiles.has(`${row['workspace_id']}/${row['file_id']}`)

  async function* rowsOf(table: string): AsyncGenerator<Row> {
    for await (const row of archive.rows(table)) {
      signal.throwIfAborted()
      if ((table === fileTable || table === contentTable) && lost.has(contentId(row))) continue
      if (documentTables.has(table) && isOfLostFile(row)) continue
      // Its chunks become invisible and are swept when the server runs.
      if (table === batchTable && isOfLostFile(row)) row['state'] = 'gone'
      yield table === contentTable ? { ...row, key: newKeys.get(String(row['key'])) ?? null } : row
    }
  }
  /** Removes only keys that no row names: a database that disconnected during the commit may have committed. */
  const removeContents = async (): Promise<void> => {
    for (const batch of groupsOf([...newKeys.values()], removeBatch)) {
      const known = await files.knownKeys(batch)
      for (const key of batch) if (!known.has(key)) await blobs.remove(key)
    }
  }

  const bootstrapToken = await archive.bootstrapToken()
  let rows: Record<string, number>
  try {
    const contents = archive.contents(id => lost.add(id))
    await forEachConcurrently(writesAtOnce, contents, async ({ row, entry }) => {
      signal.throwIfAborted()
      const written = await blobs.write(archive.read(entry), row.size)
      newKeys.set(row.key, written.key)
      if (written.sha256 !== row.sha256) throw damagedArchive(`the content ${row.key} is damaged`)
    })
    // The documents of files whose content was deleted while the backup ran were being deleted, too.
    if (lost.size > 0)
      for await (const row of archive.rows(fileTable))
        if (lost.has(contentId(row))) lostFiles.add(`${row['workspace_id']}/${row['id']}`)
    rows = await tables.replace(rowsOf, { overwrite })
  } catch (error) {
    // What cannot be removed now is swept later by the server, like every unfinished upload.
    await removeContents().catch(() => {})
    throw error
  }
  let filesBefore = 0
  for (const { name, rows: count = 0 } of manifest.entries)
    if (name.startsWith(`tables/${fileTable}.`)) filesBefore += count
  return {
    createdAt: manifest.created_at,
    programVersion: manifest.program_version,
    rows,
    contents: manifest.contents,
    filesLeftOut: filesBefore - (rows[fileTable] ?? 0),
    bootstrapToken,
  }
}

/** Restores a backup. Verifies all checksums; the rows are written last, in one transaction. A failure changes nothing. */
export async function restoreBackup(
  parts: RestoreParts,
  source: ArchiveSource,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const archive = new ArchiveReader(source)
  try {
    if (!options.overwrite && !(await parts.tables.isUnused()))
      throw new BackupError(
        'This server already has data. Restore into an empty one, or add --force to replace what is here.',
      )
    await archive.verify(await parts.tables.schema())
    return await restore(parts, archive, options)
  } finally {
    await source.close()
  }
}
