import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Database } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import type {
  ClaimedRun,
  EffectRecord,
  EventBatch,
  JournalEntry,
  NewRun,
  RunFilter,
  RunLease,
  RunRecord,
  RunStatus,
  RunStore,
  RunSummary,
  StepRecord,
} from '../../workflow/run/run-store.ts'
import { writeJournal } from './run-journal.ts'
import { RunQueue } from './run-queue.ts'
import {
  insertRun,
  listedColumns,
  type RunRow,
  recordOf,
  runColumns,
  type SummaryRow,
  summaryOf,
} from './run-rows.ts'
import { readEffects, readSteps } from './run-step-rows.ts'
import { stopRun } from './stop-run.ts'
import { sweepRuns } from './sweep-runs.ts'
import { usageShard } from './usage-rows.ts'

const filterColumns: Record<keyof RunFilter, string> = {
  workflowId: 'workflow_id',
  agentId: 'agent_id',
  conversationId: 'conversation_id',
  status: 'status',
}

export class SqlRunStore implements RunStore {
  readonly #database: Database
  readonly #queue: RunQueue
  readonly #shard: number

  constructor(database: Database) {
    this.#database = database
    this.#queue = new RunQueue(database)
    this.#shard = usageShard(database)
  }

  create(workspaceId: string, run: NewRun): Promise<void> {
    return this.#database.transaction(transaction => insertRun(transaction, workspaceId, run))
  }

  async find(workspaceId: string, id: string): Promise<RunRecord | undefined> {
    const row = await this.#database.get<RunRow>(
      `SELECT ${runColumns} FROM runs WHERE workspace_id = ? AND id = ?`,
      workspaceId,
      id,
    )
    return row && recordOf(row)
  }

  async list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
    const conditions = ['workspace_id = ?']
    const parameters: SqlValue[] = [workspaceId]
    for (const [name, column] of Object.entries(filterColumns) as [keyof RunFilter, string][]) {
      const value = filter[name]
      if (value === undefined) continue
      conditions.push(`${column} = ?`)
      parameters.push(value)
    }
    const where = `WHERE ${conditions.join(' AND ')}`
    const count = await this.#database.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM runs ${where}`,
      ...parameters,
    )
    const rows = await this.#database.all<SummaryRow>(
      `SELECT ${listedColumns} FROM runs ${where} ORDER BY created_at DESC, id LIMIT ? OFFSET ?`,
      ...parameters,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(summaryOf) }
  }

  steps(workspaceId: string, id: string): Promise<StepRecord[]> {
    return readSteps(this.#database, workspaceId, id)
  }

  effects(workspaceId: string, id: string): Promise<EffectRecord[]> {
    return readEffects(this.#database, workspaceId, id)
  }

  commit(hold: RunLease, entry: JournalEntry): Promise<boolean> {
    return this.#database.transaction(transaction => writeJournal(transaction, hold, entry, this.#shard))
  }

  async events(workspaceId: string, id: string, after: number, limit: number): Promise<EventBatch[]> {
    const rows = await this.#database.all<{ first_number: number; last_number: number; lines: string }>(
      `SELECT first_number, last_number, lines FROM run_events
       WHERE workspace_id = ? AND run_id = ? AND last_number > ? ORDER BY last_number LIMIT ?`,
      workspaceId,
      id,
      after,
      limit,
    )
    return rows.map(row => ({ first: row.first_number, last: row.last_number, lines: row.lines }))
  }

  claim(options: { lease: string; now: number; until: number }): Promise<ClaimedRun | undefined> {
    return this.#queue.claim(options)
  }

  claimWaiting(
    workspaceId: string,
    id: string,
    options: { lease: string; until: number; reply: string; chatId: string },
  ): Promise<RunRecord | undefined> {
    return this.#queue.claimWaiting(workspaceId, id, options)
  }

  renew(holds: readonly RunLease[], until: number): Promise<{ stop: string[]; lost: string[] }> {
    return this.#queue.renew(holds, until)
  }

  release(hold: RunLease, now: number): Promise<void> {
    return this.#queue.release(hold, now)
  }

  requestStop(workspaceId: string, id: string, now: number): Promise<RunStatus | undefined> {
    return this.#database.transaction(transaction =>
      stopRun(transaction, this.#database.forUpdate, { workspaceId, id, now, shard: this.#shard }),
    )
  }

  nextDue(): Promise<number | undefined> {
    return this.#queue.nextDue()
  }

  leases(): Promise<string[]> {
    return this.#queue.leases()
  }

  expire(leases: readonly string[], now: number): Promise<void> {
    return this.#queue.expire(leases, now)
  }

  sweep(endedBefore: number, limit: number): Promise<number> {
    return sweepRuns(this.#database, endedBefore, limit)
  }
}
