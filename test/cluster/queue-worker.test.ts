import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { byTurns, type DueRow, QueueWorker } from '../../src/cluster/queue-worker.ts'
import { sql } from '../../src/database/sql.ts'
import { integer, table, text } from '../../src/database/table.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'
import { until } from '../support/watch.ts'

const columns = table('queue', { workspaceId: text(), id: text(), dueAt: integer() }).columns()

describe('a queue worker', () => {
  let opened: TestDatabase
  let stop: AbortController
  let added = 0
  let reads: number
  let begun: string[]
  let endings: Map<string, PromiseWithResolvers<void>>
  let working: Promise<void>
  beforeEach(async () => {
    opened = await openTestDatabase()
    stop = new AbortController()
    reads = 0
    begun = []
    endings = new Map()
    await opened.database.transaction(transaction =>
      transaction.run(sql`CREATE TABLE queue (workspace_id TEXT, id TEXT, due_at INTEGER)`),
    )
  })
  afterEach(async () => {
    stop.abort()
    await working
    await opened.cleanup()
  })

  const add = (workspaceId: string, ...ids: string[]) =>
    opened.database.transaction(async transaction => {
      for (const id of ids)
        await transaction.run(sql`INSERT INTO queue VALUES (${workspaceId}, ${id}, ${added++})`)
    })
  /** Claims an entry by deleting it. */
  async function claim({ workspaceId, id }: DueRow): Promise<string | undefined> {
    const claim = sql`DELETE FROM queue WHERE workspace_id = ${workspaceId} AND id = ${id}`
    const claimed = await opened.database.transaction(transaction => transaction.run(claim))
    return claimed === 0 ? undefined : id
  }
  /** Works on an entry until the test ends it or the queue stops. */
  async function work(id: string): Promise<void> {
    begun.push(id)
    const ending = Promise.withResolvers<void>()
    endings.set(id, ending)
    stop.signal.addEventListener('abort', () => ending.resolve())
    if (!stop.signal.aborted) await ending.promise
  }
  const fromTable = (now: number): Promise<DueRow[]> =>
    opened.database.all(sql`SELECT ${columns} FROM queue WHERE due_at <= ${now} ORDER BY ${byTurns} LIMIT 3`)
  function run(atOnce: number, due = fromTable): void {
    const queue = new QueueWorker({
      cluster: {
        time: { now: () => 100, refresh: async () => {} } as never,
        subscribe: () => () => {},
      },
      ...{ topic: 'queue', pollMilliseconds: 10, atOnce, work, subject: 'Work' },
      rows: {
        due: now => {
          reads++
          return due(now)
        },
        claim,
      },
      ...{ renewMilliseconds: 1000, renew: async () => undefined },
      log: { warn: () => {} },
    })
    working = queue.run(stop.signal)
  }

  test('leaves slots to other workspaces when one has a long queue', async () => {
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
    // A read that began before it was added does not know of it.
    const before = reads
    await until('a later read', async () => reads > before + 1)
    endings.get('b')!.resolve()
    await until('the work', async () => begun.length === 4)
    assert.deepEqual(begun.at(-1), 'y')
  })

  test('continues after the queue could not be read, and starts an entry once', async () => {
    await add('w', 'a')
    run(4, async () => {
      if (reads < 3) throw new Error('the database is away')
      return [{ workspaceId: 'w', id: 'a', dueAt: 0 }]
    })
    await until('several reads', async () => reads >= 8)
    assert.deepEqual(begun, ['a'])
  })
})
