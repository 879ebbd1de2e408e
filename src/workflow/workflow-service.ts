import { firstFinding } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { inSlices } from '../kernel/slices.ts'
import { parseGraph } from './graph.ts'
import {
  type CheckResult,
  GraphChecker,
  type GraphCheckerParts,
  type PreparedGraph,
  type SentGraph,
} from './graph-checker.ts'
import type { PublicationStore } from './publication-store.ts'
import type { FindUsers, WorkflowUser } from './used-by.ts'
import { isRunnable, type Warning } from './warning.ts'
import {
  type Expected,
  noWorkflow,
  type StoredVersion,
  type StoredWorkflow,
  type VersionSummary,
  type WorkflowStore,
} from './workflow-store.ts'

/** A graph to be stored. */
interface NewGraph {
  name?: string | undefined
  graph: SentGraph
  /** The name of the token; left out where there is none. */
  author?: string | undefined
  restoredFrom?: number | undefined
}

interface Saved {
  message: 'created' | 'updated' | 'unchanged'
  version: number
  warnings: Warning[]
}

interface Published {
  publishedVersion: number
  publishedAt: number
  warnings: string[]
}

/** A graph that was accepted once; its depth is known to be within the limit. */
async function storedGraph(graph: Uint8Array): Promise<SentGraph> {
  const text = new TextDecoder().decode(graph)
  return { value: await inSlices(parseGraph(graph)), text, depth: 0, pointer: '/workflow' }
}

/** Finds objections to publishing a version; blocking ones prevent it. */
export type PublicationGate = (
  workspaceId: string,
  workflowId: string,
  version: number,
) => Promise<{ isBlocking: boolean; message: string }[]>

interface WorkflowParts extends GraphCheckerParts {
  gate: PublicationGate
  store: WorkflowStore
  publications: PublicationStore
  users: readonly FindUsers[]
  clock: Clock
}

/** How often publishing the newest version is tried, if autosaves replace that version meanwhile. */
const maxAttempts = 3

export class WorkflowService {
  /** For reads that need no further checks. */
  readonly store: WorkflowStore
  readonly #publications: PublicationStore
  readonly #checker: GraphChecker
  readonly #users: readonly FindUsers[]
  readonly #clock: Clock
  readonly #gate: PublicationGate

  constructor({ gate, store, publications, users, clock, ...parts }: WorkflowParts) {
    this.store = store
    this.#gate = gate
    this.#publications = publications
    this.#checker = new GraphChecker(parts)
    this.#users = users
    this.#clock = clock
  }

