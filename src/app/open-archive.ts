import { createArchiveFile, openArchiveFile } from '../backup/archive-file.ts'
import { BackupError } from '../backup/archive-format.ts'
import type { ArchiveSource, ArchiveTarget } from '../backup/archive-place.ts'
import { parseS3Url, type S3Settings, type S3Url } from '../files/s3-url.ts'

/** Undefined: a file. */
function urlOf(place: string): S3Url | undefined {
  if (!place.startsWith('s3://')) return undefined
  const url = parseS3Url(place)
  if (!url?.path) throw new BackupError(`${place} is no archive: write s3://bucket/path/to/archive.tar.`)
  return url
}

// Loaded on demand, as in open-blob-store.ts.
const s3Archives = () => import('../adapters/blob/s3-archive.ts')

/** A new archive in a file, or at `s3://bucket/path`. */
export async function createArchive(place: string, s3: S3Settings): Promise<ArchiveTarget> {
  const url = urlOf(place)
  return url ? (await s3Archives()).createS3Archive(url, s3) : createArchiveFile(place)
}

export async function openArchive(place: string, s3: S3Settings): Promise<ArchiveSource> {
  const url = urlOf(place)
  return url ? (await s3Archives()).openS3Archive(url, s3) : openArchiveFile(place)
}
