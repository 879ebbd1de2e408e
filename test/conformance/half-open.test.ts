import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PostgresDatabase } from '../../src/adapters/sql/postgres-database.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])

describe('a pool', { skip: !isPostgres && 'needs PostgreSQL: run with --postgres' }, () => {
  let fresh: FreshDatabase
  let proxy: TcpProxy
  let database: PostgresDatabase
  before(async () => {
    fresh = await freshDatabase()
    const url = new URL(fresh.url!)
    proxy = new TcpProxy(fresh.url!)
    url.host = new URL(await proxy.open()).host
    const sizes = { poolSize: 3, waitMilliseconds: 1000, statementMilliseconds: 1000, idleMilliseconds: 4000 }
    database = new PostgresDatabase(url.href, sizes)
  })
  after(async () => {
    await database.close()
    await proxy.close()
    await fresh.drop()
  })

  const sleepOnAll = () =>
    Promise.all([1, 2, 3].map(() => database.get('SELECT pg_sleep(0.2), pg_backend_pid() AS pid')))

  test('replaces all its connections when one of them gets no answer', async () => {
    await sleepOnAll()
    assert.deepEqual(database.pool(), { size: 3, idle: 3, waiting: 0 })
    proxy.halfOpen()
    await assert.rejects(
      database.transaction(transaction => transaction.get('SELECT 1 AS one')),
      { reason: 'unavailable' },
    )
    await sleepOnAll()
    assert.equal(database.pool().size, 3)
  })

  test('reports that all connections are in use', async () => {
    const gate = Promise.withResolvers<void>()
    const holding = [1, 2, 3].map(() => database.transaction(() => gate.promise))
    for (const query of [() => database.get('SELECT 1 AS one'), () => database.transaction(async () => {})])
      await assert.rejects(query, { reason: 'unavailable', message: /All connections .* DATABASE_POOL_SIZE/ })
    gate.resolve()
    await Promise.all(holding)
    assert.deepEqual(await database.get('SELECT 1 AS one'), { one: 1 })
  })

  test('leaves maintenance at once when the server stops, whatever its statement does', {
    timeout: 20_000,
  }, async () => {
    const stopping = new AbortController()
    const isRunning = "SELECT 1 AS one FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'"
    const maintaining = database.maintain(
      42,
      async session => void (await session.run('SELECT pg_sleep(60)')),
      stopping.signal,
    )
    while (!(await database.get(isRunning))) await sleep(10)
    stopping.abort(new Error('stopping'))
    await assert.rejects(maintaining, /stopping/)
  })

  test('survives connections that are lost in the middle of a query', async () => {
    const asked = [1, 2, 3].map(() => database.get('SELECT pg_sleep(0.5) AS slept'))
    const answers = Promise.allSettled(asked)
    await sleep(100)
    proxy.set('refuse')
    for (const answer of await answers)
      assert.equal(answer.status === 'rejected' && answer.reason.reason, 'unavailable')
    proxy.set('pass')
    assert.deepEqual(await database.get('SELECT 1 AS one'), { one: 1 })
  })

  test('releases the locks of a transaction that is idle for too long', async () => {
    await database.transaction(transaction => transaction.run('CREATE TABLE rows (id INT)'))
    await database.transaction(transaction => transaction.run('INSERT INTO rows VALUES (1)'))
    const gate = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const stalled = database.transaction(async transaction => {
      await transaction.run('UPDATE rows SET id = 2')
      locked.resolve()
      await gate.promise
    })
    stalled.catch(() => {})
    await locked.promise
    for (;;) {
      const updated = database.transaction(transaction => transaction.run('UPDATE rows SET id = 3'))
      if (await updated.catch(() => undefined)) break
    }
    gate.resolve()
    await assert.rejects(stalled, { reason: 'unavailable' })
    assert.deepEqual(await database.get('SELECT id FROM rows'), { id: 3 })
  })
})
