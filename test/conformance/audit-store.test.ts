import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AccessStore } from '../../src/access/access-store.ts'
import { AuditLog } from '../../src/audit/audit-log.ts'
import { type AuditEntry, AuditStore } from '../../src/audit/audit-store.ts'
import { secretOperations } from '../../src/contract/secret-operations.ts'
import { AmbientDatabase } from '../../src/database/ambient-database.ts'
import type { Database, Transaction } from '../../src/database/database.ts'
import { type Query, sql } from '../../src/database/sql.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const day = 86_400_000

describe('the audit log', () => {
  let opened: TestDatabase
  let database: AmbientDatabase
  let store: AuditStore
  beforeEach(async () => {
    opened = await openTestDatabase()
    database = new AmbientDatabase(opened.database)
    store = new AuditStore(database)
    await new AccessStore(database).addWorkspace({ id: 'w', name: 'w', createdAt: 1 })
  })
  afterEach(() => opened.cleanup())

  const entry = (id: string, at: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
    ...{ workspaceId: 'w', id, at, actorId: 'tok', actorName: 'Ada', actorRole: 'editor' },
    ...{ operation: 'agent.update', objectKind: 'agent', objectId: 'agent_x', details: {} },
    ...{ traceId: 't', address: '::1', ...more },
  })
  const add = (...entries: AuditEntry[]): Promise<void> =>
    database.transaction(transaction => store.add(transaction, entries))
  const ids = (entries: AuditEntry[]): string[] => entries.map(({ id }) => id)

  test('is read newest first, page by page, also where entries have the same time', async () => {
    await add(entry('audit_b', 5), entry('audit_a', 5), entry('audit_d', 7), entry('audit_c', 5))
    await add(entry('audit_e', 9, { workspaceId: 'v' }))
    const read: string[] = []
    for (let position: AuditEntry | undefined; ; ) {
      const page = await store.list('w', {}, position, 2)
      read.push(...ids(page))
      if (page.length < 2) break
      position = page.at(-1)
    }
    assert.deepEqual(read, ['audit_d', 'audit_c', 'audit_b', 'audit_a'])
    assert.deepEqual(ids(await store.list('w', { from: 5, to: 7 }, undefined, 9)), [
      'audit_c',
      'audit_b',
      'audit_a',
    ])
    assert.deepEqual(ids(await store.list('w', { to: 5 }, undefined, 9)), [])
  })

  test('shows an entry once, whether it has an index already or not', async () => {
    const other = new AuditStore(await opened.openAgain())
    const entries = Array.from({ length: 600 }, (_, at) => entry(`e${String(at).padStart(3, '0')}`, at))
    const expected = ids(entries).reverse()
    for (let at = 0; at < entries.length; at += 50) await add(...entries.slice(at, at + 50))
    assert.deepEqual(ids(await store.list('w', {}, undefined, 1000)), expected)
    assert.equal(await store.indexQueued(), true)
    assert.deepEqual(ids(await store.list('w', {}, undefined, 1000)), expected)
    assert.deepEqual(ids(await store.list('w', {}, entries[300], 2)), ['e299', 'e298'])
    const until = async (each: AuditStore): Promise<void> => {
      while (await each.indexQueued());
    }
    await Promise.all([until(store), until(other)])
    assert.equal((await database.all('SELECT id FROM audit_queue')).length, 0)
    assert.deepEqual(ids(await store.list('w', {}, undefined, 1000)), expected)
  })

  test('finds the changes of a token and of an object', async () => {
    await add(
      entry('audit_1', 1, { actorId: 'tok_other' }),
      entry('audit_2', 2, { objectId: 'agent_y', operation: 'agent.delete' }),
      entry('audit_3', 3, { details: { name: 'Tea', changed: ['config'] } }),
    )
    assert.deepEqual(ids(await store.list('w', { actorId: 'tok_other' }, undefined, 9)), ['audit_1'])
    assert.deepEqual(ids(await store.list('w', { objectId: 'agent_y' }, undefined, 9)), ['audit_2'])
    const both = { objectId: 'agent_x', actorId: 'tok' }
    assert.deepEqual(ids(await store.list('w', both, undefined, 9)), ['audit_3'])
    const [newest] = await store.list('w', {}, undefined, 1)
    assert.deepEqual(newest, entry('audit_3', 3, { details: { name: 'Tea', changed: ['config'] } }))
  })

  test('is read from the index of the filter, so that a page takes the same time at any length', async t => {
    if (database.dialect !== 'sqlite') return t.skip('PostgreSQL decides by its statistics')
    let read: Query | undefined
    const remember = async (query: Query): Promise<[]> => {
      read = query
      return []
    }
    const watched = new AuditStore({ all: remember } as unknown as Database)
    const position = { at: 5, id: 'audit_x' }
    for (const [filter, index] of [
      [{}, 'audit_by_time'],
      [{ from: 1, to: 9 }, 'audit_by_time'],
      [{ actorId: 'tok', from: 1 }, 'audit_by_actor'],
      [{ objectId: 'agent_x' }, 'audit_by_object'],
      [{ objectId: 'agent_x', actorId: 'tok' }, 'audit_by_object'],
    ] as const) {
      await watched.list('w', filter, position, 20)
      const plan = await database.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${read!.text}`,
        ...read!.parameters,
      )
      const details = plan.map(({ detail }) => detail).join('\n')
      assert.match(details, new RegExp(`USING INDEX ${index} .*\\(at,id\\)<`))
      assert.doesNotMatch(details, /SCAN audit_entries/)
    }
  })

  test('deletes expired entries, however many there are', async () => {
    const now = 400 * day
    for (let at = 0; at < 2100; at += 100)
      await add(
        ...Array.from({ length: 100 }, (_, index) => entry(`audit_old${at + index}`, day + at + index)),
      )
    await add(entry('audit_kept', now - 300 * day))
    const log = new AuditLog(store, database, { now: () => now })
    await log.indexQueued(new AbortController().signal)
    await log.removeOlderThan(365, new AbortController().signal)
    assert.deepEqual(ids(await store.list('w', {}, undefined, 100)), ['audit_kept'])
  })

  test('records a change once, in its transaction', async () => {
    const log = new AuditLog(store, database, { now: () => 1 })
    const actor = { workspaceId: 'w', id: 'tok', name: 'Ada', role: 'admin', traceId: '', address: '' }
    const write = (transaction: Transaction): Promise<number> =>
      transaction.run(sql`UPDATE workspaces SET limits = '{}' WHERE id = 'w'`)
    await log.record(secretOperations.set, actor, { body: { name: 'crm' } }, async () => {
      // A read and a write that changes no row are no change.
      await database.transaction(transaction => transaction.run(sql`DELETE FROM tokens`))
      await database.transaction(write)
      await database.transaction(write)
    })
    assert.equal((await store.list('w', {}, undefined, 9)).length, 1)
    const failing = log.record(secretOperations.set, actor, { body: { name: 'crm' } }, () =>
      database.transaction(async transaction => {
        await write(transaction)
        throw new Error('the change fails')
      }),
    )
    await assert.rejects(failing, /the change fails/)
    assert.equal((await store.list('w', {}, undefined, 9)).length, 1)
  })
})