  async save(
    workspaceId: string,
    workflow: NewGraph & { id: string; expected: Expected; isAutosave?: boolean | undefined },
    isForeign = false,
  ): Promise<Saved> {
    return this.#store(
      workspaceId,
      workflow,
      await this.#checker.prepare(workspaceId, workflow.graph, isForeign),
    )
  }

  /** Stores a graph under a new id, or under a given one that must be free. `isForeign`: the graph comes from elsewhere. */
  async create(
    workspaceId: string,
    workflow: NewGraph & { id?: string | undefined },
    isForeign = false,
  ): Promise<Saved & { id: string }> {
    const id = workflow.id ?? mintId('wf')
    const [saved] = await this.createAll(workspaceId, [{ ...workflow, id }], isForeign)
    return { id, ...saved! }
  }

  /** Stores graphs under ids that must be free. All of them are checked before the first one is stored. */
  async createAll(
    workspaceId: string,
    workflows: readonly (NewGraph & { id: string })[],
    isForeign = false,
  ): Promise<Saved[]> {
    const prepared: PreparedGraph[] = []
    for (const { graph } of workflows)
      prepared.push(await this.#checker.prepare(workspaceId, graph, isForeign))
    const saved: Saved[] = []
    for (const [index, workflow] of workflows.entries())
      saved.push(
        await this.#store(workspaceId, { ...workflow, expected: 'absent' }, prepared[index]!).catch(
          (error: unknown) => {
            throw asTaken(error, workflow.id)
          },
        ),
      )
    return saved
  }

  async #store(
    workspaceId: string,
    workflow: NewGraph & { id: string; expected: Expected; isAutosave?: boolean | undefined },
    { warnings, ...prepared }: PreparedGraph,
  ): Promise<Saved> {
    const result = await this.store.save(workspaceId, {
      ...workflow,
      ...prepared,
      graph: workflow.graph.text,
      isRunnable: isRunnable(warnings),
      at: this.#clock.now(),
    })
    if (result.outcome === 'conflict') throw conflict(workflow, result.version)
    return {
      message: result.outcome,
      version: result.version,
      warnings: warnings.slice(0, limits.findings),
    }
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.store.remove(workspaceId, id, this.#clock.now()))) throw noWorkflow(id)
  }

  check(workspaceId: string, sent: SentGraph, outline?: boolean): Promise<CheckResult> {
    return this.#checker.check(workspaceId, sent, outline)
  }

  async checkStored(workspaceId: string, id: string, outline?: boolean): Promise<CheckResult> {
    const { graph } = await this.get(workspaceId, id)
    return this.#checker.check(workspaceId, await storedGraph(graph), outline)
  }

  async get(workspaceId: string, id: string): Promise<StoredWorkflow> {
    const workflow = await this.store.find(workspaceId, id)
    if (!workflow) throw noWorkflow(id)
    return workflow
  }

  async versions(workspaceId: string, id: string, page: PageRequest): Promise<Page<VersionSummary>> {
    const versions = await this.store.versions(workspaceId, id, page)
    if (versions.total === 0) throw noWorkflow(id)
    return versions
  }

  async version(workspaceId: string, id: string, version: number): Promise<StoredVersion> {
    const stored = await this.store.version(workspaceId, id, version)
    if (!stored) throw noWorkflow(id, version)
    return stored
  }

  async rollback(
    workspaceId: string,
    { id, version, expected, author }: { id: string; version: number; expected: Expected; author: string },
  ): Promise<Saved> {
    const { graph } = await this.version(workspaceId, id, version)
    // A rollback must not restore a workflow that was deleted meanwhile.
    const condition = expected === 'anything' ? 'present' : expected
    const restored = { graph: await storedGraph(graph), author, restoredFrom: version }
    return this.save(workspaceId, { id, ...restored, expected: condition })
  }

  /** By default the newest version. Fails with `workflow_not_runnable` and its problems if it cannot run. */
  async publish(
    workspaceId: string,
    request: { id: string; version?: number; note?: string; force_reason?: string },
  ): Promise<Published> {
    const { id, note } = request
    for (let attempt = 1; ; attempt++) {
      const read =
        request.version === undefined
          ? await this.get(workspaceId, id)
          : await this.version(workspaceId, id, request.version)
      refuseUnrunnable(await this.#checker.check(workspaceId, await storedGraph(read.graph)), read.version)
      const { version } = read
      const objections = await this.#gate(workspaceId, id, version)
      if (request.force_reason === undefined) refuseUntested(objections)
      const warnings = objections.map(({ message }) => message)
      const publishedAt = this.#clock.now()
      if (await this.#publications.publish({ workspaceId, workflowId: id, version }, publishedAt, note))
        return { publishedVersion: version, publishedAt, warnings }
      // An autosave has replaced the newest version meanwhile.
      if (request.version !== undefined || attempt === maxAttempts) throw noWorkflow(id, version)
    }
  }

  async unpublish(workspaceId: string, id: string): Promise<void> {
    if (!(await this.store.current(workspaceId, id))) throw noWorkflow(id)
    await this.#publications.unpublish(workspaceId, id)
  }

  /** The agents and other workflows that run it. */
  async usedBy(workspaceId: string, id: string): Promise<WorkflowUser[]> {
    if (!(await this.store.current(workspaceId, id))) throw noWorkflow(id)
    return (await Promise.all(this.#users.map(find => find(workspaceId, id)))).flat()
  }

  async setNote(workspaceId: string, id: string, version: number, note: string): Promise<void> {
    const key = { workspaceId, workflowId: id, version }
    if (!(await this.#publications.setNote(key, note))) throw noWorkflow(id, version)
  }
}

function refuseUnrunnable({ runnable, errors, warnings }: CheckResult, version: number): void {
  if (runnable) return
  const problems = [...errors, ...warnings.filter(({ blocking }) => blocking)]
  throw new AppError(
    'workflow_not_runnable',
    `Version ${version} cannot run, so it was not published: ${firstFinding(problems)}`,
    { errors: problems.slice(0, limits.findings).map(({ path, message }) => ({ path, message })) },
  )
}

function refuseUntested(objections: Awaited<ReturnType<PublicationGate>>): void {
  const blocking = objections.filter(({ isBlocking }) => isBlocking).map(({ message }) => message)
  if (blocking.length === 0) return
  throw new AppError(
    'tests_failed',
    `${blocking[0]}. Run the test set and fix what fails, or publish with a reason in force_reason.`,
    { errors: blocking.map(message => ({ path: '/version', message })) },
  )
}

/** The error for a new workflow whose id exists. */
const asTaken = (error: unknown, id: string): unknown =>
  error instanceof AppError && error.reason === 'version_conflict'
    ? new AppError('already_exists', `The workflow ${id} already exists`, {
        errors: [{ path: '/id', message: 'is taken' }],
      })
    : error

const conflict = ({ id, expected }: { id: string; expected: Expected }, version: number): AppError =>
  new AppError(
    'version_conflict',
    version === 0
      ? `There is no workflow ${id}`
      : expected === 'absent'
        ? `The workflow ${id} exists already, at version ${version}; to replace it, omit If-None-Match`
        : `The workflow ${id} was changed and is now at version ${version}; load it again and merge your changes`,
    { data: { version } },
  )
