import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { AmbientDatabase } from '../../src/database/ambient-database.ts'
import type { Database, Transaction } from '../../src/database/database.ts'
import { sql } from '../../src/database/sql.ts'
import { as, text } from '../../src/database/table.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const insert = 'INSERT INTO workspaces (id, name, created_at) VALUES (?, ?, ?)'
const slowQuery = (rows: number): string =>
  `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${rows})
   SELECT COUNT(*) AS total FROM n`
const count = async (database: Database): Promise<number> =>
  (await database.get<{ total: number }>('SELECT COUNT(*) AS total FROM workspaces'))!.total

describe('database', () => {
  let opened: TestDatabase
  let database: Database
  before(async () => {
    opened = await openTestDatabase()
    database = opened.database
  })
  after(() => opened.cleanup())

  test('rolls back a failed transaction and keeps the others of its group', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        database.transaction(async transaction => {
          await transaction.run(insert, `group_${at}`, `group_${at}`, at)
          if (at % 2 === 1) throw new Error(`no ${at}`)
          return at
        }),
      ),
    )
    assert.deepEqual(
      results.map(result => result.status),
      Array.from({ length: 20 }, (_, at) => (at % 2 === 1 ? 'rejected' : 'fulfilled')),
    )
    const rows = await database.all<{ id: string }>(`SELECT id FROM workspaces WHERE id LIKE 'group%'`)
    assert.deepEqual(
      rows.map(row => row.id).sort(),
      Array.from({ length: 10 }, (_, at) => `group_${at * 2}`).sort(),
    )
  })

  test('shows an acknowledged write to every later read in the background', async () => {
    const query = "SELECT COUNT(*) AS total FROM workspaces WHERE id LIKE 'back%'"
    for (let at = 0; at < 10; at++) {
      await database.transaction(transaction => transaction.run(insert, `back_${at}`, `back_${at}`, at))
      const row = await database.background('w').get<{ total: number }>(query)
      assert.equal(row?.total, at + 1)
    }
    await assert.rejects(database.background('w').all('SELECT * FROM absent'), /absent/)
  })

  test('does not let a background read of one tenant wait for all reads of another one', async context => {
    if (database.dialect === 'postgres') return context.skip('PostgreSQL has a pool of connections')
    const slow = slowQuery(300_000)
    let ended = 0
    const busy = Array.from({ length: 20 }, () =>
      database
        .background('busy')
        .all(slow)
        .then(() => ended++),
    )
    await database.background('other').all('SELECT 1')
    assert.ok(ended < 20, 'the other tenant waited for all of them')
    await Promise.all(busy)
  })

  test('shows an acknowledged write to every later read, also through another connection', async () => {
    const other = await opened.openAgain()
    for (let at = 0; at < 20; at++) {
      assert.equal(await database.get('SELECT name FROM workspaces WHERE id = ?', `seen_${at}`), undefined)
      assert.equal(await other.get('SELECT name FROM workspaces WHERE id = ?', `seen_${at}`), undefined)
      await database.transaction(transaction => transaction.run(insert, `seen_${at}`, `seen_${at}`, at))
      const name = { name: `seen_${at}` }
      assert.deepEqual(
        { ...(await database.get<object>('SELECT name FROM workspaces WHERE id = ?', `seen_${at}`)) },
        name,
      )
      // The other connection may reuse a read within one turn of the event loop, but no longer.
      await new Promise(resolve => setImmediate(resolve))
      assert.deepEqual(
        { ...(await other.get<object>('SELECT name FROM workspaces WHERE id = ?', `seen_${at}`)) },
        name,
      )
    }
  })

  test('runs one statement as a transaction, or as a part of an open unit of work', async () => {
    const ambient = new AmbientDatabase(database)
    const added = (id: string): Promise<number> =>
      ambient.statement(sql`INSERT INTO workspaces (id, name, created_at) VALUES (${id}, ${id}, 1)`)
    const exists = async (id: string): Promise<boolean> =>
      (await database.get('SELECT 1 AS one FROM workspaces WHERE id = ?', id)) !== undefined
    assert.equal(await added('alone'), 1)
    assert.ok(await exists('alone'))
    await assert.rejects(added('alone'))
    const failing = ambient.inOneTransaction(async () => {
      await added('undone')
      throw new Error('no')
    })
    await assert.rejects(failing, /no/)
    assert.equal(await exists('undone'), false)
  })

  test('reads at once what is committed, where it can, and never beside an open unit of work', async () => {
    const ambient = new AmbientDatabase(database)
    const nameNow = (): unknown =>
      ambient.getNow(sql`SELECT name ${as('name', text())} FROM workspaces WHERE id = ${'now'}`)?.name
    await ambient.statement(sql`INSERT INTO workspaces (id, name, created_at) VALUES ('now', 'first', 1)`)
    const isPossible = database.dialect === 'sqlite'
    assert.equal(nameNow(), isPossible ? 'first' : undefined)
    await ambient.inOneTransaction(async () => {
      await ambient.statement(sql`UPDATE workspaces SET name = 'second' WHERE id = 'now'`)
      assert.equal(nameNow(), undefined)
    })
    assert.equal(nameNow(), isPossible ? 'second' : undefined)
  })

  test('undoes what belongs to a unit of work that is refused at its end', async () => {
    const ambient = new AmbientDatabase(database)
    const undone: string[] = []
    const refused = ambient.inOneTransaction(
      async () => {
        await ambient.all('SELECT 1 AS one')
        ambient.whenRolledBack(async () => void undone.push('content'))
      },
      {
        end: async () => {
          throw new Error('too much')
        },
      },
    )
    await assert.rejects(refused, /too much/)
    assert.deepEqual(undone, ['content'])
  })

  test('yields to other work between the statements of a long transaction', async () => {
    const slow = slowQuery(20_000)
    let turns = 0
    await database.transaction(async transaction => {
      let isOver = false
      setImmediate(function count() {
        turns++
        if (!isOver) setImmediate(count)
      })
      for (let at = 0; at < 50; at++) await transaction.get(slow)
      isOver = true
    })
    assert.ok(turns > 5, `${turns} turns of the event loop`)
  })

  test('commits large and small transactions in the order in which they were asked for', async context => {
    if (database.dialect === 'postgres') return context.skip('PostgreSQL has a pool of connections')
    const query = "SELECT id FROM workspaces WHERE id LIKE 'large%' ORDER BY created_at"
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) =>
        database.transaction(
          async transaction => {
            const changed = await transaction.run(insert, `large_${at}`, `large_${at}`, at)
            const rows = await transaction.all<{ id: string }>(query)
            if (at % 4 === 0) throw new Error(`no ${at}`)
            return [changed, rows.length]
          },
          at % 3 === 0,
        ),
      ),
    )
    const kept = [1, 2, 3, 5, 6, 7, 9, 10, 11]
    assert.deepEqual(
      outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
      Array.from({ length: 12 }, (_, at) => (kept.includes(at) ? [1, kept.indexOf(at) + 1] : `no ${at}`)),
    )
    const rows = await database.all<{ id: string }>(query)
    assert.deepEqual(
      rows.map(({ id }) => id),
      kept.map(at => `large_${at}`),
    )
  })

  test('joins small writes to a unit of work that began with a large one', async () => {
    const ambient = new AmbientDatabase(database)
    const unit = (id: string) =>
      ambient.inOneTransaction(
        async () => {
          await ambient.transaction(transaction => transaction.run(insert, `${id}_a`, `${id}_a`, 1), true)
          await ambient.statement(sql`UPDATE workspaces SET created_at = 2 WHERE id = ${`${id}_a`}`)
        },
        {
          end: async (transaction: Transaction) => {
            await transaction.run(insert, `${id}_b`, `${id}_b`, 3)
            if (id === 'refused') throw new Error('refused')
          },
        },
      )
    await unit('joined')
    await assert.rejects(unit('refused'), /refused/)
    const rows = await database.all<{ id: string; created_at: number }>(
      "SELECT id, created_at FROM workspaces WHERE id LIKE 'joined%' OR id LIKE 'refused%' ORDER BY id",
    )
    assert.deepEqual(
      rows.map(({ id, created_at }) => [id, Number(created_at)]),
      [
        ['joined_a', 2],
        ['joined_b', 3],
      ],
    )
  })

  test('does other work during a long statement of a large transaction', async () => {
    let turns = 0
    let isOver = false
    setImmediate(function count() {
      turns++
      if (!isOver) setImmediate(count)
    })
    await database.transaction(transaction => transaction.get(slowQuery(300_000)), true)
    isOver = true
    assert.ok(turns > 5, `${turns} turns of the event loop`)
  })

  test('keeps a snapshot stable during concurrent writes', async () => {
    const before = await count(database)
    await database.snapshot(async snapshot => {
      const total = async () =>
        (await snapshot.get<{ total: number }>('SELECT COUNT(*) AS total FROM workspaces'))!.total
      assert.equal(await total(), before)
      await database.transaction(transaction => transaction.run(insert, 'later', 'later', 1))
      assert.equal(await total(), before)
      let rows = 0
      for await (const _ of snapshot.each('SELECT id FROM workspaces')) rows++
      assert.equal(rows, before)
    })
    assert.equal(await count(database), before + 1)
  })

  test('does not compile statements, which takes PostgreSQL longer than executing them', async t => {
    if (database.dialect === 'sqlite') return t.skip('SQLite does not compile to machine code')
    const setting = sql`SELECT current_setting('jit') ${as('jit', text())}`
    assert.deepEqual(await database.get(setting), { jit: 'off' })
    assert.deepEqual(await database.transaction(transaction => transaction.get(setting)), { jit: 'off' })
  })

  test('fails only the transaction whose connection is lost', async t => {
    if (database.dialect !== 'postgres') return t.skip('SQLite has no connections to lose')
    await assert.rejects(
      database.transaction(transaction => transaction.get('SELECT pg_terminate_backend(pg_backend_pid())')),
      { reason: 'unavailable' },
    )
    assert.ok((await count(database)) >= 0)
  })

  test('streams a large number of rows', async () => {
    await database.transaction(async transaction => {
      for (let at = 0; at < 1200; at++) await transaction.run(insert, `many_${at}`, `many_${at}`, at)
    })
    const seen: string[] = []
    await database.snapshot(async snapshot => {
      for await (const row of snapshot.each<{ id: string }>(
        `SELECT id FROM workspaces WHERE id LIKE 'many%' ORDER BY created_at`,
      ))
        seen.push(row.id)
    })
    assert.deepEqual(
      seen,
      Array.from({ length: 1200 }, (_, at) => `many_${at}`),
    )
  })
})

test('migrates once when several processes start concurrently', async () => {
  const fresh = await freshDatabase()
  const databases = await Promise.all(Array.from({ length: 6 }, () => openDatabase(fresh)))
  const applied = await databases[0]!.all('SELECT name FROM schema_migrations')
  assert.ok(applied.length >= 1)
  assert.equal(new Set(applied.map(row => (row as { name: string }).name)).size, applied.length)
  await Promise.all(databases.map(database => database.close()))
  await fresh.drop()
})

test('rejects a database with a newer version or a changed migration, without changing it', async () => {
  const fresh = await freshDatabase()
  const database = await openDatabase(fresh)
  await database.transaction(transaction =>
    transaction.run(
      `INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ('9999_future.sql', 'x', 1)`,
    ),
  )
  await assert.rejects(openDatabase(fresh), /newer version/)
  await database.transaction(async transaction => {
    await transaction.run(`DELETE FROM schema_migrations WHERE name = '9999_future.sql'`)
    await transaction.run(`UPDATE schema_migrations SET checksum = 'changed'`)
  })
  await assert.rejects(openDatabase(fresh), /changed after it ran/)
  await database.close()
  await fresh.drop()
})
