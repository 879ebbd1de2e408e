import { type Finding, firstFinding } from '../../contract/finding.ts'
import { limits } from '../../contract/limits.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import { LruMap } from '../../kernel/lru-map.ts'
import { inSlices, type Pausable } from '../../kernel/slices.ts'
import { findKind, type Graph, parseGraph } from '../graph.ts'
import type { KindRegistry } from '../node-kind.ts'
import { oversizeOf } from '../refuse-graph.ts'
import type { Outputs } from '../step.ts'
import { warnGraph } from '../warn-graph.ts'
import { noWorkflow, type PlannedGraph, type WorkflowStore } from '../workflow-store.ts'
import { type Plan, planGraph, planNode } from './plan.ts'

/** The plan that a task runs. */
export interface Work {
  readonly plan: Plan
  /** Outputs of nodes that do not run, where a single one is tested. */
  readonly given?: ReadonlyMap<number, Outputs> | undefined
}

/**
 * Which version of a workflow runs: a certain one, the newest (`draft`), or the published one (`published`); if none is
 * published, the newest. By default, as for agents and other workflows, the published one, too; if none is published and
 * the newest cannot run, the newest that can.
 */
export type VersionChoice = number | 'draft' | 'published'

/** A test of a single node; `outputs` replace those of the nodes before it. */
export interface Trial {
  nodeId: string
  outputs: Readonly<Record<string, Outputs>>
}

export interface FoundPlan {
  plan: Plan
  version: number
  /** The newest version, if this one runs in its place because that one cannot. */
  skippedVersion?: number
}

interface CachedPlan {
  version: number
  /** The graph as it is stored. */
  bytes: Uint8Array
  /** The plan, or why it cannot run. */
  planned: Plan | AppError
  /** When it became the newest or the published version; set once it was looked up as such. */
  since?: number
  /** The version that runs in its place if it cannot run. */
  substitute?: FoundPlan
}

const maxCachedPlans = 200
/** Larger graphs are planned for every run: they are rare, and together they would fill the memory. */
const maxCachedGraphBytes = 128 << 10

const keyOf = (workspaceId: string, workflowId: string, version: number): string =>
  `${workspaceId} ${workflowId} ${version}`

function planOrThrow({ planned, version }: CachedPlan): FoundPlan {
  if (planned instanceof AppError) throw planned
  return { plan: planned, version }
}

/** Finds stored graphs and plans them; the most recently used plans are cached. */
export class Plans {
  readonly #store: WorkflowStore
  readonly #kinds: KindRegistry
  readonly #cached = new LruMap<string, CachedPlan>(maxCachedPlans)

  constructor(store: WorkflowStore, kinds: KindRegistry) {
    this.#store = store
    this.#kinds = kinds
  }

  /** Fails with `not_found`, or with `workflow_not_runnable` and all blocking warnings. */
  async find(workspaceId: string, workflowId: string, version?: VersionChoice): Promise<FoundPlan> {
    if (typeof version === 'number') {
      const stored = await this.#read(workspaceId, workflowId, version)
      return planOrThrow(await this.#planned(workspaceId, workflowId, stored))
    }
    const current = await this.#store.current(workspaceId, workflowId)
    if (!current) throw noWorkflow(workflowId)
    const { publishedVersion, publishedAt } = current
    if (version !== 'draft' && publishedVersion !== undefined)
      return planOrThrow(await this.#findSince(workspaceId, workflowId, publishedVersion, publishedAt))
    const newest = await this.#findSince(workspaceId, workflowId, current.version, current.updatedAt)
    if (version === undefined && newest.planned instanceof AppError)
      newest.substitute ??= await this.#findSubstitute(workspaceId, workflowId, newest.version)
    return newest.substitute && version === undefined ? newest.substitute : planOrThrow(newest)
  }

  /** Every run asks for the numbers of the versions; a graph is read only where no plan is cached. */
  async #findSince(
    workspaceId: string,
    workflowId: string,
    version: number,
    since: number | undefined,
  ): Promise<CachedPlan> {
    const cached = this.#cached.get(keyOf(workspaceId, workflowId, version))
    // No number is used for two graphs, unless a backup was restored.
    if (cached && cached.since === since) return cached
    // It may have been replaced since its number was read.
    const stored = await this.#readPinned(workspaceId, workflowId, version)
    const found = await this.#planned(workspaceId, workflowId, stored)
    if (since !== undefined) found.since = since
    return found
  }

  /** The newest version that can run, where no version is published and the newest cannot. */
  async #findSubstitute(
    workspaceId: string,
    workflowId: string,
    skippedVersion: number,
  ): Promise<FoundPlan | undefined> {
    for (const version of await this.#store.runnableBefore(workspaceId, workflowId, skippedVersion)) {
      const stored = await this.#store.version(workspaceId, workflowId, version)
      const found = stored && (await this.#planned(workspaceId, workflowId, stored))
      if (found && !(found.planned instanceof AppError))
        return { plan: found.planned, version, skippedVersion }
    }
    return undefined
  }

  /** The version that a run started with, also when the workflow was deleted since. */
  async findPinned(workspaceId: string, workflowId: string, version: number): Promise<FoundPlan> {
    const stored = await this.#readPinned(workspaceId, workflowId, version)
    return planOrThrow(await this.#planned(workspaceId, workflowId, stored))
  }

  async #planned(workspaceId: string, workflowId: string, stored: PlannedGraph): Promise<CachedPlan> {
    const key = keyOf(workspaceId, workflowId, stored.version)
    const cached = this.#cached.get(key)
    if (cached && Buffer.compare(cached.bytes, stored.graph) === 0) return cached
    const planned = await inSlices(this.#planStored(stored))
    const found: CachedPlan = { planned, bytes: stored.graph, version: stored.version }
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
  async planOf(graph: Graph): Promise<Plan> {
    const planned = await inSlices(this.#plan(graph))
    if (planned instanceof AppError) throw planned
    return planned
  }

  *#planStored({ graph }: PlannedGraph): Pausable<Plan | AppError> {
    return yield* this.#plan(yield* parseGraph(graph))
  }

  *#plan(graph: Graph): Pausable<Plan | AppError> {
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
      return new AppError('workflow_not_runnable', `The workflow cannot run yet: ${firstFinding(errors)}`, {
        errors: errors.slice(0, limits.findings),
      })
    return yield* planGraph(graph, this.#kinds)
  }
}
