import type { Database, Transaction } from '../../src/database/database.ts'
import type { Query } from '../../src/database/sql.ts'
import { polls } from '../support/polls.ts'

type Work = (transaction: Transaction) => Promise<unknown>

/** The same object with another member. */
const replaced = <Target extends object>(target: Target, name: keyof Target, member: unknown): Target =>
  new Proxy(target, {
    get: (_, asked) => {
      const own: unknown = Reflect.get(target, asked)
      if (asked === name) return member
      return typeof own === 'function' ? own.bind(target) : own
    },
  })

/**
 * A database on PostgreSQL where another process does something during a transaction: after the first `call` in it, and
 * until that is done or waits for a lock.
 */
export function interruptedDatabase(
  database: Database,
  { begin = 'transaction', call }: { begin?: 'transaction' | 'deletion'; call: 'all' | 'run' },
  meanwhile: () => Promise<unknown>,
): Database {
  let started: Promise<unknown> | undefined
  const waitForLock = async (): Promise<void> => {
    for await (const _ of polls(60))
      if (await database.get('SELECT 1 FROM pg_locks WHERE NOT granted')) return
  }
  const interrupted = (transaction: Transaction) => async (query: Query) => {
    const result = await (transaction[call] as (query: Query) => Promise<unknown>).call(transaction, query)
    started ??= meanwhile()
    await Promise.race([started, waitForLock()])
    return result
  }
  return replaced(database, begin, (work: Work) =>
    database[begin](transaction => work(replaced(transaction, call, interrupted(transaction)))),
  )
}
