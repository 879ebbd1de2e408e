import type { Finding } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import type { Agent, AgentChange, AgentSummary } from './agent.ts'
import type { AgentReferences } from './agent-references.ts'
import type { AgentStore } from './agent-store.ts'
import { warnAgent } from './warn-agent.ts'

/** An agent with what keeps it from answering for now. */
export interface CheckedAgent {
  agent: Agent
  warnings: Finding[]
}

/** Settings key by key: what is null goes, what is not named stays. */
function mergedConfig(config: Agent['config'], change: AgentChange['config']): Agent['config'] {
  const merged = new Map([...Object.entries(config), ...Object.entries(change ?? {})])
  const kept = Object.fromEntries([...merged].filter(([, value]) => value !== null))
  if (JSON.stringify(kept).length > limits.agentConfigLength)
    throw invalidField('/config', `must take no more than ${limits.agentConfigLength} characters as JSON`)
  return kept
}

function bounded<Value>(path: string, value: Value): Value {
  if (JSON.stringify(value).length > limits.agentEntriesLength)
    throw invalidField(path, `must take no more than ${limits.agentEntriesLength} characters as JSON`)
  return value
}

export class AgentService {
  readonly #store: AgentStore
  readonly #references: AgentReferences
  readonly #clock: Clock

  constructor(store: AgentStore, references: AgentReferences, clock: Clock) {
    this.#store = store
    this.#references = references
    this.#clock = clock
  }

  async create(workspaceId: string, wish: AgentChange & { name: string }): Promise<CheckedAgent> {
    const now = this.#clock.now()
    const agent: Agent = {
      id: mintId('agent'),
      name: wish.name,
      intro: wish.intro ?? '',
      memory: bounded('/memory', wish.memory ?? {}),
      learn: bounded('/learn', wish.learn ?? {}),
      config: mergedConfig({}, wish.config),
      access: wish.access ?? 'private',
      createdAt: now,
      updatedAt: now,
    }
    await this.#store.add(workspaceId, agent)
    return { agent, warnings: await warnAgent(this.#references, workspaceId, agent) }
  }

  async update(workspaceId: string, id: string, change: AgentChange): Promise<CheckedAgent> {
    const agent = await this.#store.update(workspaceId, id, before => ({
      ...before,
      name: change.name ?? before.name,
      intro: change.intro ?? before.intro,
      memory: change.memory ? bounded('/memory', change.memory) : before.memory,
      learn: change.learn ? bounded('/learn', change.learn) : before.learn,
      config: mergedConfig(before.config, change.config),
      access: change.access ?? before.access,
      // A clock that was set back must not make a newer state look older.
      updatedAt: Math.max(this.#clock.now(), before.updatedAt + 1),
    }))
    if (!agent) throw noAgent(id)
    return { agent, warnings: await warnAgent(this.#references, workspaceId, agent) }
  }

  async get(workspaceId: string, id: string): Promise<Agent> {
    const agent = await this.#store.find(workspaceId, id)
    if (!agent) throw noAgent(id)
    return agent
  }

  findPublic(id: string): Promise<{ workspaceId: string; agent: Agent } | undefined> {
    return this.#store.findPublic(id)
  }

  async gets(workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Agent>> {
    const found = await this.#store.findMany(workspaceId, [...new Set(ids)])
    return new Map(found.map(agent => [agent.id, agent]))
  }

  list(workspaceId: string, keyword: string, page: PageRequest): Promise<Page<AgentSummary>> {
    return this.#store.list(workspaceId, keyword, page)
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.#store.remove(workspaceId, id, this.#clock.now()))) throw noAgent(id)
  }
}

const noAgent = (id: string): AppError => new AppError('not_found', `There is no agent ${id}`)
