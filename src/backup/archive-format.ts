import { hash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import type { Row } from './table-archive.ts'

/** A backup or restore that cannot be done; the message is shown to the user as it is. */
export class BackupError extends Error {}

export const damagedArchive = (reason: string): BackupError =>
  new BackupError(`The archive cannot be restored: ${reason}. Nothing was changed.`)

/** The names of an archive's entries, in their order in the archive. */
export const tableEntry = (table: string, piece: number): string => `tables/${table}.${piece}.jsonl.gz`
export const bootstrapTokenEntry = 'bootstrap-token'
export const contentEntry = (key: string): string => `blobs/${key}`
/** The last one: an archive that has it is complete. */
export const manifestEntry = 'manifest.json'

export const isContentEntry = (name: string): boolean => /^blobs\/[A-Za-z0-9_-]{1,90}$/.test(name)

export const isTableEntry = (name: string): boolean => /^tables\/[a-z_]{1,60}\.\d{1,7}\.jsonl\.gz$/.test(name)

/** The tables that a backup must understand: the keys of stored contents and the files they belong to. */
export const contentTable = 'blobs'
export const fileTable = 'files'

/** A row of `blobs`: one content, stored once for all equal files of a workspace. */
export interface ContentRow {
  key: string
  size: number
  sha256: string
}

export const contentId = (row: Row): string => `${row['workspace_id']}/${row['sha256']}`

export function contentRow({ key, size, sha256 }: Row): ContentRow {
  if (typeof key !== 'string' || typeof size !== 'number' || typeof sha256 !== 'string')
    throw damagedArchive(`a row of ${contentTable} in it has the wrong form`)
  return { key, size, sha256 }
}

/** The version of the archive format; it changes when older versions cannot read the archive. */
export const formatVersion = 2

export interface Manifest {
  format: 'banyan-backup'
  format_version: number
  program_version: string
  schema: string
  created_at: string
  /** All entries but contents of files, whose size and checksum are in the rows of `blobs`: no list of them is kept. */
  entries: { name: string; size: number; sha256: string; rows?: number }[]
  contents: { count: number; bytes: number }
  /** Keys of contents that were deleted while the backup ran; neither they nor their files are restored. */
  vanished: string[]
  /** Keys of contents that were lost or damaged before the backup; what is left of them is not restored either. */
  damaged: string[]
}

const checksumOf = (manifest: unknown): string => hash('sha256', JSON.stringify(manifest))

export const printManifest = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`

/** Checks what the code relies on; the checksum shows that the text is unchanged. */
export function readManifest(text: string): Manifest {
  let parsed: Manifest & { checksum: string }
  try {
    parsed = JSON.parse(text)
  } catch {
    throw damagedArchive('its manifest is damaged')
  }
  const { checksum, ...manifest } = parsed
  const { format, format_version, entries, vanished, damaged, contents } = manifest
  if (checksum !== checksumOf(manifest)) throw damagedArchive('its manifest is damaged')
  if (format !== 'banyan-backup') throw damagedArchive('it is not a Banyan backup')
  if (format_version !== formatVersion)
    throw damagedArchive(
      `it has format version ${format_version}, and this program reads only version ${formatVersion}`,
    )
  if (![entries, vanished, damaged].every(Array.isArray) || typeof contents !== 'object')
    throw damagedArchive('its manifest is damaged')
  return manifest
}

const pieceCharacters = 4 << 20
/** Far longer than any row; the largest part of a row is a graph. */
const maxLineCharacters = 64 << 20

const compress = promisify(gzip)

interface PackedRows {
  bytes: Uint8Array
  count: number
}

/** Level 1: twice as fast as the default level for slightly more space. */
const packed = async (lines: string, count: number): Promise<PackedRows> => ({
  bytes: await compress(lines, { level: 1 }),
  count,
})

/** Rows as JSON lines, in pieces that fit into memory: the header of an entry comes first and has its size. */
export async function* packRows(rows: AsyncIterable<Row>): AsyncGenerator<PackedRows> {
  let lines = ''
  let count = 0
  /** Compressed in another thread while the rows of the next piece are read. */
  let previous: Promise<PackedRows> | undefined
  for await (const row of rows) {
    lines += `${JSON.stringify(row)}\n`
    count++
    if (lines.length < pieceCharacters) continue
    const current = packed(lines, count)
    if (previous) yield previous
    previous = current
    lines = ''
    count = 0
  }
  if (previous) yield previous
  yield packed(lines, count)
}

/** Only a newline ends a line: text may contain other line separators. */
export async function* unpackRows(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Row> {
  const unpacked = pipeline(Readable.from(content), createGunzip(), () => {}).setEncoding('utf8')
  let rest = ''
  for await (const text of unpacked as AsyncIterable<string>) {
    rest += text
    if (rest.length > maxLineCharacters) throw damagedArchive('a row in it is too long')
    // A long line is not searched again with every piece of it.
    if (!text.includes('\n')) continue
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines) yield JSON.parse(line) as Row
  }
  if (rest !== '') throw damagedArchive('a table in it ends too early')
}
