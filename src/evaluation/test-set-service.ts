import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError, invalidField, refuseBlank } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { derivedId, mintId } from '../kernel/ids.ts'
import type { PublicationGate } from '../workflow/workflow-service.ts'
import { type CaseValues, importedCases } from './imported-cases.ts'
import { problemOfCheck } from './run-checks.ts'
import type { Gate, TestCase, TestCheck, TestResult, TestRun, TestSet, Variant } from './test-set.ts'
import type { TestSetStore } from './test-set-store.ts'

interface TestSetParts {
  store: TestSetStore
  clock: Clock
  /** The newest and the published version of a workflow. */
  findWorkflow(
    workspaceId: string,
    id: string,
  ): Promise<{ version: number; publishedVersion?: number | undefined } | undefined>
  /** An agent, and the workflow that it runs, if it runs one. */
  findAgent(workspaceId: string, id: string): Promise<{ workflowId: string | undefined } | undefined>
  /** A test run was added or is to stop. */
  changed(): void
}

type Label = 'draft' | 'published'

export type ListedTestSet = TestSet & { caseCount: number; lastRun: TestRun | undefined }

const noSet = (id: string) => new AppError('not_found', `There is no test set ${id}`)
const noTestRun = (id: string) => new AppError('not_found', `There is no test run ${id}`)

export class TestSetService {
  readonly #parts: TestSetParts

  constructor(parts: TestSetParts) {
    this.#parts = parts
  }

  async create(
    workspaceId: string,
    given: Pick<TestSet, 'name' | 'workflowId' | 'agentId' | 'gate'> & { by: string },
  ): Promise<TestSet> {
    const { store, clock, findWorkflow, findAgent } = this.#parts
    const { by, ...rest } = given
    refuseBlank(given.name)
    if ((given.workflowId === '') === (given.agentId === ''))
      throw invalidField('/workflow_id', 'or /agent_id is required, and not both')
    if (given.workflowId !== '' && !(await findWorkflow(workspaceId, given.workflowId)))
      throw new AppError('not_found', `There is no workflow ${given.workflowId}`)
    if (given.agentId !== '' && !(await findAgent(workspaceId, given.agentId)))
      throw new AppError('not_found', `There is no agent ${given.agentId}`)
    refuseGate(given)
    const now = clock.now()
    const set = { id: mintId('tset'), ...rest, createdAt: now, updatedAt: now, updatedBy: by }
    if (!(await store.addSet(workspaceId, set, limits.testSets)))
      throw new AppError(
        'invalid_request',
        `A workspace can have ${limits.testSets} test sets; delete one first`,
      )
    return set
  }

  async get(workspaceId: string, id: string): Promise<TestSet> {
    const set = await this.#parts.store.findSet(workspaceId, id)
    if (!set) throw noSet(id)
    return set
  }

