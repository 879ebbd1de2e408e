import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import {
  BackupError,
  bootstrapTokenEntry,
  type ContentRow,
  contentEntry,
  contentId,
  contentRow,
  contentTable,
  damagedArchive,
  isContentEntry,
  isTableEntry,
  type Manifest,
  manifestEntry,
  readManifest,
  tableEntry,
  unpackRows,
} from './archive-format.ts'
import type { Row } from './table-archive.ts'
import { blockBytes, decodeHeader, paddingOf, readRange, type TarEntry } from './tar.ts'

export interface FoundEntry extends TarEntry {
  /** Where its header begins. */
  start: number
}

/** Random access to an archive. Names in it are never used as paths. */
export class ArchiveReader {
  readonly #file: FileHandle
  readonly #size: number

  private constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  static async open(path: string): Promise<ArchiveReader> {
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new BackupError(`There is no file ${path}.`) : error
    })
    const found = await file.stat()
    if (found.isFile()) return new ArchiveReader(file, found.size)
    await file.close()
    throw new BackupError(`${path} is not a file.`)
  }

  /** Goes from header to header, skipping contents, until the end mark. */
  async *entries(start = 0): AsyncGenerator<FoundEntry> {
    for (let at = start; ; ) {
      const entry = decodeHeader(await this.#header(at))
      if (!entry) return
      const next = at + blockBytes + entry.size + paddingOf(entry.size)
      if (next > this.#size) throw damagedArchive('it ends too early')
      yield { ...entry, start: at }
      at = next
    }
  }

  async #header(at: number): Promise<Buffer> {
    const block = Buffer.alloc(blockBytes)
    const { bytesRead } = await this.#file.read(block, 0, blockBytes, at)
    if (bytesRead < blockBytes) throw damagedArchive('it ends too early')
    return block
  }

  read({ start, size }: FoundEntry): AsyncIterable<Uint8Array> {
    return readRange(this.#file, start + blockBytes, size)
  }

  /** For small entries only. */
  bytes(entry: FoundEntry): Promise<Buffer> {
    return buffer(this.read(entry))
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** A manifest that lists a million vanished contents is smaller than this. */
const maxManifestBytes = 64 << 20

/** A verified archive: complete, and without unknown entries. */
export interface ArchiveContents {
  manifest: Manifest
  rows(table: string): AsyncIterable<Row>
  /** Every content with its entry; `onLost` is called for those that the archive does not contain. */
  contents(onLost: (id: string) => void): AsyncIterable<{ row: ContentRow; entry: FoundEntry }>
  bootstrapToken(): Promise<Buffer | undefined>
}

interface Found {
  named: Map<string, FoundEntry>
  /** Where the contents begin, or the manifest where there are none. */
  contentsAt: number
  manifest: FoundEntry
}

const isNamed = (name: string): boolean =>
  name === bootstrapTokenEntry || name === manifestEntry || isTableEntry(name)

/** Lists the entries; the manifest at the end decides whether they are complete. */
async function look(archive: ArchiveReader): Promise<Found> {
  const named = new Map<string, FoundEntry>()
  let contentsAt: number | undefined
  for await (const entry of archive.entries()) {
    const isContent = isContentEntry(entry.name)
    if (!(isContent || isNamed(entry.name)) || named.has(entry.name) || named.has(manifestEntry))
      throw damagedArchive(`it contains an unexpected entry ${JSON.stringify(entry.name)}`)
    if (isContent) contentsAt ??= entry.start
    else named.set(entry.name, entry)
  }
  const manifest = named.get(manifestEntry)
  if (!manifest) throw damagedArchive('it has no manifest, so it is incomplete')
  if (manifest.size > maxManifestBytes) throw damagedArchive('its manifest is damaged')
  named.delete(manifestEntry)
  return { named, contentsAt: contentsAt ?? manifest.start, manifest }
}

/** Contents are not verified here but one by one while they are written to the store. */
async function verify(archive: ArchiveReader, found: Found, manifest: Manifest): Promise<void> {
  if (manifest.entries.length !== found.named.size) throw damagedArchive('its manifest lists other entries')
  for (const { name, size, sha256 } of manifest.entries) {
    const entry = found.named.get(name)
    if (!entry || entry.size !== size) throw damagedArchive(`${name} in it is missing or damaged`)
    const hash = createHash('sha256')
    for await (const chunk of archive.read(entry)) hash.update(chunk)
    if (hash.digest('hex') !== sha256) throw damagedArchive(`${name} in it is damaged`)
  }
}

/** `schema` is the schema version of the tables that the rows are restored into. */
export async function openContents(archive: ArchiveReader, schema: string): Promise<ArchiveContents> {
  const found = await look(archive)
  const manifest = readManifest((await archive.bytes(found.manifest)).toString())
  if (manifest.schema !== schema)
    throw damagedArchive(
      `it was created by version ${manifest.program_version} with another schema (${manifest.schema}, here ${schema}); restore it with that version, then upgrade`,
    )
  await verify(archive, found, manifest)

  async function* rows(table: string): AsyncGenerator<Row> {
    const entry = found.named.get(tableEntry(table))
    if (!entry) throw damagedArchive(`it does not contain the table ${table}`)
    const expected = manifest.entries.find(({ name }) => name === entry.name)?.rows
    let count = 0
    for await (const row of unpackRows(archive.read(entry))) {
      count++
      yield row
    }
    if (count !== expected) throw damagedArchive(`it has ${count} rows of ${table} instead of ${expected}`)
  }

  /** Contents are in the order of their rows, so both are read in step. */
  async function* contents(
    onLost: (id: string) => void,
  ): AsyncGenerator<{ row: ContentRow; entry: FoundEntry }> {
    const lost = new Set([...manifest.vanished, ...manifest.damaged])
    const entries = archive.entries(found.contentsAt)
    for await (const anyRow of rows(contentTable)) {
      const row = contentRow(anyRow)
      if (lost.has(row.key)) {
        onLost(contentId(anyRow))
        continue
      }
      const { value: entry } = await entries.next()
      if (entry?.name !== contentEntry(row.key) || entry.size !== row.size)
        throw damagedArchive(`the content ${row.key} is missing`)
      yield { row, entry }
    }
    const { value: last } = await entries.next()
    if (last?.name !== manifestEntry) throw damagedArchive('it contains contents that belong to no file')
  }

  return {
    manifest,
    rows,
    contents,
    bootstrapToken: async () => {
      const entry = found.named.get(bootstrapTokenEntry)
      return entry && archive.bytes(entry)
    },
  }
}
