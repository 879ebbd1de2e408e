import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDiskBlobStore } from '../../src/adapters/blob/disk-blob-store.ts'
import { openS3BlobStore } from '../../src/adapters/blob/s3-blob-store.ts'
import { createTestBucket, skipWithoutS3 } from '../support/test-bucket.ts'
import { blobStoreSuite } from './blob-store.ts'

blobStoreSuite('disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-blobs-'))
  return {
    store: await openDiskBlobStore(folder),
    cleanup: () => rm(folder, { recursive: true, force: true }),
  }
})

blobStoreSuite(
  'S3',
  async () => {
    const { place, settings } = await createTestBucket()
    return { store: openS3BlobStore(place, settings), cleanup: async () => {} }
  },
  skipWithoutS3,
)
