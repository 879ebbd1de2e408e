import type { Database } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import type { UsageDay, UsageRange, UsageStore, UsageTotals } from '../../workflow/run/usage-store.ts'

interface Row {
  name: string | number
  runs: number
  failures: number
  prompt_tokens: number
  completion_tokens: number
  active_milliseconds: number
}

// PostgreSQL would make a decimal number of a sum, which travels as a text.
const sums = ['runs', 'failures', 'prompt_tokens', 'completion_tokens', 'active_milliseconds']
  .map(column => `CAST(SUM(${column}) AS BIGINT) AS ${column}`)
  .join(', ')

const totals = (row: Row): UsageTotals => ({
  runs: row.runs,
  failures: row.failures,
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  activeMilliseconds: row.active_milliseconds,
})

const mostTokensFirst = 'SUM(prompt_tokens) + SUM(completion_tokens) DESC'

export class SqlUsageStore implements UsageStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async days(workspaceId: string, range: UsageRange): Promise<UsageDay[]> {
    const rows = await this.#sum('day', 'day', workspaceId, range)
    return rows.map(row => ({ day: row.name as number, ...totals(row) }))
  }

  async byAgent(workspaceId: string, range: UsageRange): Promise<(UsageTotals & { agentId: string })[]> {
    const rows = await this.#sum('agent_id', `${mostTokensFirst}, agent_id`, workspaceId, range)
    return rows.map(row => ({ agentId: row.name as string, ...totals(row) }))
  }

  async byWorkflow(
    workspaceId: string,
    range: UsageRange,
  ): Promise<(UsageTotals & { workflowId: string })[]> {
    const rows = await this.#sum('workflow_id', `${mostTokensFirst}, workflow_id`, workspaceId, range)
    return rows.map(row => ({ workflowId: row.name as string, ...totals(row) }))
  }

  #sum(column: string, order: string, workspaceId: string, range: UsageRange): Promise<Row[]> {
    const conditions = ['workspace_id = ?', 'day BETWEEN ? AND ?']
    const parameters: SqlValue[] = [workspaceId, range.fromDay, range.toDay]
    for (const [name, value] of [
      ['agent_id', range.agentId],
      ['workflow_id', range.workflowId],
    ] as const)
      if (value !== undefined) {
        conditions.push(`${name} = ?`)
        parameters.push(value)
      }
    return this.#database.all<Row>(
      `SELECT ${column} AS name, ${sums} FROM usage_days WHERE ${conditions.join(' AND ')} GROUP BY ${column} ORDER BY ${order}`,
      ...parameters,
    )
  }
}
