import { damagedArchive } from './backup-error.ts'
import type { Row } from './table-archive.ts'

/** The tables that a backup has to understand: where contents lie, and which files they belong to. */
export const contentTable = 'blobs'
export const fileTable = 'files'

/** Of the table `blobs`: one content, stored once for all equal files of a workspace. */
export interface ContentRow {
  key: string
  size: number
  sha256: string
}

/** What ties files to their content. */
export const contentId = (row: Row): string => `${row['workspace_id']}/${row['sha256']}`

export function contentRow({ key, size, sha256 }: Row): ContentRow {
  if (typeof key !== 'string' || typeof size !== 'number' || typeof sha256 !== 'string')
    throw damagedArchive(`a row of ${contentTable} in it has the wrong form`)
  return { key, size, sha256 }
}
