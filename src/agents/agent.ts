export const agentAccesses = ['public', 'private'] as const
/** `public`: whoever knows its id may talk to it without a token. */
export type AgentAccess = (typeof agentAccesses)[number]

/** A value that an agent remembers; `default` holds until a workflow assigns another. */
export interface MemoryEntry {
  readonly name?: string
  readonly description?: string
  readonly default?: unknown
}

export interface AgentTool {
  readonly version?: string
  readonly running_config?: Readonly<Record<string, unknown>>
}

/** The names are those of the wire. Keys that nobody knows here are kept for the clients that do. */
export interface AgentConfig {
  readonly prologue?: string
  readonly recommendation_question?: readonly string[]
  readonly tools?: Readonly<Record<string, AgentTool>>
  /** The workflow that answers; without one the agent is a persona. */
  readonly workflow_id?: string
  readonly character_profile?: string
  readonly model?: string
  readonly [key: string]: unknown
}

/** What a conversation talks to. */
export interface Agent {
  readonly id: string
  readonly name: string
  readonly intro: string
  readonly memory: Readonly<Record<string, MemoryEntry>>
  /** By knowledge id. */
  readonly learn: Readonly<Record<string, unknown>>
  readonly config: AgentConfig
  readonly access: AgentAccess
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a list tells of an agent: the rest may be long. */
export type AgentSummary = Omit<Agent, 'memory' | 'learn'>

/** What a caller wants to change; what is left out stays as it is. */
export interface AgentChange {
  readonly name?: string | undefined
  readonly intro?: string | undefined
  readonly memory?: Agent['memory'] | undefined
  readonly learn?: Agent['learn'] | undefined
  /** Key by key: one that is null goes. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
  readonly access?: AgentAccess | undefined
}
