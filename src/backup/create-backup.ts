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
import type { ArchiveTarget } from './archive-place.ts'
import { ArchiveWriter } from './archive-writer.ts'
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
  place: string
  bytes: number
  rows: Record<string, number>
  contents: { count: number; bytes: number }
  vanished: string[]
  damaged: string[]
}

const isDamaged = (error: unknown): boolean => error instanceof AppError && error.reason === 'content_damaged'

/** Reads a content, and ends early where it is damaged. */
async function* readable(content: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  try {
    for await (const chunk of content) {
      signal.throwIfAborted()
      yield chunk
    }
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
}

class Backup {
  readonly #parts: BackupParts
  readonly #target: ArchiveTarget
  readonly #writer: ArchiveWriter
  readonly #signal: AbortSignal
  readonly #rows: Record<string, number> = {}
  readonly #manifest: Manifest

  constructor(parts: BackupParts, target: ArchiveTarget, signal: AbortSignal) {
    const now = parts.clock.now()
    this.#parts = parts
    this.#target = target
    this.#writer = new ArchiveWriter(target, now)
    this.#signal = signal
    this.#manifest = {
      format: 'banyan-backup',
      format_version: formatVersion,
      program_version: parts.programVersion,
      schema: '',
      created_at: isoTime(now),
      entries: [],
      contents: { count: 0, bytes: 0 },
      vanished: [],
      damaged: [],
    }
  }

  async run(): Promise<BackupSummary> {
    const contentRows = await this.#addTables()
    const token = await this.#parts.readBootstrapToken()
    if (token) await this.#addListed(bootstrapTokenEntry, token)
    for (const bytes of contentRows) await this.#addContents(bytes)
    await this.#add(manifestEntry, Buffer.from(printManifest(this.#manifest)))
    await this.#writer.end()
    await this.#target.finish()
    const { contents, vanished, damaged } = this.#manifest
    return {
      place: this.#target.place,
      bytes: this.#writer.bytes,
      rows: this.#rows,
      contents,
      vanished,
      damaged,
    }
  }

  #add(name: string, bytes: Uint8Array): Promise<string> {
    this.#signal.throwIfAborted()
    return this.#writer.add({ name, size: bytes.length }, [bytes])
  }

  async #addListed(name: string, bytes: Uint8Array, rows?: number): Promise<void> {
    const sha256 = await this.#add(name, bytes)
    this.#manifest.entries.push({ name, size: bytes.length, sha256, ...(rows !== undefined && { rows }) })
  }

  /**
   * The snapshot is held only while the tables are read. Returns the packed rows of contents, about 80 bytes each,
   * because not every place of an archive can be read back.
   */
  #addTables(): Promise<Uint8Array[]> {
    return this.#parts.tables.snapshot(async snapshot => {
      this.#manifest.schema = snapshot.schema
      const contentRows: Uint8Array[] = []
      for (const table of this.#parts.tables.tables) {
        let total = 0
        let piece = 0
        for await (const { bytes, count } of packRows(snapshot.rows(table))) {
          piece++
          await this.#addListed(tableEntry(table, piece), bytes, count)
          total += count
          if (table === contentTable) contentRows.push(bytes)
        }
        this.#rows[table] = total
      }
      return contentRows
    })
  }

  async #addContents(packed: Uint8Array): Promise<void> {
    const { contents, damaged, vanished } = this.#manifest
    for await (const row of unpackRows([packed])) {
      this.#signal.throwIfAborted()
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

  /** Adds a content; false if it no longer exists, or its checksum differs. */
  async #addContent({ key, size, sha256 }: ContentRow): Promise<boolean> {
    const content = await this.#parts.blobs.read(key).catch((error: unknown) => {
      if (!isDamaged(error)) throw error
    })
    if (!content) return false
    const entry = { name: contentEntry(key), size }
    return (await this.#writer.add(entry, readable(content, this.#signal))) === sha256
  }
}

/**
 * Backs up a running server: a snapshot of the tables, then the files that they refer to. A failure leaves nothing
 * behind.
 */
export async function createBackup(
  parts: BackupParts,
  target: ArchiveTarget,
  signal: AbortSignal,
): Promise<BackupSummary> {
  try {
    return await new Backup(parts, target, signal).run()
  } catch (error) {
    await target.discard()
    throw error
  }
}
