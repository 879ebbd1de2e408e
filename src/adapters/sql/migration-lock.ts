import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Transaction } from '../../database/database.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { tryLock } from './postgres-lock.ts'
import { isBusy } from './sqlite-error.ts'

export interface MigrationLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

/** A session without timeouts. */
export interface MigrationSession {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /** Runs statements outside a transaction; PostgreSQL only. */
  outside?: Transaction
}

const migrationLock = 7_236_140
const pollMilliseconds = 200

/** Calls `report` after a second and then at growing intervals, until the returned function is called. */
function whileWaiting(report: (waitedMilliseconds: number) => void): () => void {
  const startedAt = performance.now()
  const again = (): void => {
    const waited = Math.round(performance.now() - startedAt)
    report(waited)
    timer = setTimeout(again, Math.min(waited, 60_000))
  }
  let timer = setTimeout(again, 1000)
  return () => clearTimeout(timer)
}

const waiting = 'Another process is migrating the database; waiting for it to finish'

/** The session that holds the lock. */
const holder = (session: Transaction): Promise<object | undefined> =>
  session.get(
    `SELECT a.pid, a.application_name AS application, a.client_addr::text AS address,
       date_trunc('second', now() - a.query_start)::text AS since, left(a.query, 200) AS statement
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = ? AND l.objsubid = 1`,
    migrationLock,
  )

/**
 * Polls for the lock instead of waiting in a statement: a concurrent index build waits for every open transaction, so
 * none of them may wait for the lock.
 */
const lockPostgres = (
  database: PostgresDatabase,
  log: MigrationLog | undefined,
  work: (session: MigrationSession) => Promise<void>,
): Promise<void> =>
  database.session(async outside => {
    const granted = whileWaiting(waited => {
      holder(outside).then(
        found => log?.warn({ waited_ms: waited, holder: found }, waiting),
        (error: unknown) => log?.warn({ waited_ms: waited, err: error }, waiting),
      )
    })
    try {
      while (!(await tryLock(outside, migrationLock))) await sleep(pollMilliseconds)
    } finally {
      granted()
    }
    await work({
      outside,
      transaction: async steps => {
        // A failure ends the session, and with it the transaction.
        await outside.run('BEGIN')
        const result = await steps(outside)
        await outside.run('COMMIT')
        return result
      },
    })
  })

/** SQLite's write transaction is the lock. */
async function sqliteTransaction<Result>(
  database: Database,
  log: MigrationLog | undefined,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const granted = whileWaiting(waited => log?.warn({ waited_ms: waited }, waiting))
  try {
    for (;;)
      try {
        return await database.transaction(transaction => {
          granted()
          return work(transaction)
        })
      } catch (error) {
        if (!isBusy((error as Error).cause ?? error)) throw error
      }
  } finally {
    granted()
  }
}

/** Lets one process at a time migrate. The others log what they wait for, as long as it takes. */
export function withMigrationLock(
  database: Database,
  log: MigrationLog | undefined,
  work: (session: MigrationSession) => Promise<void>,
): Promise<void> {
  if (database.dialect === 'postgres') return lockPostgres(database as PostgresDatabase, log, work)
  return work({ transaction: steps => sqliteTransaction(database, log, steps) })
}
