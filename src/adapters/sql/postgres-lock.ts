import type { Reader } from '../../database/database.ts'

/** An advisory lock that ends with its session; false when another session holds it. */
export async function tryLock(session: Reader, lock: number): Promise<boolean> {
  const row = await session.get<{ mine: boolean }>('SELECT pg_try_advisory_lock(?::bigint) AS mine', lock)
  return row!.mine
}
