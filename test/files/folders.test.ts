import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createFolderSyncs, createShardFolders } from '../../src/adapters/blob/disk-blob-store.ts'

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

describe('syncs of folders', () => {
  /** Syncs that wait to be settled, in their order. */
  const pending = () => {
    const calls: { folder: string; settle: PromiseWithResolvers<void> }[] = []
    const sync = createFolderSyncs(folder => {
      const settle = Promise.withResolvers<void>()
      calls.push({ folder, settle })
      return settle.promise
    })
    return { calls, sync }
  }

  it('share one that begins after their changes', async () => {
    const { calls, sync } = pending()
    const first = sync('a')
    const others = [sync('a'), sync('a'), sync('b')]
    assert.deepEqual(
      calls.map(({ folder }) => folder),
      ['a', 'b'],
    )
    calls[0]!.settle.resolve()
    await first
    while (calls.length < 3) await nextTurn()
    for (const { settle } of calls) settle.resolve()
    await Promise.all(others)
    assert.equal(calls.length, 3, 'two callers share the second sync of the folder')
  })

  it('fail for all who waited while one failed', async () => {
    const { calls, sync } = pending()
    const waiting = [sync('a'), sync('a'), sync('a')]
    calls[0]!.settle.reject(new Error('The disk is gone'))
    for (const each of await Promise.allSettled(waiting)) assert.equal(each.status, 'rejected')
    assert.equal(calls.length, 1)
    const again = sync('a')
    calls[1]!.settle.resolve()
    await again
  })
})
