import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { BackupError } from '../../backup/archive-format.ts'
import type { ArchiveSource, ArchiveTarget } from '../../backup/archive-place.ts'
import { limits } from '../../contract/limits.ts'
import { type S3Settings, type S3Url, showS3Url } from '../../files/s3-url.ts'
import { S3Bucket } from './s3-bucket.ts'
import { openDownload } from './s3-download.ts'
import { unlessMissing } from './s3-failure.ts'
import { S3Upload } from './s3-upload.ts'

const open = async (url: S3Url, settings: S3Settings) => {
  const bucket = new S3Bucket(url.bucket, '', settings)
  const found = await unlessMissing(bucket.send(new HeadObjectCommand(bucket.object(url.path))))
  return { bucket, found }
}

/** The object appears when all its parts are there. */
export async function createS3Archive(url: S3Url, settings: S3Settings): Promise<ArchiveTarget> {
  const place = showS3Url(url)
  const { bucket, found } = await open(url, settings)
  if (found) throw new BackupError(`${place} already exists. Choose another name or remove it first.`)
  const upload = new S3Upload(bucket, url.path, limits.archivePartBytes)
  return {
    place,
    write: bytes => upload.add(bytes),
    finish: () => upload.finish(),
    discard: () => upload.abort(),
  }
}

export async function openS3Archive(url: S3Url, settings: S3Settings): Promise<ArchiveSource> {
  const { bucket, found } = await open(url, settings)
  if (!found) throw new BackupError(`There is no object ${showS3Url(url)}.`)
  return {
    size: found.ContentLength ?? 0,
    windowBytes: 4 << 20,
    read: async function* (start, size) {
      if (size > 0) yield* await openDownload(bucket, url.path, { start, end: start + size - 1 })
    },
    close: async () => {},
  }
}
