import { processName } from '../../../cluster/lease-name.ts'
import { LeaseTable } from '../../../cluster/lease-table.ts'
import { byTurns } from '../../../cluster/queue-worker.ts'
import { limits } from '../../../contract/limits.ts'
import type { Page, PageRequest } from '../../../contract/paging.ts'
import type { Database } from '../../../database/database.ts'
import { inWorkspace, keywordFilter, searchText } from '../../../database/keyword.ts'
import { Order } from '../../../database/order.ts'
import { readPage } from '../../../database/page.ts'
import { Columns, type Query, raw, sql, tuples } from '../../../database/sql.ts'
import { Store } from '../../../database/store.ts'
import { as, integer } from '../../../database/table.ts'
import { answerPreviewKey, maxListedAnswerBytes, writeJournal } from './journal-rows.ts'
import {
  type DueRun,
  detailKeys,
  type EffectRecord,
  type EventBatch,
  type JournalEntry,
  leaseKeys,
  type NewLease,
  type RunFilter,
  type RunKey,
  type RunLease,
  type RunRecord,
  type RunStatus,
  type RunSummary,
  runEffects,
  runEvents,
  runSteps,
  runs,
  runTrigger,
  type StepRecord,
  storedQuestion,
} from './run-records.ts'
import { addUsage, usageShard } from './usage-store.ts'

const record = runs.columns(...runs.keysExcept('workspaceId', 'triggeredBy', ...leaseKeys))
const summary = runs.columns(
  ...runs.keysExcept('workspaceId', 'triggeredBy', 'answer', ...leaseKeys, ...detailKeys),
)
/** A list shows how an answer begins, without reading a long one. */
const preview = `SELECT body FROM run_contents
  WHERE workspace_id = runs.workspace_id AND run_id = runs.id AND key = '${answerPreviewKey}'`
const listedAnswer = `CASE WHEN octet_length(answer) > ${maxListedAnswerBytes}
  THEN COALESCE((${preview}), SUBSTR(answer, 1, 1000)) ELSE SUBSTR(answer, 1, 1000) END AS answer`
const listed = new Columns<RunSummary>(`${summary}, ${runTrigger}, ${listedAnswer}`, summary.decoders)
const step = runSteps.columns(...runSteps.keysExcept('workspaceId', 'runId', 'key', 'ordinal'))
const effect = runEffects.columns('path', 'name', 'result')
const lines = runEvents.columns('lines')
const first = as('first', integer())
const last = as('last', integer())
const stopRequested = runs.columns('stopRequested')
const state = runs.columns('id', 'status', 'sequence')
const dueColumns = runs.columns('workspaceId', 'id', 'status', 'lease', 'dueAt')
const total = as('total', integer())
const earliest = as('dueAt', runs.types.dueAt)
const newestFirst = new Order('created_at DESC', 'id')

/** The most runs that a process looks at in one round of claims. */
const maxDue = '5000'

/** Longer outputs are not read for a chat. */
const maxThoughtLength = 1_000_000

/** Every write of a lease holder is a compare-and-set by the lease: false means that the lease is lost. */
export class RunStore extends Store {
  readonly leases: LeaseTable<RunKey, { stopRequested: boolean }>
  readonly #shard: number

  constructor(database: Database) {
    super(database)
    const key = { workspaceId: 'workspace_id', runId: 'id' }
    this.leases = new LeaseTable(database, { table: runs, key, returning: stopRequested })
    this.#shard = usageShard(database)
  }

  /** Stores a running run, held by `lease`. False if there is a run with its id; it is committed then. */
  async create(workspaceId: string, { trigger, ...run }: RunRecord, lease: NewLease): Promise<boolean> {
    const held = { lease: lease.lease, dueAt: lease.until, stopRequested: false, writtenSteps: 0 }
    const insert = runs.insert({ ...run, ...held, workspaceId, triggeredBy: trigger })
    return (await this.run(sql`${insert} ON CONFLICT (workspace_id, id) DO NOTHING`)) > 0
  }

  find(workspaceId: string, id: string): Promise<RunRecord | undefined> {
    return this.database.get(
      sql`SELECT ${record}, ${runTrigger} FROM runs WHERE workspace_id = ${workspaceId} AND id = ${id}`,
    )
  }

  /** The status and the last stored event number of these runs. */
  async states(keys: readonly RunKey[]): Promise<(typeof state)['row'][]> {
    if (keys.length === 0) return []
    const named = tuples(keys.map(({ workspaceId, runId }) => [workspaceId, runId]))
    return this.database.all(sql`SELECT ${state} FROM runs WHERE (workspace_id, id) IN ${named}`)
  }

