import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { AmbientDatabase } from '../../src/database/ambient-database.ts'
import { sql } from '../../src/database/sql.ts'
import { IdempotencyStore } from '../../src/idempotency/idempotency-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const scope = (key: string) => ({ workspaceId: 'w', tokenId: 't', key })
const request = { fingerprint: 'print', at: 100 }

describe('idempotency store', () => {
  let opened: TestDatabase
  let database: AmbientDatabase
  let store: IdempotencyStore
  before(async () => {
    opened = await openTestDatabase()
    database = new AmbientDatabase(opened.database)
    store = new IdempotencyStore(database)
  })
  after(() => opened.cleanup())

  const write = (id: string, in_ = database) =>
    in_.transaction(transaction =>
      transaction.run(sql`INSERT INTO workspaces (id, name, created_at) VALUES (${id}, ${id}, 1)`),
    )
  const isThere = async (id: string) =>
    (await opened.database.get(sql`SELECT id FROM workspaces WHERE id = ${id}`)) !== undefined

  test('stores the work and its answer together, once, for requests of two processes', async () => {
    const other = new AmbientDatabase(await opened.openAgain())
    const stores = [store, new IdempotencyStore(other)]
    let written = 0
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        stores[at % 2]!.store(scope('once'), request, async () => {
          await write(`once-${at}`, at % 2 ? other : database)
          written++
          return `answer of ${at}`
        }),
      ),
    )
    const winners = answers.filter(answer => answer !== undefined)
    assert.equal(winners.length, 1)
    assert.equal(written, 1, 'no other request wrote anything')
    assert.deepEqual(await store.find(scope('once')), { fingerprint: 'print', answer: winners[0] })
    const there = await Promise.all(answers.map((_, at) => isThere(`once-${at}`)))
    assert.deepEqual(
      there,
      answers.map(answer => answer !== undefined),
    )
  })

  test('stores neither if the work fails, at whatever point', async () => {
    const failing = async (): Promise<string> => {
      await write('half')
      assert.ok(
        await database.get(sql`SELECT id FROM workspaces WHERE id = ${'half'}`),
        'it sees its own write',
      )
      await write('half again')
      throw new Error('failed after its writes')
    }
    await assert.rejects(store.store(scope('half'), request, failing), /failed after its writes/)
    assert.deepEqual([await isThere('half'), await isThere('half again')], [false, false])
    assert.equal(await store.find(scope('half')), undefined)
    await store.store(scope('half'), request, async () => {
      await write('half')
      return 'second attempt'
    })
    assert.equal((await store.find(scope('half')))?.answer, 'second attempt')
  })

  test('stores nothing of work that ignored a failed write', async () => {
    const careless = async (): Promise<string> => {
      await write('first')
      await write('first').catch(() => {})
      return 'done'
    }
    await assert.rejects(store.store(scope('careless'), request, careless))
    assert.equal(await isThere('first'), false)
  })

  test('stores the answer of work that writes nothing', async () => {
    assert.equal(await store.store(scope('idle'), request, async () => 'nothing to do'), 'nothing to do')
    assert.equal((await store.find(scope('idle')))?.answer, 'nothing to do')
  })

  test('runs later work of the same context on its own', async () => {
    let later: Promise<unknown> | undefined
    let committed = false
    await store.store(scope('later'), request, async () => {
      await write('now')
      database.whenCommitted(() => {
        committed = true
      })
      assert.equal(committed, false)
      later = turn().then(() => turn().then(() => write('later')))
      return 'done'
    })
    assert.equal(committed, true)
    await later
    assert.ok(await isThere('later'))
  })

  test('separates keys by token, and deletes old ones', async () => {
    const keep = (at: number, tokenId = 't') =>
      store.store({ ...scope('k'), tokenId }, { ...request, at }, async () => `at ${at}`)
    assert.equal(await keep(100), 'at 100')
    assert.equal(await keep(500, 'u'), 'at 500')
    await store.removeBefore(400)
    assert.equal(await keep(600), 'at 600')
    assert.equal(await keep(600, 'u'), undefined)
  })
})
