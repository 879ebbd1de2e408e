import { dueRows, type HeldRow } from '../cluster/queue-worker.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { countRows, inOrder } from '../database/database.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { sql } from '../database/sql.ts'
import { insertRows, Store } from '../database/store.ts'
import {
  type TestCase,
  type TestResult,
  type TestRun,
  type TestSet,
  testCases,
  testResults,
  testRuns,
  testSets,
} from './test-set.ts'

const setColumns = testSets.columns(...testSets.keysExcept('workspaceId'))
const caseColumns = testCases.columns(...testCases.keysExcept('workspaceId'))
const runKeys = testRuns.keysExcept('workspaceId', 'lease', 'dueAt')
const runColumns = testRuns.columns(...runKeys)
const resultColumns = testResults.columns(...testResults.keysExcept('workspaceId'))
const newestFirst = new Order('created_at DESC', 'id')
const oldestFirst = new Order('created_at', 'id')

const heldBy = ({ workspaceId, id, lease }: HeldRow) => testRuns.where({ workspaceId, id, lease })

export class TestSetStore extends Store {
  readonly rows = dueRows(this.database, testRuns, runColumns)

  /** Adds a test set; false if there are too many. */
  addSet(workspaceId: string, set: TestSet, max: number): Promise<boolean> {
    return this.database.transaction(async transaction => {
      if ((await countRows(transaction, sql`test_sets WHERE workspace_id = ${workspaceId}`)) >= max)
        return false
      await transaction.run(testSets.insert({ workspaceId, ...set }))
      return true
    })
  }

  findSet(workspaceId: string, id: string): Promise<TestSet | undefined> {
    return this.database.get(testSets.select(setColumns, { workspaceId, id }))
  }

  async updateSet(workspaceId: string, id: string, change: Partial<TestSet>): Promise<void> {
    await this.run(testSets.update({ workspaceId, id }, change))
  }

  /** Removes a test set; database triggers delete its cases and runs. */
  async removeSet(workspaceId: string, id: string): Promise<boolean> {
    return (await this.runDeletion(testSets.delete({ workspaceId, id }))) > 0
  }

  listSets(
    workspaceId: string,
    filter: { workflowId?: string; agentId?: string },
    page: PageRequest,
  ): Promise<Page<TestSet>> {
    return readPage(this.database, {
      ...{ workspaceId, columns: setColumns, source: testSets, order: newestFirst, page },
      where: testSets.where({ workspaceId, ...filter }),
    })
  }

  countCases(workspaceId: string, setId: string): Promise<number> {
    return countRows(this.database, sql`test_cases WHERE ${testCases.where({ workspaceId, setId })}`)
  }

  /** Adds cases at the end of the set; undefined when it would have too many, or is gone. */
  addCases(
    workspaceId: string,
    setId: string,
    rows: readonly TestCase[],
    max: number,
  ): Promise<TestCase[] | undefined> {
    return this.database.transaction(async transaction => {
      const key = testSets.where({ workspaceId, id: setId })
      // The lock makes concurrent requests count each other.
      const set = await transaction.get(
        sql`SELECT 1 AS one FROM test_sets WHERE ${key} ${this.database.forUpdate}`,
      )
      const cases = sql`test_cases WHERE ${testCases.where({ workspaceId, setId })}`
      if (!set || (await countRows(transaction, cases)) + rows.length > max) return undefined
      const added = await inOrder(transaction, cases, rows)
      await insertRows(
        transaction,
        testCases,
        added.map(row => ({ workspaceId, ...row })),
      )
      return added
    })
  }

  findCase(workspaceId: string, setId: string, id: string): Promise<TestCase | undefined> {
    return this.database.get(testCases.select(caseColumns, { workspaceId, setId, id }))
  }

  async updateCase(workspaceId: string, id: string, change: Partial<TestCase>): Promise<void> {
    await this.run(testCases.update({ workspaceId, id }, change))
  }

  async removeCase(workspaceId: string, setId: string, id: string): Promise<boolean> {
    return (await this.runDeletion(testCases.delete({ workspaceId, setId, id }))) > 0
  }

  listCases(workspaceId: string, setId: string, page: PageRequest): Promise<Page<TestCase>> {
    return readPage(this.database, {
      ...{ workspaceId, columns: caseColumns, source: testCases, order: oldestFirst, page },
      where: testCases.where({ workspaceId, setId }),
    })
  }

  allCases(workspaceId: string, setId: string): Promise<TestCase[]> {
    return this.database.all(sql`
      SELECT ${caseColumns} FROM test_cases WHERE ${testCases.where({ workspaceId, setId })}
      ORDER BY created_at, id`)
  }

