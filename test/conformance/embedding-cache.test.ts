import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EmbeddingCache } from '../../src/knowledge/embedding-cache.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const day = 86_400_000

describe('embedding cache', () => {
  let opened: TestDatabase
  let cache: EmbeddingCache
  before(async () => {
    opened = await openTestDatabase()
    cache = new EmbeddingCache(opened.database)
  })
  after(() => opened.cleanup())

  const keep = (workspaceId: string, model: string, hashes: string[], now: number): Promise<void> =>
    cache.keep(workspaceId, model, new Map(hashes.map(hash => [hash, Float32Array.of(1, 0)])), now)

  const known = async (workspaceId: string, hashes: string[], now: number, model = 'm'): Promise<string[]> =>
    [...(await cache.find(workspaceId, model, hashes, now)).keys()].sort()

  test('returns vectors bit for bit, also views of a larger buffer', async () => {
    const large = Float32Array.of(9, 0.1, -0.25, 1e-30, Number.MIN_VALUE, 3.4e38, 9)
    const vector = large.subarray(1, 6)
    await cache.keep('w', 'm', new Map([['h', vector]]), 1)
    assert.deepEqual((await cache.find('w', 'm', ['h'], 1)).get('h'), Float32Array.from(vector))
  })

  test('separates workspaces, models and hashes', async () => {
    await keep('mine', 'm', ['a', 'b'], 1)
    assert.deepEqual(await known('mine', ['a', 'b', 'c'], 1), ['a', 'b'])
    assert.deepEqual(await known('mine', [], 1), [])
    assert.deepEqual(await known('theirs', ['a'], 1), [])
    assert.deepEqual(await known('mine', ['a'], 1, 'other'), [])
    await cache.keep('theirs', 'm', new Map([['a', Float32Array.of(0, 1)]]), 1)
    assert.deepEqual((await cache.find('mine', 'm', ['a'], 1)).get('a'), Float32Array.of(1, 0))
  })

  test('looks up and stores many entries per call', async () => {
    const hashes = Array.from({ length: 700 }, (_, index) => `many${String(index).padStart(4, '0')}`)
    await keep('w', 'm', hashes, 1)
    assert.deepEqual(await known('w', [...hashes, 'none'], 1), hashes)
  })

  test('returns the newest vector of a text', async () => {
    await keep('again', 'm', ['h'], 1)
    await cache.keep('again', 'm', new Map([['h', Float32Array.of(0, 1)]]), 2)
    assert.deepEqual((await cache.find('again', 'm', ['h'], 2)).get('h'), Float32Array.of(0, 1))
  })

  test('deletes only entries that were unused for a long time, in bounded steps', async () => {
    const old = Array.from({ length: 1100 }, (_, index) => `old${index}`)
    const start = 100 * day
    await keep('time', 'm', old, start)
    await keep('time', 'm', ['young'], start + 20 * day)
    await keep('time', 'm', ['used'], start)
    // The last use is recorded at most once a day.
    assert.deepEqual(await known('time', ['used'], start + 10 * day), ['used'])
    let steps = 0
    let left = 1101
    while (await cache.forget(start + 5 * day)) {
      steps++
      const rows = await opened.database.get<{ total: number }>(
        "SELECT COUNT(*) AS total FROM embeddings WHERE workspace_id = 'time'",
      )
      assert.ok(left + 1 - rows!.total <= 500, 'a step is bounded')
      left = rows!.total - 1
    }
    assert.ok(steps >= 3)
    assert.deepEqual(await known('time', [...old, 'young', 'used'], start + 20 * day), ['used', 'young'])
    assert.equal(await cache.forget(start + 5 * day), false)
  })

  test('does not write on a lookup shortly after storing', async () => {
    await keep('quiet', 'm', ['h'], 50 * day)
    await known('quiet', ['h'], 50.5 * day)
    const row = await opened.database.get<{ used_at: number }>(
      "SELECT used_at FROM embeddings WHERE workspace_id = 'quiet'",
    )
    assert.equal(row?.used_at, 50 * day)
    await known('quiet', ['h'], 52 * day)
    const later = await opened.database.get<{ used_at: number }>(
      "SELECT used_at FROM embeddings WHERE workspace_id = 'quiet'",
    )
    assert.equal(later?.used_at, 52 * day)
  })

  test('does not block on concurrent writes and lookups of the same entries', async () => {
    const other = new EmbeddingCache(await opened.openAgain())
    const hashes = Array.from({ length: 40 }, (_, index) => `both${index}`)
    const vectors = new Map(hashes.map(hash => [hash, Float32Array.of(1, 0)]))
    const backwards = new Map([...vectors].reverse())
    for (let round = 0; round < 5; round++)
      await Promise.all([
        cache.keep('both', 'm', vectors, round * 10 * day),
        other.keep('both', 'm', backwards, round * 10 * day),
        other.find('both', 'm', hashes, (round * 10 + 5) * day),
        cache.find('both', 'm', hashes.toReversed(), (round * 10 + 5) * day),
      ])
    assert.equal((await known('both', hashes, 0)).length, 40)
  })
})
