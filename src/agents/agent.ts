/** `public`: anyone who knows its id may chat with it without a token. */
export type AgentAccess = 'public' | 'private'

/** The settings, with the names of the wire format. Other keys are kept for the clients that use them. */
interface AgentConfig {
  readonly tools?: Readonly<Record<string, { running_config?: Readonly<Record<string, unknown>> }>>
  /** The workflow that answers; without one the agent is a persona. */
  readonly workflow_id?: string
  readonly character_profile?: string
  readonly model?: string
  /** Whether a model proposes the next questions after each answer. */
  readonly suggest_questions?: boolean
  /** The minimum similarity at which a question gets the answer of an annotation. */
  readonly annotation_threshold?: number
  readonly [key: string]: unknown
}

/** The counterpart of a conversation. */
export interface Agent {
  readonly id: string
  readonly name: string
  readonly intro: string
  /** Variables of a conversation; `default` applies until a workflow assigns another value. */
  readonly memory: Readonly<Record<string, { name?: string; description?: string; default?: unknown }>>
  /** Settings by the id of the knowledge base. */
  readonly learn: Readonly<Record<string, unknown>>
  readonly config: AgentConfig
  readonly access: AgentAccess
  /** Websites that may embed it and call it from their pages; `*` stands for all. */
  readonly allowedOrigins: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
}

/** An agent in a list; the other fields may be long. */
export type AgentSummary = Omit<Agent, 'memory' | 'learn' | 'allowedOrigins'>

/** A patch: a field that is left out stays as it is; `config` is merged by key, and null removes a key. */
export type AgentChange = Partial<Omit<AgentSummary, 'id' | 'config' | 'createdAt' | 'updatedAt'>> &
  Partial<Pick<Agent, 'memory' | 'learn' | 'allowedOrigins'>> & {
    config?: Readonly<Record<string, unknown>> | undefined
  }
