import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDiskBlobStore } from '../../src/adapters/blob/disk-blob-store.ts'
import { blobStoreSuite } from './blob-store.ts'

blobStoreSuite('disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-blobs-'))
  return {
    store: await openDiskBlobStore(folder),
    cleanup: () => rm(folder, { recursive: true, force: true }),
  }
})