  /** The runs of a workspace that other processes work on. */
  async countElsewhere(workspaceId: string): Promise<number> {
    const row = await this.database.get(sql`
      SELECT COUNT(*) ${total} FROM runs WHERE workspace_id = ${workspaceId} AND status = 'running'
      AND SUBSTR(lease, 1, ${raw(String(processName.length))}) <> ${processName}`)
    return row!.total
  }

  /** Newest first. */
  list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
    const { from, to, keyword = '', ...equal } = filter
    const given = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined))
    const parts = [
      ...(Object.keys(given).length > 0 ? [runs.where(given)] : []),
      // These conditions let the database use the partial indexes of triggers and users.
      ...(filter.triggerId ? [sql`trigger_id <> ''`] : []),
      ...(filter.userId ? [sql`user_id <> ''`] : []),
      ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
      // A cursor is the closer bound, and SQLite uses only one of them.
      ...(to === undefined ? [] : [sql`${raw(page.cursor === undefined ? '' : '+')}created_at < ${to}`]),
    ]
    const conditions = parts.reduce<Query | undefined>(
      (all, part) => (all ? sql`${all} AND ${part}` : part),
      undefined,
    )
    return readPage(this.database, {
      ...{ workspaceId, columns: listed, source: runs, order: newestFirst, page },
      where: runs.where({ workspaceId }),
      filter: conditions,
      indexedFilter: keywordFilter(this.database, inWorkspace('runs', workspaceId), keyword),
      // Of several conditions an index finds the rows of one; the others are compared row by row.
      mayTakeLong: Object.keys(given).length > 1,
    })
  }

  /** In the order of their start. */
  steps(workspaceId: string, id: string): Promise<StepRecord[]> {
    return this.database.all(
      sql`SELECT ${step} FROM run_steps WHERE workspace_id = ${workspaceId} AND run_id = ${id} ORDER BY started_at, ordinal`,
    )
  }

  /** Outputs of the steps with calls of tools or reasoning that ended at this time or later, in the order of their start. */
  async thoughtOutputs(workspaceId: string, id: string, since: number): Promise<string[]> {
    const found = await this.database.all(sql`
      SELECT ${runSteps.columns('outputs')} FROM run_steps
      WHERE workspace_id = ${workspaceId} AND run_id = ${id} AND finished_at >= ${since}
        AND (outputs LIKE '%"steps":[{%' OR outputs LIKE '%"reasoning_ms":%') AND LENGTH(outputs) < ${maxThoughtLength}
      ORDER BY started_at, ordinal`)
    return found.flatMap(({ outputs }) => outputs ?? [])
  }

  effects(workspaceId: string, id: string): Promise<EffectRecord[]> {
    return this.database.all(
      sql`SELECT ${effect} FROM run_effects WHERE workspace_id = ${workspaceId} AND run_id = ${id}`,
    )
  }

  /** Batches with events after that number, in order. */
  events(workspaceId: string, id: string, after: number, limit: number): Promise<EventBatch[]> {
    return this.database.all(sql`
      SELECT first_number ${first}, last_number ${last}, ${lines} FROM run_events
      WHERE workspace_id = ${workspaceId} AND run_id = ${id} AND last_number > ${after}
      ORDER BY last_number LIMIT ${limit}`)
  }

  commit(lease: RunLease, entry: JournalEntry): Promise<boolean> {
    return this.database.transaction(transaction => writeJournal(transaction, lease, entry, this.#shard))
  }

  /** The runs that may be claimed, workspaces in turn. */
  async due(now: number): Promise<DueRun[]> {
    const rows = await this.database.all(
      sql`SELECT ${dueColumns} FROM runs WHERE due_at <= ${now} ORDER BY ${byTurns} LIMIT ${raw(maxDue)}`,
    )
    return rows.map(row => ({ ...row, dueAt: row.dueAt! }))
  }

  /** Claims a run that is due, unless another process was faster or its holder has renewed the lease. Counts the claim. */
  claim(
    { workspaceId, id, ...due }: DueRun,
    { lease, until }: NewLease,
  ): Promise<(RunRecord & { stopRequested: boolean }) | undefined> {
    const change = runs.set({ status: 'running', lease, dueAt: until })
    const unchanged = sql`+due_at = ${due.dueAt} AND lease IS NOT DISTINCT FROM ${due.lease ?? null}`
    return this.database.transaction(transaction =>
      transaction.get(sql`
        UPDATE runs SET ${change}, claims = claims + 1 WHERE ${runs.where({ workspaceId, id })} AND ${unchanged}
        RETURNING ${record}, ${runTrigger}, ${stopRequested}`),
    )
  }

  /**
   * Claims a waiting run exclusively; undefined if it is not waiting. This does not count as a claim. The reply is stored
   * with it, so that a crash does not lose it, and so is the request to stop if the run is claimed only for that.
   */
  claimWaiting(
    workspaceId: string,
    id: string,
    { lease, until, reply, chatId, stops }: NewLease & { reply: string; chatId: string; stops?: boolean },
  ): Promise<RunRecord | undefined> {
    const waited = { settledAt: undefined, search: undefined }
    const stop = stops && { stopRequested: true }
    const change = runs.set({ status: 'running', lease, dueAt: until, ...waited, reply, ...stop })
    // A reply that is not a turn of its own continues the turn that made the run wait.
    return this.database.transaction(transaction =>
      transaction.get(sql`
        UPDATE runs SET ${change}, chat_id = COALESCE(NULLIF(${chatId}, ''), chat_id)
        WHERE ${runs.where({ workspaceId, id, status: 'waiting' })} RETURNING ${record}, ${runTrigger}`),
    )
  }

  /** Puts a run back into the queue, or leaves it as it was before it was claimed. */
  async release(
    { workspaceId, runId, lease }: RunLease,
    dueAt: number,
    before: Pick<DueRun, 'status' | 'lease'> = { status: 'queued', lease: undefined },
  ): Promise<void> {
    const change = runs.set({ status: before.status, lease: before.lease, dueAt })
    const where = runs.where({ workspaceId, id: runId, lease })
    await this.run(sql`UPDATE runs SET ${change} WHERE ${where}`)
  }

  /** When the next run is due, or undefined. */
  async nextDue(): Promise<number | undefined> {
    const row = await this.database.get(
      sql`SELECT MIN(due_at) ${earliest} FROM runs WHERE due_at IS NOT NULL`,
    )
    return row?.dueAt
  }

  /** Asks the lease holder to stop; a waiting or queued run is stopped here. Returns the status it has then. */
  requestStop(workspaceId: string, id: string, now: number): Promise<RunStatus | undefined> {
    return this.database.transaction(async transaction => {
      const where = runs.where({ workspaceId, id })
      const row = await transaction.get(
        sql`SELECT ${summary} FROM runs WHERE ${where} ${this.database.forUpdate}`,
      )
      if (row?.status === 'running')
        await transaction.run(sql`UPDATE runs SET ${runs.set({ stopRequested: true })} WHERE ${where}`)
      if (row?.status !== 'waiting' && row?.status !== 'queued') return row?.status
      const status = 'stopped'
      const change = runs.set({
        status,
        lease: undefined,
        dueAt: undefined,
        settledAt: now,
        finishedAt: now,
      })
      await transaction.run(sql`UPDATE runs SET ${change} WHERE ${where}`)
      // No lease holder is there to end its steps.
      await transaction.run(sql`
        UPDATE run_steps SET ${runSteps.set({ status, finishedAt: now })}
        WHERE ${runSteps.where({ workspaceId, runId: id })} AND status IN ('running', 'waiting')`)
      await addUsage(transaction, this.#shard, { ...row, workspaceId, status, finishedAt: now })
      return status
    })
  }
}

const textColumns = new Columns<{
  workspaceId: string
  id: string
  question: string
  answer: string
  inputs: string | null
}>(
  // A run from before this index existed has its question only in its inputs.
  `workspace_id AS "workspaceId", id, question, ${listedAnswer},
   CASE WHEN question = '' THEN inputs END AS inputs`,
  [],
)
const unindexed = raw('runs WHERE search IS NULL AND settled_at IS NOT NULL')
/** The number of runs that one transaction indexes, which takes about 10 ms on SQLite. */
const runsPerTransaction = raw('16')

function questionOf(inputs: string | null): string {
  const { query } = JSON.parse(inputs ?? '{}') as { query?: unknown }
  return typeof query === 'string' ? storedQuestion(query) : ''
}

/** Not part of the last commit, because splitting a text into sequences takes longer than all else that it stores. */
export class RunTextIndex extends Store {
  async index(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Checks first, with an index: an idle server should not start a thread for it.
      if (!(await this.database.get(sql`SELECT ${runs.columns('id')} FROM ${unindexed} LIMIT 1`))) return
      const found = await this.database
        .background('')
        .all(sql`SELECT ${textColumns} FROM ${unindexed} ORDER BY settled_at LIMIT ${runsPerTransaction}`)
      await this.database.transaction(async transaction => {
        for (const { workspaceId, id, answer, inputs, ...run } of found) {
          const question = run.question || questionOf(inputs)
          // As much of the answer as of the question: people remember how an answer begins.
          const search = searchText(question, [...answer].slice(0, limits.indexedTextLength).join(''))
          // A run that was resumed meanwhile is indexed again when it settles.
          await transaction.run(
            sql`UPDATE runs SET ${runs.set({ question, search })}
              WHERE ${runs.where({ workspaceId, id })} AND settled_at IS NOT NULL`,
          )
        }
      })
    }
  }
}