  async update(
    workspaceId: string,
    id: string,
    change: { name?: string | undefined; gate?: Gate | undefined; by: string },
  ): Promise<TestSet> {
    refuseBlank(change.name)
    const before = await this.get(workspaceId, id)
    const { name, gate, by: updatedBy } = change
    // Only what was sent: another request may be changing the rest.
    const sent = { ...(name !== undefined && { name }), ...(gate !== undefined && { gate }) }
    refuseGate({ ...before, ...sent })
    const changes = { ...sent, updatedBy, updatedAt: this.#parts.clock.now() }
    await this.#parts.store.updateSet(workspaceId, id, changes)
    return { ...before, ...changes }
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.#parts.store.removeSet(workspaceId, id))) throw noSet(id)
  }

  async find(workspaceId: string, id: string): Promise<ListedTestSet> {
    return this.#listed(workspaceId, await this.get(workspaceId, id))
  }

  async list(
    workspaceId: string,
    filter: { workflowId?: string; agentId?: string },
    page: PageRequest,
  ): Promise<Page<ListedTestSet>> {
    const found = await this.#parts.store.listSets(workspaceId, filter, page)
    return { ...found, items: await Promise.all(found.items.map(set => this.#listed(workspaceId, set))) }
  }

  async #listed(workspaceId: string, set: TestSet): Promise<ListedTestSet> {
    const { store } = this.#parts
    return {
      ...set,
      caseCount: await store.countCases(workspaceId, set.id),
      lastRun: (await store.listRuns(workspaceId, set.id, { page: 1, pageSize: 1 })).items[0],
    }
  }

  /** Adds a case, or changes the one with this id. */
  async saveCase(
    workspaceId: string,
    setId: string,
    given: {
      id?: string | undefined
      name: string
      inputs: Record<string, unknown>
      checks: readonly TestCheck[]
    },
  ): Promise<TestCase> {
    const { store } = this.#parts
    const set = await this.get(workspaceId, setId)
    for (const [at, check] of given.checks.entries()) {
      const problem = problemOfCheck(check)
      if (problem) throw invalidField(`/checks/${at}/value`, problem)
    }
    const { id, ...values } = given
    refuseLarge(values, '/inputs')
    if (id !== undefined) {
      const before = await store.findCase(workspaceId, setId, id)
      if (!before) throw new AppError('not_found', `The test set ${setId} has no case ${id}`)
      await store.updateCase(workspaceId, id, values)
      return { ...before, ...values }
    }
    const [added] = await this.#addCases(workspaceId, set.id, [values])
    return added!
  }

  /** Adds cases of CSV or JSON lines: all of them, or none. */
  async importCases(
    workspaceId: string,
    setId: string,
    { format, content }: { format: 'csv' | 'jsonl'; content: string },
  ): Promise<number> {
    const set = await this.get(workspaceId, setId)
    const cases = importedCases(format, content)
    for (const each of cases) refuseLarge(each, '/content')
    return (await this.#addCases(workspaceId, set.id, cases)).length
  }

  async #addCases(workspaceId: string, setId: string, values: readonly CaseValues[]): Promise<TestCase[]> {
    const { store, clock } = this.#parts
    const createdAt = clock.now()
    const rows = values.map(value => ({ id: mintId('tcase'), setId, ...value, createdAt }))
    const added = await store.addCases(workspaceId, setId, rows, limits.testCases)
    if (!added)
      throw new AppError(
        'invalid_request',
        `A test set can have ${limits.testCases} cases; create another set`,
      )
    return added
  }

  async removeCase(workspaceId: string, setId: string, id: string): Promise<void> {
    if (!(await this.#parts.store.removeCase(workspaceId, setId, id)))
      throw new AppError('not_found', `The test set ${setId} has no case ${id}`)
  }

  async cases(workspaceId: string, setId: string, page: PageRequest): Promise<Page<TestCase>> {
    await this.get(workspaceId, setId)
    return this.#parts.store.listCases(workspaceId, setId, page)
  }

  /** Queues a test run of all cases with each version. */
  async start(
    workspaceId: string,
    setId: string,
    { against, by }: { against: readonly Label[]; by: string },
  ): Promise<TestRun> {
    const { store, clock, changed } = this.#parts
    const set = await this.get(workspaceId, setId)
    const versions = await this.#variants(workspaceId, set, against)
    const cases = await store.allCases(workspaceId, setId)
    if (cases.length === 0) throw new AppError('invalid_request', 'The test set has no cases; add one first')
    const now = clock.now()
    const id = mintId('trun')
    const results = cases.flatMap(({ id: caseId, name, inputs, checks }, index) =>
      versions.map(
        ({ label, version }, at): TestResult => ({
          ...{ testRunId: id, ordinal: index * versions.length + at, caseId, name, label, version },
          ...{ status: 'open', message: '', tokens: 0, cost: 0, elapsedMs: 0, inputs, checks, answer: '' },
          // The id is known before the run starts, so that a worker that takes over finds the run.
          runId: derivedId('run', [id, caseId, label]),
        }),
      ),
    )
    const run: TestRun = {
      ...{ id, setId, status: 'queued', versions, total: results.length, passed: 0, startedBy: by },
      ...{ createdAt: now, finishedAt: undefined, stopRequested: false },
    }
    await store.addRun(workspaceId, { ...run, dueAt: now }, results, limits.keptTestRuns)
    changed()
    return run
  }

  async #variants(workspaceId: string, set: TestSet, against: readonly Label[]): Promise<Variant[]> {
    const { findWorkflow, findAgent } = this.#parts
    const agent = set.agentId === '' ? undefined : await findAgent(workspaceId, set.agentId)
    const workflowId = set.workflowId || agent?.workflowId
    if (workflowId === undefined) return [{ label: 'agent', version: 0 }]
    const workflow = await findWorkflow(workspaceId, workflowId)
    if (!workflow) throw new AppError('not_found', `There is no workflow ${workflowId}`)
    const draft: Variant = { label: 'draft', version: workflow.version }
    const { publishedVersion } = workflow
    const published: Variant[] =
      publishedVersion === undefined ? [] : [{ label: 'published', version: publishedVersion }]
    const chosen = [
      ...(against.includes('draft') ? [draft] : []),
      ...(against.includes('published') ? published : []),
    ]
    if (chosen.length === 0)
      throw new AppError('invalid_request', 'The workflow has no published version; test the draft')
    return chosen
  }

  async stop(workspaceId: string, id: string): Promise<void> {
    const { store, changed } = this.#parts
    if (!(await store.requestStop(workspaceId, id)) && !(await store.findRun(workspaceId, id)))
      throw noTestRun(id)
    changed()
  }

  async runs(workspaceId: string, setId: string, page: PageRequest): Promise<Page<TestRun>> {
    await this.get(workspaceId, setId)
    return this.#parts.store.listRuns(workspaceId, setId, page)
  }

  async results(workspaceId: string, id: string): Promise<{ run: TestRun; results: TestResult[] }> {
    const { store } = this.#parts
    const run = await store.findRun(workspaceId, id)
    if (!run) throw noTestRun(id)
    return { run, results: await store.results(workspaceId, id) }
  }
}

/** Limits a case that comes from a run or an import: all cases of a set are in memory when they run. */
function refuseLarge({ name, inputs, checks }: CaseValues, path: string): void {
  if (JSON.stringify([inputs, checks]).length > limits.jsonBytes)
    throw invalidField(
      path,
      `must have at most ${limits.jsonBytes} characters as JSON, with the checks, in the case "${name}"`,
    )
}

function refuseGate({ gate, workflowId }: Pick<TestSet, 'gate' | 'workflowId'>): void {
  if (gate !== 'off' && workflowId === '')
    throw invalidField('/gate', 'must be off: only a workflow is published, so make a set of the workflow')
}

/** The objections of a workflow's test sets to publishing a version. */
export const publicationGate =
  (store: TestSetStore): PublicationGate =>
  async (workspaceId, workflowId, version) => {
    const sets = await store.guarding(workspaceId, workflowId, version)
    return sets
      .filter(({ isTested, failed }) => !isTested || failed > 0)
      .map(({ set, isTested, failed, total }) => ({
        isBlocking: set.gate === 'refuse',
        message: isTested
          ? `${failed} of ${total} cases of the test set "${set.name}" have not passed with version ${version}`
          : `The test set "${set.name}" has not been run with version ${version}`,
      }))
  }
