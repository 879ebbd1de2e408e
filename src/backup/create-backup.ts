import type { BlobStore } from '../files/blob-store.ts'
import type { FileStore } from '../files/file-store.ts'
import { AppError } from '../kernel/app-error.ts'
import { type Clock, isoTime } from '../kernel/clock.ts'
import {
  bootstrapTokenEntry,
  type ContentRow,
  contentEntry,
  contentRow,
  contentTable,
  formatVersion,
  type Manifest,
  manifestEntry,
  packRows,
  printManifest,
  tableEntry,
  unpackRows,
} from './archive-format.ts'
import { ArchiveWriter, type WrittenEntry } from './archive-writer.ts'
import type { TableArchive } from './table-archive.ts'

export interface BackupParts {
  tables: TableArchive
  blobs: Pick<BlobStore, 'read'>
  files: Pick<FileStore, 'knownKeys'>
  clock: Clock
  programVersion: string
  /** Read after the tables, so that no token in them is missed. */
  readBootstrapToken(): Promise<Uint8Array | undefined>
}

export interface BackupSummary {
  path: string
  bytes: number
  rows: Record<string, number>
  contents: { count: number; bytes: number }
  vanished: string[]
  damaged: string[]
}

/** Stops reading when the backup is interrupted, whatever the source is. */
async function* until<Item>(signal: AbortSignal, content: AsyncIterable<Item> | Item[]) {
  for await (const item of content) {
    signal.throwIfAborted()
    yield item
  }
}

class Backup {
  readonly #parts: BackupParts
  readonly #writer: ArchiveWriter
  readonly #signal: AbortSignal
  readonly #rows: Record<string, number> = {}
  readonly #manifest: Manifest

  constructor(parts: BackupParts, writer: ArchiveWriter, signal: AbortSignal) {
    this.#parts = parts
    this.#writer = writer
    this.#signal = signal
    this.#manifest = {
      format: 'banyan-backup',
      format_version: formatVersion,
      program_version: parts.programVersion,
      schema: '',
      created_at: isoTime(parts.clock.now()),
      entries: [],
      contents: { count: 0, bytes: 0 },
      vanished: [],
      damaged: [],
    }
  }

  async run(): Promise<BackupSummary> {
    const contentRows = await this.#addTables()
    const token = await this.#parts.readBootstrapToken()
    if (token) this.#list(await this.#add(bootstrapTokenEntry, [token]))
    await this.#addContents(contentRows)
    await this.#add(manifestEntry, [Buffer.from(printManifest(this.#manifest))])
    const { contents, vanished, damaged } = this.#manifest
    const bytes = await this.#writer.finish()
    return { path: this.#writer.path, bytes, rows: this.#rows, contents, vanished, damaged }
  }

  #add(name: string, content: AsyncIterable<Uint8Array> | Uint8Array[]): Promise<WrittenEntry> {
    return this.#writer.add(name, until(this.#signal, content))
  }

  #list({ name, size, sha256 }: WrittenEntry, rows?: number): void {
    this.#manifest.entries.push({ name, size, sha256, ...(rows !== undefined && { rows }) })
  }

  /** The snapshot is held only while the tables are read. Returns the table of contents. */
  #addTables(): Promise<WrittenEntry> {
    return this.#parts.tables.snapshot(async snapshot => {
      this.#manifest.schema = snapshot.schema
      let contentRows: WrittenEntry | undefined
      for (const table of this.#parts.tables.tables) {
        let rows = 0
        const entry = await this.#add(
          tableEntry(table),
          packRows(snapshot.rows(table), () => rows++),
        )
        this.#list(entry, rows)
        this.#rows[table] = rows
        if (table === contentTable) contentRows = entry
      }
      return contentRows!
    })
  }

  /** The list of contents is read back from the archive instead of being held in memory. */
  async #addContents(table: WrittenEntry): Promise<void> {
    const { contents, damaged, vanished } = this.#manifest
    for await (const row of unpackRows(this.#writer.read(table))) {
      const content = contentRow(row)
      const { key } = content
      if (await this.#addContent(content)) {
        contents.count++
        contents.bytes += content.size
      }
      // Rows are deleted before their content: a content without a row was deleted while the backup ran.
      else if ((await this.#parts.files.knownKeys([key])).has(key)) damaged.push(key)
      else vanished.push(key)
    }
  }

  /** False when the content no longer exists; then nothing of it is in the archive. */
  async #addContent({ key, size, sha256 }: ContentRow): Promise<boolean> {
    try {
      const entry = await this.#add(contentEntry(key), await this.#parts.blobs.read(key))
      if (entry.size === size && entry.sha256 === sha256) return true
      this.#writer.drop(entry)
      return false
    } catch (error) {
      if (error instanceof AppError && error.reason === 'content_damaged') return false
      throw error
    }
  }
}

/** While the server runs: a snapshot of the tables, then the files that they name. A failure leaves nothing behind. */
export async function createBackup(
  parts: BackupParts,
  path: string,
  signal: AbortSignal,
): Promise<BackupSummary> {
  const writer = await ArchiveWriter.open(path, parts.clock.now())
  try {
    return await new Backup(parts, writer, signal).run()
  } catch (error) {
    await writer.discard()
    throw error
  }
}
