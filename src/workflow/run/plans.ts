import { limits } from '../../contract/limits.ts'
import { AppError } from '../../kernel/app-error.ts'
import { LeastRecentMap } from '../../kernel/least-recent-map.ts'
import type { Graph } from '../graph.ts'
import type { KindRegistry } from '../node-kind.ts'
import { warnGraph } from '../warn-graph.ts'
import type { WorkflowStore } from '../workflow-store.ts'
import { type Plan, planGraph } from './plan.ts'

export interface FoundPlan {
  plan: Plan
  /** The graph as it is stored. */
  bytes: Uint8Array
  version: number
}

const maxCachedPlans = 200
/** Larger graphs are planned for every run: they are rare, and together they would fill the memory. */
const maxCachedGraphBytes = 128 << 10

/** Finds stored graphs and plans them; the most recently used plans are cached. */
export class Plans {
  readonly #store: WorkflowStore
  readonly #kinds: KindRegistry
  readonly #cached = new LeastRecentMap<string, FoundPlan>(maxCachedPlans)

  constructor(store: WorkflowStore, kinds: KindRegistry) {
    this.#store = store
    this.#kinds = kinds
  }

  /** Fails with `not_found`, or with `workflow_not_runnable` and all blocking warnings. */
  async find(workspaceId: string, workflowId: string, version: number | undefined): Promise<FoundPlan> {
    const stored = await this.#read(workspaceId, workflowId, version)
    const key = `${workspaceId} ${workflowId} ${stored.version}`
    const cached = this.#cached.get(key)
    // A workflow that was deleted and created again restarts its version numbers, so the bytes are compared.
    if (cached && Buffer.compare(cached.bytes, stored.graph) === 0) return cached
    const graph = JSON.parse(new TextDecoder().decode(stored.graph)) as Graph
    const found = { plan: this.planOf(graph), bytes: stored.graph, version: stored.version }
    if (stored.graph.length <= maxCachedGraphBytes) this.#cached.set(key, found)
    return found
  }

  /** A stored graph, whether or not it can run as a whole. */
  async findDraft(
    workspaceId: string,
    workflowId: string,
    version: number | undefined,
  ): Promise<{ graph: Graph; version: number }> {
    const stored = await this.#read(workspaceId, workflowId, version)
    return { graph: JSON.parse(new TextDecoder().decode(stored.graph)) as Graph, version: stored.version }
  }

  async #read(
    workspaceId: string,
    workflowId: string,
    version: number | undefined,
  ): Promise<{ graph: Uint8Array; version: number }> {
    const stored =
      version === undefined
        ? await this.#store.find(workspaceId, workflowId)
        : await this.#store.version(workspaceId, workflowId, version)
    if (stored) return stored
    const what = version === undefined ? 'workflow' : `version ${version} of a workflow`
    throw new AppError('not_found', `There is no ${what} ${workflowId}`)
  }

  /** The plan of a graph that was accepted once. */
  planOf(graph: Graph): Plan {
    const blocking = warnGraph(graph, this.#kinds, '/workflow').filter(warning => warning.blocking)
    if (blocking.length > 0)
      throw new AppError('workflow_not_runnable', `The workflow cannot run yet: ${blocking[0]!.message}`, {
        errors: blocking.slice(0, limits.findings).map(({ path, message }) => ({ path, message })),
      })
    return planGraph(graph, this.#kinds)
  }
}
