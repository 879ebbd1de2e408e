import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { IdempotencyStore } from '../../src/idempotency/idempotency-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const scope = (key: string) => ({ workspaceId: 'w', tokenId: 't', key })

describe('idempotency store', () => {
  let opened: TestDatabase
  let store: IdempotencyStore
  before(async () => {
    opened = await openTestDatabase()
    store = new IdempotencyStore(opened.database)
  })
  after(() => opened.cleanup())

  test('grants a key to one of two processes', async () => {
    const other = new IdempotencyStore(await opened.openAgain())
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? store : other).claim(scope('once'), 'print', 100, 0)),
    )
    assert.equal(claims.filter(({ state }) => state === 'claimed').length, 1)
    assert.ok(claims.every(claim => claim.state === 'claimed' || claim.state === 'running'))
  })

  test('returns the response of a completed key, and frees a released one', async () => {
    await store.claim(scope('done'), 'print', 100, 0)
    await store.complete(scope('done'), 100, 'answer')
    assert.deepEqual(await store.claim(scope('done'), 'other', 100, 0), {
      state: 'done',
      fingerprint: 'print',
      answer: 'answer',
    })
    await store.release(scope('done'), 100)
    assert.equal((await store.claim(scope('done'), 'print', 100, 0)).state, 'done')
    await store.claim(scope('free'), 'print', 100, 0)
    await store.release(scope('free'), 100)
    assert.deepEqual(await store.claim(scope('free'), 'print', 100, 0), { state: 'claimed' })
  })

  test('transfers the claim of a crashed process, but never a completed one', async () => {
    await store.claim(scope('dead'), 'print', 100, 0)
    assert.equal((await store.claim(scope('dead'), 'print', 200, 100)).state, 'running')
    assert.equal((await store.claim(scope('dead'), 'new', 300, 101)).state, 'claimed')
    await store.complete(scope('dead'), 100, 'from the dead')
    await store.release(scope('dead'), 100)
    assert.equal(
      (await store.claim(scope('dead'), 'new', 310, 101)).state,
      'running',
      'the previous holder has lost the claim',
    )
    await store.complete(scope('dead'), 300, 'answer')
    assert.equal((await store.claim(scope('dead'), 'new', 999, 998)).state, 'done')
  })

  test('separates keys by token, and deletes old ones', async () => {
    await store.claim(scope('k'), 'print', 100, 0)
    assert.deepEqual(await store.claim({ ...scope('k'), tokenId: 'u' }, 'x', 500, 0), { state: 'claimed' })
    await store.removeBefore(400)
    assert.deepEqual(await store.claim(scope('k'), 'y', 500, 0), { state: 'claimed' })
    assert.equal((await store.claim({ ...scope('k'), tokenId: 'u' }, 'x', 500, 0)).state, 'running')
  })
})
