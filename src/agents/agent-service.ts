import type { Finding } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import type { Agent, AgentChange } from './agent.ts'
import type { AgentStore } from './agent-store.ts'
import { type AgentReferences, warnAgent } from './warn-agent.ts'

/** An agent with what prevents it from answering for now. */
export interface CheckedAgent {
  agent: Agent
  warnings: Finding[]
}

/** Merges settings by key: null removes a key, a key that is not given stays. */
function mergedConfig(config: Agent['config'], change: AgentChange['config']): Agent['config'] {
  const merged = new Map([...Object.entries(config), ...Object.entries(change ?? {})])
  const kept = Object.fromEntries([...merged].filter(([, value]) => value !== null))
  if (JSON.stringify(kept).length > limits.agentConfigLength)
    throw invalidField('/config', `must have at most ${limits.agentConfigLength} characters as JSON`)
  return kept
}

function bounded<Value>(path: string, value: Value): Value {
  if (JSON.stringify(value).length > limits.agentEntriesLength)
    throw invalidField(path, `must have at most ${limits.agentEntriesLength} characters as JSON`)
  return value
}

const changed = (before: Agent, change: AgentChange): Agent => ({
  ...before,
  name: change.name ?? before.name,
  intro: change.intro ?? before.intro,
  memory: change.memory ? bounded('/memory', change.memory) : before.memory,
  learn: change.learn ? bounded('/learn', change.learn) : before.learn,
  config: mergedConfig(before.config, change.config),
  access: change.access ?? before.access,
  allowedOrigins: change.allowedOrigins ?? before.allowedOrigins,
})

export class AgentService {
  /** For reads that need no further checks. */
  readonly store: AgentStore
  readonly #references: AgentReferences
  readonly #clock: Clock

  constructor(store: AgentStore, references: AgentReferences, clock: Clock) {
    this.store = store
    this.#references = references
    this.#clock = clock
  }

  async create(workspaceId: string, request: AgentChange & { name: string }): Promise<CheckedAgent> {
    const now = this.#clock.now()
    const blank = { name: '', intro: '', memory: {}, learn: {}, config: {}, access: 'private' } as const
    const start = { ...blank, allowedOrigins: [] }
    const agent = changed({ id: mintId('agent'), ...start, createdAt: now, updatedAt: now }, request)
    await this.store.add(workspaceId, agent)
    return { agent, warnings: await warnAgent(this.#references, workspaceId, agent) }
  }

  async update(workspaceId: string, id: string, change: AgentChange): Promise<CheckedAgent> {
    const agent = await this.store.update(workspaceId, id, before => ({
      ...changed(before, change),
      // A clock that was set back must not make a newer state look older.
      updatedAt: Math.max(this.#clock.now(), before.updatedAt + 1),
    }))
    if (!agent) throw noAgent(id)
    return { agent, warnings: await warnAgent(this.#references, workspaceId, agent) }
  }

  async get(workspaceId: string, id: string): Promise<Agent> {
    const agent = await this.store.find(workspaceId, id)
    if (!agent) throw noAgent(id)
    return agent
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.store.remove(workspaceId, id, this.#clock.now()))) throw noAgent(id)
  }
}

export const noAgent = (id: string): AppError => new AppError('not_found', `There is no agent ${id}`)
