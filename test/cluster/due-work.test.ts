import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { byTurns, type Due, DueWork } from '../../src/cluster/due-work.ts'
import { sql } from '../../src/database/sql.ts'
import { table, text } from '../../src/database/table.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'
import { until } from '../support/watch.ts'

const columns = table('queue', { workspaceId: text(), id: text() }).columns('workspaceId', 'id')

describe('work on a queue', () => {
  let opened: TestDatabase
  let stop: AbortController
  let added = 0
  let begun: string[]
  let endings: Map<string, PromiseWithResolvers<void>>
  let working: Promise<void>
  beforeEach(async () => {
    opened = await openTestDatabase()
    stop = new AbortController()
    begun = []
    endings = new Map()
    await opened.database.transaction(transaction =>
      transaction.run(sql`CREATE TABLE queue (workspace_id TEXT, id TEXT, due_at INTEGER)`),
    )
  })
  afterEach(async () => {
    stop.abort()
    for (const { resolve } of endings.values()) resolve()
    await working
    await opened.cleanup()
  })

  const add = (workspaceId: string, ...ids: string[]) =>
    opened.database.transaction(async transaction => {
      for (const id of ids)
        await transaction.run(sql`INSERT INTO queue VALUES (${workspaceId}, ${id}, ${added++})`)
    })
  async function work({ workspaceId, id }: Due): Promise<void> {
    const removed = sql`DELETE FROM queue WHERE workspace_id = ${workspaceId} AND id = ${id}`
    await opened.database.transaction(transaction => transaction.run(removed))
    begun.push(id)
    endings.set(id, Promise.withResolvers())
    await endings.get(id)!.promise
  }
  function run(atOnce: number, due?: () => Promise<Due[]>): void {
    const queue = new DueWork({
      cluster: {
        time: { now: () => 100, refresh: async () => {} } as never,
        subscribe: () => () => {},
      },
      ...{ topic: 'queue', pollMilliseconds: 10, atOnce, work, what: 'Work' },
      due:
        due ??
        (now =>
          opened.database.all(
            sql`SELECT ${columns} FROM queue WHERE due_at <= ${now} ORDER BY ${byTurns} LIMIT 3`,
          )),
      log: { warn: () => {} },
    })
    working = queue.run(stop.signal)
  }

  test('a workspace with a long queue leaves places to others', async () => {
    await add('long', 'a', 'b', 'c', 'd', 'e')
    await add('short', 'z')
    run(2)
    await until('the work', async () => begun.length === 2)
    assert.deepEqual(begun.toSorted(), ['a', 'z'])
    endings.get('a')!.resolve()
    await until('the work', async () => begun.length === 3)
    assert.deepEqual(begun.at(-1), 'b')
    // One that comes later is served before the rest of the long queue.
    await add('late', 'y')
    endings.get('b')!.resolve()
    await until('the work', async () => begun.length === 4)
    assert.deepEqual(begun.at(-1), 'y')
  })

  test('goes on when the queue could not be read, and begins an entry once', async () => {
    let reads = 0
    run(4, async () => {
      if (++reads < 3) throw new Error('the database is away')
      return [{ workspaceId: 'w', id: 'a' }]
    })
    await until('several reads', async () => reads >= 8)
    assert.deepEqual(begun, ['a'])
  })
})
