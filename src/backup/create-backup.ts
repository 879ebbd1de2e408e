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

type Entries = Map<string, WrittenEntry & { rows?: number }>

/** Stops reading when the backup is interrupted, whatever the source is. */
async function* until<Item>(
  signal: AbortSignal,
  content: AsyncIterable<Item> | Item[],
): AsyncGenerator<Item> {
  for await (const item of content) {
    signal.throwIfAborted()
    yield item
  }
}

class Backup {
  readonly #parts: BackupParts
  readonly #writer: ArchiveWriter
  readonly #signal: AbortSignal
  readonly #entries: Entries = new Map()
  readonly #contents = { count: 0, bytes: 0 }
  readonly #vanished: string[] = []
  readonly #damaged: string[] = []
  #schema = ''

  constructor(parts: BackupParts, writer: ArchiveWriter, signal: AbortSignal) {
    this.#parts = parts
    this.#writer = writer
    this.#signal = signal
  }

  async run(): Promise<BackupSummary> {
    const createdAt = this.#parts.clock.now()
    await this.#addTables()
    await this.#addBootstrapToken()
    await this.#addContents()
    const manifest: Manifest = {
      format: 'banyan-backup',
      format_version: formatVersion,
      program_version: this.#parts.programVersion,
      schema: this.#schema,
      created_at: isoTime(createdAt),
      entries: [...this.#entries.values()].map(({ start: _, ...entry }) => entry),
      contents: this.#contents,
      vanished: this.#vanished,
      damaged: this.#damaged,
    }
    await this.#add(manifestEntry, [Buffer.from(printManifest(manifest))])
    return {
      path: this.#writer.path,
      bytes: await this.#writer.finish(),
      rows: Object.fromEntries(
        this.#parts.tables.tables.map(table => [table, this.#entries.get(tableEntry(table))?.rows ?? 0]),
      ),
      contents: this.#contents,
      vanished: this.#vanished,
      damaged: this.#damaged,
    }
  }

  #add(name: string, content: AsyncIterable<Uint8Array> | Uint8Array[]): Promise<WrittenEntry> {
    return this.#writer.add(name, until(this.#signal, content))
  }

  /** The snapshot is held only while the tables are read. */
  async #addTables(): Promise<void> {
    await this.#parts.tables.snapshot(async snapshot => {
      this.#schema = snapshot.schema
      for (const table of this.#parts.tables.tables) {
        let rows = 0
        const packed = packRows(snapshot.rows(table), () => rows++)
        this.#entries.set(tableEntry(table), { ...(await this.#add(tableEntry(table), packed)), rows })
      }
    })
  }

  async #addBootstrapToken(): Promise<void> {
    const token = await this.#parts.readBootstrapToken()
    if (token) this.#entries.set(bootstrapTokenEntry, await this.#add(bootstrapTokenEntry, [token]))
  }

  /** The list of contents is read back from the archive instead of being held in memory. */
  async #addContents(): Promise<void> {
    const table = this.#entries.get(tableEntry(contentTable))!
    for await (const row of unpackRows(this.#writer.read(table))) {
      const content = contentRow(row)
      if (await this.#addContent(content)) {
        this.#contents.count++
        this.#contents.bytes += content.size
      } else await this.#noteLost(content.key)
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

  /** Rows are deleted before their content: a content without a row was deleted while the backup ran. */
  async #noteLost(key: string): Promise<void> {
    const isStillKnown = (await this.#parts.files.knownKeys([key])).has(key)
    ;(isStillKnown ? this.#damaged : this.#vanished).push(key)
  }
}

/**
 * Writes everything the server stores into one archive while the server keeps running: a snapshot of the tables,
 * then the contents of the files that they name. On failure nothing is left behind.
 */
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
