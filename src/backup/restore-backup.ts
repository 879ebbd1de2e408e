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

class Restore {
  readonly #parts: RestoreParts
  readonly #archive: ArchiveReader
  readonly #signal: AbortSignal
  /**
   * New keys by those of the archive, because stores choose their own. Only this map grows with the archive: about 150
   * bytes per content.
   */
  readonly #newKeys = new Map<string, string>()
  readonly #lost = new Set<string>()
  readonly #lostFiles = new Set<string>()

  constructor(parts: RestoreParts, archive: ArchiveReader, signal: AbortSignal) {
    this.#parts = parts
    this.#archive = archive
    this.#signal = signal
  }

  async run(overwrite: boolean): Promise<RestoreSummary> {
    const { manifest } = this.#archive
    const bootstrapToken = await this.#archive.bootstrapToken()
    let rows: Record<string, number>
    try {
      await this.#writeContents()
      await this.#findLostFiles()
      rows = await this.#parts.tables.replace(table => this.#rows(table), { overwrite })
    } catch (error) {
      // What cannot be removed now is swept later by the server, like every unfinished upload.
      await this.#removeContents().catch(() => {})
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

  async #writeContents(): Promise<void> {
    const contents = this.#archive.contents(id => this.#lost.add(id))
    await forEachConcurrently(writesAtOnce, contents, async ({ row, entry }) => {
      this.#signal.throwIfAborted()
      const written = await this.#parts.blobs.write(this.#archive.read(entry), row.size)
      this.#newKeys.set(row.key, written.key)
      if (written.sha256 !== row.sha256) throw damagedArchive(`the content ${row.key} is damaged`)
    })
  }

  /** Finds files whose content was deleted while the backup ran; their documents were being deleted, too. */
  async #findLostFiles(): Promise<void> {
    if (this.#lost.size === 0) return
    for await (const row of this.#archive.rows(fileTable))
      if (this.#lost.has(contentId(row))) this.#lostFiles.add(`${row['workspace_id']}/${row['id']}`)
  }

  #isOfLostFile(row: Row): boolean {
    return this.#lostFiles.size > 0 && this.#lostFiles.has(`${row['workspace_id']}/${row['file_id']}`)
  }

  async *#rows(table: string): AsyncGenerator<Row> {
    for await (const row of this.#archive.rows(table)) {
      this.#signal.throwIfAborted()
      if ((table === fileTable || table === contentTable) && this.#lost.has(contentId(row))) continue
      if (documentTables.has(table) && this.#isOfLostFile(row)) continue
      // Its chunks become invisible and are swept when the server runs.
      if (table === batchTable && this.#isOfLostFile(row)) row['state'] = 'gone'
      yield table === contentTable ? { ...row, key: this.#newKeys.get(String(row['key'])) ?? null } : row
    }
  }

  /** Removes only keys that no row names: a database that disconnected during the commit may have committed. */
  async #removeContents(): Promise<void> {
    for (const batch of groupsOf([...this.#newKeys.values()], removeBatch)) {
      const known = await this.#parts.files.knownKeys(batch)
      for (const key of batch) if (!known.has(key)) await this.#parts.blobs.remove(key)
    }
  }
}

/** Restores a backup. Verifies all checksums; the rows are written last, in one transaction. A failure changes nothing. */
export async function restoreBackup(
  parts: RestoreParts,
  source: ArchiveSource,
  options: { overwrite: boolean; signal: AbortSignal },
): Promise<RestoreSummary> {
  const archive = new ArchiveReader(source)
  try {
    if (!options.overwrite && !(await parts.tables.isUnused()))
      throw new BackupError(
        'This server already has data. Restore into an empty one, or add --force to replace what is here.',
      )
    await archive.verify(await parts.tables.schema())
    return await new Restore(parts, archive, options.signal).run(options.overwrite)
  } finally {
    await source.close()
  }
}
