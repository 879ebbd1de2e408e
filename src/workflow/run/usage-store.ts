export interface UsageTotals {
  /** Runs that ended, however they did. */
  runs: number
  failures: number
  promptTokens: number
  completionTokens: number
  activeMilliseconds: number
}

export interface UsageDay extends UsageTotals {
  /** Days since 1970, in UTC: that on which the runs ended. */
  day: number
}

/** Both days are part of the range. */
export interface UsageRange {
  fromDay: number
  toDay: number
  agentId?: string | undefined
  workflowId?: string | undefined
}

/** What runs have used. It is counted when a run ends, and outlives the run. */
export interface UsageStore {
  /** Days on which nothing ended are left out; oldest first. */
  days(workspaceId: string, range: UsageRange): Promise<UsageDay[]>
  /** Those that used the most tokens come first. An empty id stands for runs without an agent. */
  byAgent(workspaceId: string, range: UsageRange): Promise<(UsageTotals & { agentId: string })[]>
  /** Those that used the most tokens come first. An empty id stands for runs that brought their own graph. */
  byWorkflow(workspaceId: string, range: UsageRange): Promise<(UsageTotals & { workflowId: string })[]>
}
