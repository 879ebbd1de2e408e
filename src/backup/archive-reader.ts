import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import {
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
import type { ArchiveSource } from './archive-place.ts'
import type { Row } from './table-archive.ts'
import { blockBytes, decodeHeader, paddingOf, type TarEntry } from './tar.ts'

interface FoundEntry extends TarEntry {
  start: number
}

/** A manifest that lists a million vanished contents is smaller than this. */
const maxManifestBytes = 64 << 20

const isNamed = (name: string): boolean =>
  name === bootstrapTokenEntry || name === manifestEntry || isTableEntry(name)

/** Random access to an archive, which is verified first. Names in it are never used as paths. */
export class ArchiveReader {
  readonly #source: ArchiveSource
  /** The entries that the manifest lists. */
  readonly #named = new Map<string, FoundEntry>()
  /** Where the contents begin, or the manifest where there are none. */
  #contentsAt: number | undefined
  /** What was read last when looking for headers. */
  #window = { start: 0, bytes: Buffer.alloc(0) }
  manifest!: Manifest

  constructor(source: ArchiveSource) {
    this.#source = source
  }

  /** Checks that the archive is complete and has this schema. Contents are verified while they are written. */
  async verify(schema: string): Promise<void> {
    const found = await this.#listEntries()
    this.manifest = readManifest((await buffer(this.read(found))).toString())
    const { program_version: version, entries, schema: archived } = this.manifest
    if (archived !== schema)
      throw damagedArchive(
        `it was created by version ${version} with another schema (${archived}, here ${schema}); restore it with that version, then upgrade`,
      )
    if (entries.length !== this.#named.size) throw damagedArchive('its manifest lists other entries')
    for (const { name, size, sha256 } of entries) {
      const entry = this.#named.get(name)
      if (!entry || entry.size !== size) throw damagedArchive(`${name} in it is missing or damaged`)
      const hash = createHash('sha256')
      for await (const chunk of this.read(entry)) hash.update(chunk)
      if (hash.digest('hex') !== sha256) throw damagedArchive(`${name} in it is damaged`)
    }
  }

  /** Returns the manifest, which is the last entry. */
  async #listEntries(): Promise<FoundEntry> {
    let manifest: FoundEntry | undefined
    for await (const entry of this.#entries()) {
      const isContent = isContentEntry(entry.name)
      if (!(isContent || isNamed(entry.name)) || this.#named.has(entry.name) || manifest)
        throw damagedArchive(`it contains an unexpected entry ${JSON.stringify(entry.name)}`)
      if (isContent) this.#contentsAt ??= entry.start
      else if (entry.name === manifestEntry) manifest = entry
      else this.#named.set(entry.name, entry)
    }
    if (!manifest) throw damagedArchive('it has no manifest, so it is incomplete')
    if (manifest.size > maxManifestBytes) throw damagedArchive('its manifest is damaged')
    this.#contentsAt ??= manifest.start
    return manifest
  }

  /** Goes from header to header, skipping contents, until the end mark. */
  async *#entries(start = 0): AsyncGenerator<FoundEntry> {
    for (let at = start; ; ) {
      const entry = decodeHeader(await this.#header(at))
      if (!entry) return
      const next = at + blockBytes + entry.size + paddingOf(entry.size)
      if (next > this.#source.size) throw damagedArchive('it ends too early')
      yield { ...entry, start: at }
      at = next
    }
  }

  async #header(at: number): Promise<Buffer> {
    const { size, windowBytes } = this.#source
    if (at + blockBytes > size) throw damagedArchive('it ends too early')
    const { start, bytes } = this.#window
    if (at < start || at + blockBytes > start + bytes.length)
      this.#window = {
        start: at,
        bytes: await buffer(this.#source.read(at, Math.min(windowBytes, size - at))),
      }
    const offset = at - this.#window.start
    return this.#window.bytes.subarray(offset, offset + blockBytes)
  }

  read({ start, size }: FoundEntry): AsyncIterable<Uint8Array> {
    return this.#source.read(start + blockBytes, size)
  }

  async bootstrapToken(): Promise<Buffer | undefined> {
    const entry = this.#named.get(bootstrapTokenEntry)
    return entry && buffer(this.read(entry))
  }

  async *rows(table: string): AsyncGenerator<Row> {
    for (let piece = 1; ; piece++) {
      const entry = this.#named.get(tableEntry(table, piece))
      if (!entry && piece === 1) throw damagedArchive(`it does not contain the table ${table}`)
      if (!entry) return
      yield* this.#rowsIn(entry)
    }
  }

  async *#rowsIn(entry: FoundEntry): AsyncGenerator<Row> {
    const expected = this.manifest.entries.find(({ name }) => name === entry.name)?.rows
    let count = 0
    for await (const row of unpackRows(this.read(entry))) {
      count++
      yield row
    }
    if (count !== expected)
      throw damagedArchive(`it has ${count} rows in ${entry.name} instead of ${expected}`)
  }

  /** The contents with their rows, which have the same order. `onLost` is called for contents that were lost. */
  async *contents(onLost: (id: string) => void): AsyncGenerator<{ row: ContentRow; entry: FoundEntry }> {
    const lost = new Set([...this.manifest.vanished, ...this.manifest.damaged])
    const entries = this.#entries(this.#contentsAt)
    let { value: entry } = await entries.next()
    for await (const anyRow of this.rows(contentTable)) {
      const row = contentRow(anyRow)
      const found = entry?.name === contentEntry(row.key) ? entry : undefined
      if (found) ({ value: entry } = await entries.next())
      if (lost.has(row.key)) onLost(contentId(anyRow))
      else if (found?.size === row.size) yield { row, entry: found }
      else throw damagedArchive(`the content ${row.key} is missing`)
    }
    if (entry?.name !== manifestEntry) throw damagedArchive('it contains contents that belong to no file')
  }
}
