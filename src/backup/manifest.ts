import { hash } from 'node:crypto'
import { damagedArchive } from './backup-error.ts'

/** Of the archive's own form. It changes when an older program could not read the archive. */
export const formatVersion = 1

export interface Manifest {
  format: 'banyan-backup'
  format_version: number
  program_version: string
  /** The form of the tables. */
  schema: string
  created_at: string
  /**
   * Every entry but the contents of files: of those the rows of the table `blobs` have the size and the
   * checksum already, so that neither writing nor reading an archive keeps a list of them.
   */
  entries: { name: string; size: number; sha256: string; rows?: number }[]
  contents: { count: number; bytes: number }
  /** Keys of contents that were deleted while the backup ran: they are not in the archive, nor are their files restored. */
  vanished: string[]
  /** Keys of contents that were lost or damaged before the backup; the same holds for them. */
  damaged: string[]
}

/** As far as the code relies on it; the checksum has shown already that it is what was written. */
const isManifest = (manifest: Record<string, unknown>): boolean =>
  [manifest['entries'], manifest['vanished'], manifest['damaged']].every(Array.isArray) &&
  typeof manifest['contents'] === 'object'

const checksumOf = (manifest: unknown): string => hash('sha256', JSON.stringify(manifest))

export const printManifest = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw damagedArchive('its manifest is damaged')
  }
}

export function readManifest(text: string): Manifest {
  const { checksum, ...manifest } = parse(text)
  if (checksum !== checksumOf(manifest)) throw damagedArchive('its manifest is damaged')
  if (manifest['format'] !== 'banyan-backup') throw damagedArchive('it is no backup of Banyan')
  if (manifest['format_version'] !== formatVersion)
    throw damagedArchive(
      `it has the format version ${manifest['format_version']}, and this program (which knows version ${formatVersion}) cannot read that`,
    )
  if (!isManifest(manifest)) throw damagedArchive('its manifest is damaged')
  return manifest as unknown as Manifest
}
