import type { Database, Transaction } from '../../database/database.ts'
import { type RawSql, raw, sql } from '../../database/sql.ts'
import { Store } from '../../database/store.ts'
import { as, integer, type RowOf, table, text } from '../../database/table.ts'
import type { RunStatus } from './run-records.ts'

/**
 * Runs by the day (since 1970, in UTC) on which they ended. The rows outlive the runs. Each process adds to rows of its
 * own shard, so that replicas do not wait for each other's commits; readers sum over the shards.
 */
export const usageDays = table('usage_days', {
  workspaceId: text(),
  day: integer(),
  agentId: text(),
  workflowId: text(),
  shard: integer(),
  runs: integer(),
  failures: integer(),
  promptTokens: integer(),
  completionTokens: integer(),
  activeMilliseconds: integer(),
})

type UsageRow = RowOf<typeof usageDays>

/** Of the runs that ended, with any status. */
export type UsageTotals = Pick<
  UsageRow,
  'runs' | 'failures' | 'promptTokens' | 'completionTokens' | 'activeMilliseconds'
>
export type UsageDay = UsageTotals & Pick<UsageRow, 'day'>

/** Both days are part of the range. */
export interface UsageRange {
  fromDay: number
  toDay: number
  agentId?: string | undefined
  workflowId?: string | undefined
}

// PostgreSQL would return the sum as a decimal number, which arrives as a text.
const total = (column: string) => raw(`CAST(SUM(${column}) AS BIGINT)`)
const totals = sql`${total('runs')} ${as('runs', integer())}, ${total('failures')} ${as('failures', integer())},
  ${total('prompt_tokens')} ${as('promptTokens', integer())},
  ${total('completion_tokens')} ${as('completionTokens', integer())},
  ${total('active_milliseconds')} ${as('activeMilliseconds', integer())}`

const mostTokensFirst = raw('SUM(prompt_tokens) + SUM(completion_tokens) DESC, 1')

export class UsageStore extends Store {
  /** Days on which no run ended are left out; oldest first. */
  days(workspaceId: string, range: UsageRange): Promise<UsageDay[]> {
    return this.#sums('day', raw('1'), workspaceId, range)
  }

  /** The most tokens first. An empty id means runs without an agent. */
  byAgent(workspaceId: string, range: UsageRange): Promise<(UsageTotals & { agentId: string })[]> {
    return this.#sums('agentId', mostTokensFirst, workspaceId, range)
  }

  /** The most tokens first. An empty id means runs with a graph of their own. */
  byWorkflow(workspaceId: string, range: UsageRange): Promise<(UsageTotals & { workflowId: string })[]> {
    return this.#sums('workflowId', mostTokensFirst, workspaceId, range)
  }

  #sums<Key extends 'day' | 'agentId' | 'workflowId'>(
    group: Key,
    order: RawSql,
    workspaceId: string,
    { fromDay, toDay, agentId, workflowId }: UsageRange,
  ): Promise<(UsageTotals & Pick<UsageRow, Key>)[]> {
    const filter = usageDays.where({
      workspaceId,
      ...(agentId !== undefined && { agentId }),
      ...(workflowId !== undefined && { workflowId }),
    })
    return this.database.all(
      sql`SELECT ${usageDays.columns(group)}, ${totals} FROM usage_days
        WHERE ${filter} AND day BETWEEN ${fromDay} AND ${toDay} GROUP BY 1 ORDER BY ${order}`,
    ) as Promise<(UsageTotals & Pick<UsageRow, Key>)[]>
  }
}

interface EndedRun
  extends Omit<UsageTotals, 'runs' | 'failures'>,
    Pick<UsageRow, 'workspaceId' | 'agentId' | 'workflowId'> {
  status: RunStatus
  finishedAt: number
}

const dayMilliseconds = 86_400_000
const shards = 16

/** SQLite has one writer anyway. */
export const usageShard = ({ dialect }: Database): number =>
  dialect === 'sqlite' ? 0 : Math.floor(Math.random() * shards)

const add = ['runs', 'failures', 'prompt_tokens', 'completion_tokens', 'active_milliseconds']
  .map(column => `${column} = usage_days.${column} + excluded.${column}`)
  .join(', ')

/** Comes last in a transaction, because other transactions wait for the row from here on. */
export async function addUsage(transaction: Transaction, shard: number, run: EndedRun): Promise<void> {
  await transaction.run(
    `INSERT INTO usage_days (workspace_id, day, agent_id, workflow_id, shard,
       runs, failures, prompt_tokens, completion_tokens, active_milliseconds) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, day, agent_id, workflow_id, shard) DO UPDATE SET ${add}`,
    run.workspaceId,
    Math.floor(run.finishedAt / dayMilliseconds),
    run.agentId,
    run.workflowId,
    shard,
    run.status === 'failed' ? 1 : 0,
    run.promptTokens,
    run.completionTokens,
    Math.round(run.activeMilliseconds),
  )
}
