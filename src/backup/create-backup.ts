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

async function writeBackup(
  { tables, blobs, files, clock, programVersion, readBootstrapToken }: BackupParts,
  target: ArchiveTarget,
  signal: AbortSignal,
): Promise<BackupSummary> {
  const now = clock.now()
  const writer = new ArchiveWriter(target, now)
  const rows: Record<string, number> = {}
  const manifest: Manifest = {
    ...{
      format: 'banyan-backup',
      format_version: formatVersion,
      program_version: programVersion,
      schema: '',
    },
    ...{ created_at: isoTime(now), entries: [], contents: { count: 0, bytes: 0 }, vanished: [], damaged: [] },
  }
  const { entries, contents, vanished, damaged } = manifest

  const add = (name: string, bytes: Uint8Array): Promise<string> => {
    signal.throwIfAborted()
    return writer.add({ name, size: bytes.length }, [bytes])
  }
  const addListed = async (name: string, bytes: Uint8Array, rows?: number): Promise<void> => {
    const sha256 = await add(name, bytes)
    entries.push({ name, size: bytes.length, sha256, ...(rows !== undefined && { rows }) })
  }
  /** False if the content no longer exists, or its checksum differs. */
  const addContent = async ({ key, size, sha256 }: ContentRow): Promise<boolean> => {
    const content = await blobs.read(key).catch((error: unknown) => {
      if (!isDamaged(error)) throw error
    })
    if (!content) return false
    return (await writer.add({ name: contentEntry(key), size }, readable(content, signal))) === sha256
  }

  // The snapshot is held only while the tables are read. The packed rows of contents, about 80 bytes each, stay in
  // memory, because not every place of an archive can be read back.
  const packedContents: Uint8Array[] = []
  await tables.snapshot(async snapshot => {
    manifest.schema = snapshot.schema
    for (const table of tables.tables) {
      rows[table] = 0
      let piece = 0
      for await (const { bytes, count } of packRows(snapshot.rows(table))) {
        await addListed(tableEntry(table, ++piece), bytes, count)
        rows[table] += count
        if (table === contentTable) packedContents.push(bytes)
      }
    }
  })
  const token = await readBootstrapToken()
  if (token) await addListed(bootstrapTokenEntry, token)
  for (const packed of packedContents)
    for await (const row of unpackRows([packed])) {
      signal.throwIfAborted()
      const content = contentRow(row)
      const { key } = content
      if (await addContent(content)) {
        contents.count++
        contents.bytes += content.size
      }
      // Rows are deleted before their content: a content without a row was deleted while the backup ran.
      else if ((await files.knownKeys([key])).has(key)) damaged.push(key)
      else vanished.push(key)
    }
  await add(manifestEntry, Buffer.from(printManifest(manifest)))
  await writer.end()
  await target.finish()
  return { place: target.place, bytes: writer.bytes, rows, contents, vanished, damaged }
}

/** Backs up a running server: the tables at one moment, then the files in them. A failure leaves nothing behind. */
export async function createBackup(
  parts: BackupParts,
  target: ArchiveTarget,
  signal: AbortSignal,
): Promise<BackupSummary> {
  try {
    return await writeBackup(parts, target, signal)
  } catch (error) {
    await target.discard()
    throw error
  }
}
