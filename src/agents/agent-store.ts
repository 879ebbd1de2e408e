import type { Page, PageRequest } from '../contract/paging.ts'
import type { Agent, AgentSummary } from './agent.ts'

export interface AgentStore {
  add(workspaceId: string, agent: Agent): Promise<void>
  /**
   * Changes it under a lock, so that two changes at once both count. `change` may run again after a conflict.
   * Undefined when there is none.
   */
  update(workspaceId: string, id: string, change: (agent: Agent) => Agent): Promise<Agent | undefined>
  find(workspaceId: string, id: string): Promise<Agent | undefined>
  /** The only look by id alone: it finds nothing but public agents, of workspaces that are still there. */
  findPublic(id: string): Promise<{ workspaceId: string; agent: Agent } | undefined>
  findMany(workspaceId: string, ids: readonly string[]): Promise<Agent[]>
  /** The last changed first. */
  list(workspaceId: string, keyword: string, page: PageRequest): Promise<Page<AgentSummary>>
  /** Hides it with all its conversations at once; false when there is none. The rest is left to a sweep. */
  remove(workspaceId: string, id: string, at: number): Promise<boolean>
}
