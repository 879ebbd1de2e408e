import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createShardFolders } from '../../src/adapters/blob/disk-blob-store.ts'

describe('shard folders', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'banyan-shards-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('creates a folder once for all concurrent callers', async () => {
    const shards = createShardFolders()
    const path = join(folder, 'ab')
    assert.equal(shards.ready(path), shards.ready(path))
    await shards.ready(path)
    assert.ok((await stat(path)).isDirectory())
  })

  it('accepts an existing folder', async () => {
    await mkdir(join(folder, 'ab'))
    await createShardFolders().ready(join(folder, 'ab'))
  })

  it('creates it again after it was forgotten', async () => {
    const shards = createShardFolders()
    const path = join(folder, 'ab')
    await shards.ready(path)
    await rm(path, { recursive: true })
    shards.forget(path)
    await shards.ready(path)
    assert.ok((await stat(path)).isDirectory())
  })

  it('does not cache a failure', async () => {
    const shards = createShardFolders()
    const path = join(folder, 'blobs', 'ab')
    await assert.rejects(shards.ready(path), { code: 'ENOENT' })
    await mkdir(join(folder, 'blobs'))
    await shards.ready(path)
  })
})
