import { join } from 'node:path'
import { openDiskBlobStore } from '../adapters/blob/disk-blob-store.ts'
import type { Config } from '../config/config.ts'
import type { BlobStore } from '../files/blob-store.ts'
import { showS3Url } from '../files/s3-url.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'

export interface OpenedBlobStore {
  blobs: BlobStore
  /** Where it is, for messages. */
  place: string
}

/** The store at `blobUrl`, or else in DATA_DIR. */
export async function openBlobStore(
  { blobUrl, s3, dataDir }: Pick<Config, 'blobUrl' | 's3' | 'dataDir'>,
  clock: Clock = systemClock,
): Promise<OpenedBlobStore> {
  if (blobUrl) {
    // Loaded on demand, to keep the start without it fast.
    const { openS3BlobStore } = await import('../adapters/blob/s3-blob-store.ts')
    return { blobs: openS3BlobStore(blobUrl, s3, { clock }), place: showS3Url(blobUrl) }
  }
  const place = join(dataDir, 'files')
  return { blobs: await openDiskBlobStore(place, clock), place }
}
