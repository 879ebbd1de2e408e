import type { ArchiveReader, FoundEntry } from './archive-reader.ts'
import { damagedArchive } from './backup-error.ts'
import { type ContentRow, contentId, contentRow, contentTable } from './content-row.ts'
import {
  bootstrapTokenEntry,
  contentEntry,
  isContentEntry,
  isTableEntry,
  manifestEntry,
  tableEntry,
} from './entry-names.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { unpackRows } from './packed-rows.ts'
import type { Row } from './table-archive.ts'

/** Even a manifest that lists a million vanished contents is smaller. */
const maxManifestBytes = 64 << 20

/** An archive that was looked through: complete, with nothing in it that does not belong there. */
export interface ArchiveContents {
  manifest: Manifest
  rows(table: string): AsyncIterable<Row>
  /** Every content with its entry; `onLost` hears of those that the archive does not hold. */
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

/** Which entries there are. Whether they are the right ones, only the manifest at the end tells. */
async function look(archive: ArchiveReader): Promise<Found> {
  const named = new Map<string, FoundEntry>()
  let contentsAt: number | undefined
  for await (const entry of archive.entries()) {
    const isContent = isContentEntry(entry.name)
    if (!(isContent || isNamed(entry.name)) || named.has(entry.name) || named.has(manifestEntry))
      throw damagedArchive(`it holds ${JSON.stringify(entry.name)} where no backup does`)
    if (isContent) contentsAt ??= entry.start
    else named.set(entry.name, entry)
  }
  const manifest = named.get(manifestEntry)
  if (!manifest) throw damagedArchive('it has no manifest, so it is not complete')
  if (manifest.size > maxManifestBytes) throw damagedArchive('its manifest is damaged')
  named.delete(manifestEntry)
  return { named, contentsAt: contentsAt ?? manifest.start, manifest }
}

/** Contents are left out here: they are checked one by one, on their way into the store. */
async function verify(archive: ArchiveReader, found: Found, manifest: Manifest): Promise<void> {
  if (manifest.entries.length !== found.named.size) throw damagedArchive('its manifest names other entries')
  for (const { name, size, sha256 } of manifest.entries) {
    const entry = found.named.get(name)
    if (!entry || entry.size !== size) throw damagedArchive(`${name} in it is missing or damaged`)
    if ((await archive.sha256(entry)) !== sha256) throw damagedArchive(`${name} in it is damaged`)
  }
}

/** `schema` is the form of the tables that the rows are meant for. */
export async function openContents(archive: ArchiveReader, schema: string): Promise<ArchiveContents> {
  const found = await look(archive)
  const manifest = readManifest((await archive.bytes(found.manifest)).toString())
  if (manifest.schema !== schema)
    throw damagedArchive(
      `version ${manifest.program_version} made it, whose tables have another form (${manifest.schema}, here ${schema}); restore it with that version, then upgrade`,
    )
  await verify(archive, found, manifest)

  async function* rows(table: string): AsyncGenerator<Row> {
    const entry = found.named.get(tableEntry(table))
    if (!entry) throw damagedArchive(`it does not hold the table ${table}`)
    const expected = manifest.entries.find(({ name }) => name === entry.name)?.rows
    let count = 0
    for await (const row of unpackRows(archive.read(entry))) {
      count++
      yield row
    }
    if (count !== expected) throw damagedArchive(`it has ${count} rows of ${table} instead of ${expected}`)
  }

  /** The contents stand in the order of their rows, so both are read side by side. */
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
    if (last?.name !== manifestEntry) throw damagedArchive('it holds contents that no file has')
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