  /** Stores a queued run with its open results, and deletes the oldest runs of the set beyond `kept`. */
  addRun(
    workspaceId: string,
    run: TestRun & { dueAt: number },
    results: readonly TestResult[],
    kept: number,
  ): Promise<void> {
    return this.database.transaction(async transaction => {
      await transaction.run(testRuns.insert({ workspaceId, ...run }))
      const rows = results.map(result => ({ workspaceId, ...result }))
      await insertRows(transaction, testResults, rows)
      const ofSet = testRuns.where({ workspaceId, setId: run.setId })
      await transaction.run(sql`
        DELETE FROM test_runs WHERE ${ofSet} AND id IN (
          SELECT id FROM test_runs WHERE ${ofSet} AND due_at IS NULL
          ORDER BY created_at DESC, id LIMIT 100 OFFSET ${kept})`)
    })
  }

  findRun(workspaceId: string, id: string): Promise<TestRun | undefined> {
    return this.database.get(testRuns.select(runColumns, { workspaceId, id }))
  }

  listRuns(workspaceId: string, setId: string, page: PageRequest): Promise<Page<TestRun>> {
    return readPage(this.database, {
      ...{ workspaceId, columns: runColumns, source: testRuns, order: newestFirst, page },
      where: testRuns.where({ workspaceId, setId }),
    })
  }

  results(workspaceId: string, testRunId: string): Promise<TestResult[]> {
    return this.database.all(sql`
      SELECT ${resultColumns} FROM test_results WHERE ${testResults.where({ workspaceId, testRunId })}
      ORDER BY ordinal`)
  }

  /** Asks the holder to stop; false if it has ended. */
  async requestStop(workspaceId: string, id: string): Promise<boolean> {
    const key = testRuns.where({ workspaceId, id })
    return (
      (await this.run(sql`UPDATE test_runs SET stop_requested = 1 WHERE ${key} AND due_at IS NOT NULL`)) > 0
    )
  }

  /** Undefined when the lease is lost, or the run was deleted. Else whether the run is to stop. */
  renew(held: HeldRow, until: number): Promise<{ stopRequested: boolean } | undefined> {
    return this.database.transaction(transaction =>
      transaction.get(sql`
        UPDATE test_runs SET due_at = ${until} WHERE ${heldBy(held)} RETURNING ${testRuns.columns('stopRequested')}`),
    )
  }

  /** Stores the end of a result, only once and only while the lease is held. */
  finishResult(
    held: HeldRow,
    ordinal: number,
    ended: Pick<TestResult, 'status' | 'message' | 'tokens' | 'cost' | 'elapsedMs' | 'answer'>,
  ): Promise<void> {
    return this.database.transaction(async transaction => {
      const run = sql`SELECT ${testRuns.columns('id')} FROM test_runs WHERE ${heldBy(held)} ${this.database.forUpdate}`
      if (!(await transaction.get(run))) return
      const key = testResults.where({ workspaceId: held.workspaceId, testRunId: held.id, ordinal })
      await transaction.run(testResults.update(sql`${key} AND status = 'open'`, ended))
      if (ended.status === 'passed')
        await transaction.run(sql`UPDATE test_runs SET passed = passed + 1 WHERE ${heldBy(held)}`)
    })
  }

  /** Ends the run and releases it; results that are still open were stopped. */
  finishRun(held: HeldRow, status: 'finished' | 'stopped', at: number): Promise<void> {
    return this.database.transaction(async transaction => {
      const ended = { status, finishedAt: at, lease: undefined, dueAt: undefined }
      if ((await transaction.run(testRuns.update(heldBy(held), ended))) === 0) return
      const open = { workspaceId: held.workspaceId, testRunId: held.id, status: 'open' } as const
      await transaction.run(testResults.update(open, { status: 'stopped' }))
    })
  }

  /** Releases a test run; any process may continue it from that time on. */
  async release(held: HeldRow, dueAt: number): Promise<void> {
    await this.run(testRuns.update(heldBy(held), { lease: undefined, dueAt }))
  }

  /** The sets that guard a workflow, and how many results of their last test run with a version passed, if there is one. */
  async guarding(workspaceId: string, workflowId: string, version: number) {
    const sets = await this.database.all(sql`
      SELECT ${setColumns} FROM test_sets WHERE ${testSets.where({ workspaceId, workflowId })} AND gate <> 'off'`)
    return Promise.all(
      sets.map(async set => {
        const recent = await this.database.all(sql`
          SELECT ${runColumns} FROM test_runs WHERE ${testRuns.where({ workspaceId, setId: set.id })}
          ORDER BY created_at DESC, id LIMIT 50`)
        const last = recent.find(run => run.versions.some(each => each.version === version))
        const ofVersion = sql`test_results WHERE ${testResults.where({ workspaceId, testRunId: last?.id ?? '', version })}`
        const total = await countRows(this.database, ofVersion)
        const failed = await countRows(this.database, sql`${ofVersion} AND status <> 'passed'`)
        return { set, isTested: total > 0, failed, total }
      }),
    )
  }
}
