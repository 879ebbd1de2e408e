import type { Finding } from '../../contract/finding.ts'
import { limits } from '../../contract/limits.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import { LeastRecentMap } from '../../kernel/least-recent-map.ts'
import { inSlices, type Pausable } from '../../kernel/slices.ts'
import { findKind, type Graph, parseGraph } from '../graph.ts'
import type { KindRegistry } from '../node-kind.ts'
import { oversizeOf } from '../node-size.ts'
import type { Outputs } from '../step.ts'
import { warnGraph } from '../warn-graph.ts'
import { noWorkflow, type PlannedGraph, type WorkflowStore } from '../workflow-store.ts'
import { type Plan, planGraph, planNode } from './plan.ts'

/** What a task runs. */
export interface Work {
  readonly plan: Plan
  /** Outputs of nodes that do not run, where a single one is tested. */
  readonly given?: ReadonlyMap<number, Outputs> | undefined
}

/** A test of a single node; `outputs` replace those of the nodes before it. */
export interface Trial {
  nodeId: string
  outputs: Readonly<Record<string, Outputs>>
}

interface FoundPlan {
  plan: Plan
  version: number
}

interface CachedPlan extends FoundPlan {
  /** The graph as it is stored. */
  bytes: Uint8Array
  /** When it was stored; known once it was found as the current version. */
  storedAt?: number
}

const maxCachedPlans = 200
/** Larger graphs are planned for every run: they are rare, and together they would fill the memory. */
const maxCachedGraphBytes = 128 << 10

const keyOf = (workspaceId: string, workflowId: string, version: number): string =>
  `${workspaceId} ${workflowId} ${version}`

/** Finds stored graphs and plans them; the most recently used plans are cached. */
export class Plans {
  readonly #store: WorkflowStore
  readonly #kinds: KindRegistry
  readonly #cached = new LeastRecentMap<string, CachedPlan>(maxCachedPlans)

  constructor(store: WorkflowStore, kinds: KindRegistry) {
    this.#store = store
    this.#kinds = kinds
  }

  /** Fails with `not_found`, or with `workflow_not_runnable` and all blocking warnings. */
  async find(workspaceId: string, workflowId: string, version?: number): Promise<FoundPlan> {
    if (version === undefined) return this.#findCurrent(workspaceId, workflowId)
    return this.#planned(workspaceId, workflowId, await this.#read(workspaceId, workflowId, version))
  }

  /** Every run asks for the number of the current version; its graph is read only where no plan is cached. */
  async #findCurrent(workspaceId: string, workflowId: string): Promise<FoundPlan> {
    const current = await this.#store.current(workspaceId, workflowId)
    if (!current) throw noWorkflow(workflowId)
    const cached = this.#cached.get(keyOf(workspaceId, workflowId, current.version))
    // No number is used for two graphs, unless a backup was restored.
    if (cached?.storedAt === current.updatedAt) return cached
    const stored = await this.#store.find(workspaceId, workflowId)
    if (!stored) throw noWorkflow(workflowId)
    const found = await this.#planned(workspaceId, workflowId, stored)
    found.storedAt = stored.updatedAt
    return found
  }

  /** The version that a run started with, also when the workflow was deleted since. */
  async findPinned(workspaceId: string, workflowId: string, version: number): Promise<FoundPlan> {
    return this.#planned(workspaceId, workflowId, await this.#readPinned(workspaceId, workflowId, version))
  }

  async #planned(workspaceId: string, workflowId: string, stored: PlannedGraph): Promise<CachedPlan> {
    const key = keyOf(workspaceId, workflowId, stored.version)
    const cached = this.#cached.get(key)
    if (cached && Buffer.compare(cached.bytes, stored.graph) === 0) return cached
    const plan = await inSlices(this.#planStored(stored))
    const found: CachedPlan = { plan, bytes: stored.graph, version: stored.version }
    if (stored.graph.length <= maxCachedGraphBytes) this.#cached.set(key, found)
    return found
  }

  /** One node of a stored graph on its own, whether or not the graph can run as a whole. */
  async findTrial(
    workspaceId: string,
    workflowId: string,
    { nodeId, outputs }: Trial,
    version?: number,
  ): Promise<Work & { version: number }> {
    const stored =
      version === undefined
        ? await this.#read(workspaceId, workflowId, undefined)
        : await this.#readPinned(workspaceId, workflowId, version)
    const graph = await inSlices(parseGraph(stored.graph))
    const node = graph.nodes.find(({ id }) => id === nodeId)
    if (!node) throw new AppError('not_found', `The workflow ${workflowId} has no node ${nodeId}`)
    if (!findKind(node.data, this.#kinds))
      throw invalidField('/node_id', 'refers to a node of an unknown kind, which cannot run')
    const plan = await inSlices(planNode(graph, nodeId, this.#kinds))
    const given = new Map<number, Outputs>()
    for (const { id, place } of plan.nodes)
      if (id !== nodeId && Object.hasOwn(outputs, id)) given.set(place, outputs[id]!)
    return { plan, given, version: stored.version }
  }

  async #readPinned(workspaceId: string, workflowId: string, version: number): Promise<PlannedGraph> {
    const stored =
      (await this.#store.version(workspaceId, workflowId, version)) ??
      (await this.#store.kept(workspaceId, workflowId, version))
    if (!stored) throw noWorkflow(workflowId, version)
    return stored
  }

  async #read(workspaceId: string, workflowId: string, version: number | undefined): Promise<PlannedGraph> {
    const stored =
      version === undefined
        ? await this.#store.find(workspaceId, workflowId)
        : await this.#store.version(workspaceId, workflowId, version)
    if (!stored) throw noWorkflow(workflowId, version)
    return stored
  }

  /** The plan of a graph that was accepted once. */
  planOf(graph: Graph): Plan | Promise<Plan> {
    return inSlices(this.#plan(graph))
  }

  *#planStored({ graph }: PlannedGraph): Pausable<Plan> {
    return yield* this.#plan(yield* parseGraph(graph))
  }

  *#plan(graph: Graph): Pausable<Plan> {
    const errors: Finding[] = []
    for (const [place, { data }] of graph.nodes.entries()) {
      const message = oversizeOf(data, findKind(data, this.#kinds))
      if (message !== undefined) errors.push({ path: `/workflow/nodes/${place}/data`, message })
      yield
    }
    if (errors.length === 0)
      for (const { path, message, blocking } of yield* warnGraph(graph, this.#kinds, '/workflow'))
        if (blocking) errors.push({ path, message })
    if (errors.length > 0)
      throw new AppError('workflow_not_runnable', `The workflow cannot run yet: ${errors[0]!.message}`, {
        errors: errors.slice(0, limits.findings),
      })
    return yield* planGraph(graph, this.#kinds)
  }
}
