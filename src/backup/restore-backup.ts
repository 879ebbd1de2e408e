import type { BlobStore } from '../files/blob-store.ts'
import type { FileStore } from '../files/file-store.ts'
import { type ArchiveContents, openContents } from './archive-contents.ts'
import { ArchiveReader } from './archive-reader.ts'
import { atOnce } from './at-once.ts'
import { BackupError, damagedArchive } from './backup-error.ts'
import { contentId, contentTable, fileTable } from './content-row.ts'
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
  /** Files that the archive names and whose content it does not hold. */
  filesLeftOut: number
  /** Of the server that was backed up; where its operator's token was made at the first start. */
  bootstrapToken: Uint8Array | undefined
}

/** Each small file waits for the disk; together they wait about as long as one. */
const writesAtOnce = 8
const removeBatch = 500

/** Rows of these go with the file they speak of. */
const documentTables = new Set(['documents', 'document_values', 'readings'])
const batchTable = 'batches'

class Restore {
  readonly #parts: RestoreParts
  readonly #archive: ArchiveReader
  readonly #contents: ArchiveContents
  readonly #signal: AbortSignal
  /** Stores mint their own keys. About 150 bytes a content is all that grows with the archive. */
  readonly #newKeys = new Map<string, string>()
  readonly #lost = new Set<string>()
  readonly #lostFiles = new Set<string>()

  constructor(parts: RestoreParts, archive: ArchiveReader, contents: ArchiveContents, signal: AbortSignal) {
    this.#parts = parts
    this.#archive = archive
    this.#contents = contents
    this.#signal = signal
  }

  async run(overwrite: boolean): Promise<RestoreSummary> {
    const { manifest } = this.#contents
    const bootstrapToken = await this.#contents.bootstrapToken()
    let rows: Record<string, number>
    try {
      await this.#writeContents()
      await this.#findLostFiles()
      rows = await this.#parts.tables.replace(table => this.#rows(table), { overwrite })
    } catch (error) {
      // What cannot be removed now, the server sweeps away later, as it does with every unfinished upload.
      await this.#removeContents().catch(() => {})
      throw error
    }
    const filesBefore = manifest.entries.find(({ name }) => name.includes(`/${fileTable}.`))?.rows ?? 0
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
    const contents = this.#contents.contents(id => this.#lost.add(id))
    await atOnce(writesAtOnce, contents, async ({ row, entry }) => {
      this.#signal.throwIfAborted()
      const written = await this.#parts.blobs.write(this.#archive.read(entry), row.size)
      this.#newKeys.set(row.key, written.key)
      if (written.sha256 !== row.sha256) throw damagedArchive(`the content ${row.key} is damaged`)
    })
  }

  /** Files whose content was deleted while the backup ran: whoever deleted it meant the documents, too. */
  async #findLostFiles(): Promise<void> {
    if (this.#lost.size === 0) return
    for await (const row of this.#contents.rows(fileTable))
      if (this.#lost.has(contentId(row))) this.#lostFiles.add(`${row['workspace_id']}/${row['id']}`)
  }

  #isOfLostFile(row: Row): boolean {
    return this.#lostFiles.size > 0 && this.#lostFiles.has(`${row['workspace_id']}/${row['file_id']}`)
  }

  async *#rows(table: string): AsyncGenerator<Row> {
    for await (const row of this.#contents.rows(table)) {
      this.#signal.throwIfAborted()
      if ((table === fileTable || table === contentTable) && this.#lost.has(contentId(row))) continue
      if (documentTables.has(table) && this.#isOfLostFile(row)) continue
      // What it was cut into is no longer seen, and swept when the server runs.
      if (table === batchTable && this.#isOfLostFile(row)) row['state'] = 'gone'
      yield table === contentTable ? { ...row, key: this.#newKeys.get(String(row['key'])) ?? null } : row
    }
  }

  /** Only what no row names: a database that went away while it committed may have kept the rows after all. */
  async #removeContents(): Promise<void> {
    const keys = [...this.#newKeys.values()]
    for (let start = 0; start < keys.length; start += removeBatch) {
      const batch = keys.slice(start, start + removeBatch)
      const known = await this.#parts.files.knownKeys(batch)
      for (const key of batch) if (!known.has(key)) await this.#parts.blobs.remove(key)
    }
  }
}

/**
 * Puts back what an archive holds. All checksums are verified, the contents' on their way into the store;
 * the rows that name them come last and all at once. On failure everything is as it was.
 */
export async function restoreBackup(
  parts: RestoreParts,
  path: string,
  options: { overwrite: boolean; signal: AbortSignal },
): Promise<RestoreSummary> {
  const archive = await ArchiveReader.open(path)
  try {
    if (!options.overwrite && !(await parts.tables.isUnused()))
      throw new BackupError(
        'There is data here already. Restore into an empty place, or add --force to replace what is here.',
      )
    const contents = await openContents(archive, await parts.tables.schema())
    return await new Restore(parts, archive, contents, options.signal).run(options.overwrite)
  } finally {
    await archive.close()
  }
}
