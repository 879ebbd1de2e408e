import type { Database, Reader, Transaction } from '../../../database/database.ts'
import { type Query, type RawSql, raw, sql } from '../../../database/sql.ts'
import { Store } from '../../../database/store.ts'
import { as, integer, type RowOf, real, table, text } from '../../../database/table.ts'
import { dayMilliseconds } from '../../../kernel/clock.ts'
import type { RunStatus } from './run-records.ts'

const counted = {
  agentId: text(),
  workflowId: text(),
  shard: integer(),
  runs: integer(),
  failures: integer(),
  promptTokens: integer(),
  completionTokens: integer(),
  cost: real(),
  activeMilliseconds: integer(),
}

/**
 * Usage by the day (since 1970, in UTC) on which runs ended. The rows outlive the runs. Each process adds to rows of its
 * own shard, so that replicas do not wait for each other's commits; readers sum over the shards.
 */
export const usageDays = table('usage_days', {
  workspaceId: text(),
  day: integer(),
  ...counted,
})

/** Sums written by triggers: per day, with empty ids, and per agent and workflow in periods of `rollupDays` days. */
export const usageRollups = table('usage_rollups', {
  workspaceId: text(),
  /** How many days it sums up: 1 or `rollupDays`. */
  days: integer(),
  /** The day divided by `days`. */
  period: integer(),
  ...counted,
})

/** The triggers in migration 0018 have the same number. */
const rollupDays = 30

type UsageRow = RowOf<typeof usageDays>

/** Of the runs that ended, with any status. */
export type UsageTotals = Pick<
  UsageRow,
  'runs' | 'failures' | 'promptTokens' | 'completionTokens' | 'cost' | 'activeMilliseconds'
>
export type UsageDay = UsageTotals & Pick<UsageRow, 'day'>

/** Both days are part of the range. */
export interface UsageRange {
  fromDay: number
  toDay: number
  agentId?: string | undefined
  workflowId?: string | undefined
}

const countColumns = ['runs', 'failures', 'prompt_tokens', 'completion_tokens', 'cost', 'active_milliseconds']
const counts = raw(countColumns.join(', '))
const mostTokensFirst = raw('SUM(prompt_tokens) + SUM(completion_tokens) DESC, 1')
// Without the cast, PostgreSQL returns the sum as a decimal number, which the driver delivers as text.
const total = (column: string) => raw(`CAST(SUM(${column}) AS BIGINT)`)
const totals = sql`${total('runs')} ${as('runs', integer())}, ${total('failures')} ${as('failures', integer())},
  ${total('prompt_tokens')} ${as('promptTokens', integer())},
  ${total('completion_tokens')} ${as('completionTokens', integer())},
  SUM(cost) ${as('cost', real())}, ${total('active_milliseconds')} ${as('activeMilliseconds', integer())}`

const subjects = {
  day: { column: raw('day'), order: raw('1') },
  agentId: { column: raw('agent_id'), order: mostTokensFirst },
  workflowId: { column: raw('workflow_id'), order: mostTokensFirst },
} as const
type Subject = keyof typeof subjects

export class UsageStore extends Store {
  /** Days on which no run ended are left out; oldest first. */
  days(workspaceId: string, range: UsageRange): Promise<UsageDay[]> {
    return this.#sums(this.database, 'day', workspaceId, range)
  }

  /** The most tokens first. An empty id means runs without an agent. */
  byAgent(workspaceId: string, range: UsageRange): Promise<(UsageTotals & { agentId: string })[]> {
    return this.#sums(this.database.background(workspaceId), 'agentId', workspaceId, range)
  }

  /** The most tokens first. An empty id means runs with a graph of their own. */
  byWorkflow(workspaceId: string, range: UsageRange): Promise<(UsageTotals & { workflowId: string })[]> {
    return this.#sums(this.database.background(workspaceId), 'workflowId', workspaceId, range)
  }

  #sums<Key extends Subject>(
    reader: Reader,
    key: Key,
    workspaceId: string,
    range: UsageRange,
  ): Promise<(UsageTotals & Pick<UsageRow, Key>)[]> {
    return reader.all(
      sql`SELECT subject AS ${raw(`"${key}"`)}, ${totals} FROM (${rowsOf(key, workspaceId, range)}) AS counted
        GROUP BY subject ORDER BY ${subjects[key].order}`,
    ) as Promise<(UsageTotals & Pick<UsageRow, Key>)[]>
  }
}

/** The rows to sum up: rollups as far as they fit into the range, rows of single days before and after them. */
function rowsOf(key: Subject, workspaceId: string, { fromDay, toDay, ...ids }: UsageRange): Query {
  const { column } = subjects[key]
  const given = Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined))
  const filter = usageDays.where({ workspaceId, ...given })
  const days = (first: number, last: number): Query =>
    sql`SELECT ${column} AS subject, ${counts} FROM usage_days WHERE ${filter} AND day BETWEEN ${first} AND ${last}`
  const rollups = (length: number, subject: RawSql, first: number, last: number): Query =>
    sql`SELECT ${subject} AS subject, ${counts} FROM usage_rollups
      WHERE ${filter} AND days = ${length} AND period BETWEEN ${first} AND ${last}`
  if (key === 'day')
    return Object.keys(given).length === 0 ? rollups(1, raw('period'), fromDay, toDay) : days(fromDay, toDay)
  const first = Math.ceil(fromDay / rollupDays)
  const last = Math.floor((toDay + 1) / rollupDays) - 1
  if (first > last) return days(fromDay, toDay)
  return sql`${rollups(rollupDays, column, first, last)}
    UNION ALL ${days(fromDay, first * rollupDays - 1)} UNION ALL ${days((last + 1) * rollupDays, toDay)}`
}

interface EndedRun
  extends Omit<UsageTotals, 'runs' | 'failures'>,
    Pick<UsageRow, 'workspaceId' | 'agentId' | 'workflowId'> {
  status: RunStatus
  finishedAt: number
}

const shards = 16

/** SQLite has one writer and needs only one shard. */
export const usageShard = ({ dialect }: Database): number =>
  dialect === 'sqlite' ? 0 : Math.floor(Math.random() * shards)

const add = countColumns.map(column => `${column} = usage_days.${column} + excluded.${column}`).join(', ')

/** Comes last in a transaction, because other transactions wait for the row from here on. */
export async function addUsage(transaction: Transaction, shard: number, run: EndedRun): Promise<void> {
  await transaction.run(
    `INSERT INTO usage_days (workspace_id, day, agent_id, workflow_id, shard,
       runs, failures, prompt_tokens, completion_tokens, cost, active_milliseconds) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, day, agent_id, workflow_id, shard) DO UPDATE SET ${add}`,
    run.workspaceId,
    Math.floor(run.finishedAt / dayMilliseconds),
    run.agentId,
    run.workflowId,
    shard,
    run.status === 'failed' ? 1 : 0,
    run.promptTokens,
    run.completionTokens,
    run.cost,
    Math.round(run.activeMilliseconds),
  )
}
