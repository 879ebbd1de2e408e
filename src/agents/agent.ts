export const agentAccesses = ['public', 'private'] as const
/** `public`: anyone who knows its id may chat with it without a token. */
export type AgentAccess = (typeof agentAccesses)[number]

/** A memory value; `default` applies until a workflow assigns another. */
export interface MemoryEntry {
  readonly name?: string
  readonly description?: string
  readonly default?: unknown
}

export interface AgentTool {
  readonly version?: string
  readonly running_config?: Readonly<Record<string, unknown>>
}

/** With the names of the wire format. Unknown keys are kept for the clients that use them. */
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

/** The counterpart of a conversation. */
export interface Agent {
  readonly id: string
  readonly name: string
  readonly intro: string
  readonly memory: Readonly<Record<string, MemoryEntry>>
  /** By the id of the knowledge base. */
  readonly learn: Readonly<Record<string, unknown>>
  readonly config: AgentConfig
  readonly access: AgentAccess
  readonly createdAt: number
  readonly updatedAt: number
}

/** An agent in a list; the other fields may be long. */
export type AgentSummary = Omit<Agent, 'memory' | 'learn'>

/** A patch: a field that is left out stays as it is. */
export interface AgentChange {
  readonly name?: string | undefined
  readonly intro?: string | undefined
  readonly memory?: Agent['memory'] | undefined
  readonly learn?: Agent['learn'] | undefined
  /** Merged by key: null removes a key. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
  readonly access?: AgentAccess | undefined
}
