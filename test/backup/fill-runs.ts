import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { RunWorld } from '../conformance/run-world.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'

/** Runs that a starting server does not claim: one that ended and one that waits. */
export async function fillRuns(fresh: FreshDatabase): Promise<void> {
  const database = await openDatabase(fresh)
  try {
    const world = new RunWorld(database)
    await world.beginAndBe('succeeded', 'ended', {}, 'default')
    await world.beginAndBe('waiting', 'waiting', {}, 'default')
  } finally {
    await database.close()
  }
}
