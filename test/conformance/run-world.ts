import assert from 'node:assert/strict'
import type { Database } from '../../src/database/database.ts'
import type {
  EventBatch,
  JournalEntry,
  NewLease,
  RunLease,
  RunPatch,
  RunRecord,
  RunStatus,
  StepRecord,
} from '../../src/workflow/run/store/run-records.ts'
import { RunStore } from '../../src/workflow/run/store/run-store.ts'
import { RunSweep } from '../../src/workflow/run/store/run-sweep.ts'
import { UsageStore } from '../../src/workflow/run/store/usage-store.ts'
import { openTestDatabase } from '../support/open-test-database.ts'

export const runTables = ['runs', 'run_steps', 'run_effects', 'run_events'] as const

export type NewRun = Partial<RunRecord> & { lease?: string; leaseUntil?: number }

export const newRun = (id: string, more: Partial<RunRecord> = {}): RunRecord => ({
  id,
  trigger: 'run',
  workflowId: 'wf',
  version: 3,
  skippedVersion: undefined,
  agentId: '',
  conversationId: '',
  userId: '',
  createdAt: 1000,
  chatId: '',
  question: '',
  rerunOf: '',
  triggerId: '',
  graph: undefined,
  inputs: '{"query":"hello"}',
  status: 'running',
  answer: '',
  error: undefined,
  promptTokens: 0,
  completionTokens: 0,
  cost: 0,
  stepCount: 0,
  activeMilliseconds: 0,
  finishedAt: undefined,
  outputs: undefined,
  waiting: undefined,
  reply: undefined,
  sequence: 0,
  claims: 1,
  ...more,
})

export const step = (path: string, more: Partial<StepRecord> = {}): StepRecord => ({
  path,
  kind: 'llm',
  title: `Step ${path}`,
  status: 'succeeded',
  inputs: '{"prompt":"x"}',
  outputs: '{"text":"y"}',
  state: undefined,
  error: undefined,
  attempts: 1,
  promptTokens: 5,
  completionTokens: 7,
  startedAt: 1100,
  finishedAt: 1200,
  starts: 0,
  ...more,
})

export const openQuestion = { path: 'b', question: 'Which size?', options: ['S', 'L'], ordinal: 1 }

export const patch = (status: RunPatch['status'], more: Partial<RunPatch> = {}): RunPatch => ({
  status,
  answer: 'So far',
  outputs: undefined,
  error: undefined,
  waiting: undefined,
  promptTokens: 10,
  completionTokens: 20,
  cost: 0.25,
  stepCount: 2,
  activeMilliseconds: 300,
  finishedAt: status === 'waiting' ? undefined : 1500,
  ...more,
})

export const entry = (more: Partial<JournalEntry> = {}): JournalEntry => ({
  steps: [],
  effects: [],
  events: undefined,
  run: undefined,
  ...more,
})

export const batch = (first: number, last: number): EventBatch => ({
  first,
  last,
  lines: Array.from({ length: last - first + 1 }, (_, index) => `{"seq":${first + index}}`).join('\n'),
})

export class RunWorld {
  readonly database: Database
  readonly runs: RunStore
  readonly usage: UsageStore
  readonly sweep: RunSweep

  constructor(database: Database) {
    this.database = database
    this.runs = new RunStore(database)
    this.usage = new UsageStore(database)
    this.sweep = new RunSweep(database)
  }

  async begin(id: string, more: NewRun = {}, workspaceId = 'w'): Promise<RunLease> {
    const { lease = `lease of ${id}`, leaseUntil = 2000, ...run } = more
    await this.runs.create(workspaceId, newRun(id, run), { lease, until: leaseUntil })
    return { workspaceId, runId: id, lease }
  }

  async write(hold: RunLease, more: Partial<JournalEntry>): Promise<void> {
    assert.equal(await this.runs.commit(hold, entry(more)), true, 'the lease is lost')
  }

  /** Creates a run with this status and rows in every table. */
  async beginAndBe(status: RunStatus, id: string, more: NewRun = {}, workspaceId = 'w'): Promise<RunLease> {
    const hold = await this.begin(id, more, workspaceId)
    await this.write(hold, {
      steps: [step('a'), step('b', status === 'waiting' ? { status, finishedAt: undefined } : {})],
      effects: [{ path: 'a', name: 'sent', result: '1' }],
      events: batch(1, 3),
      run:
        status === 'queued' || status === 'running'
          ? undefined
          : patch(status, status === 'waiting' ? { waiting: openQuestion } : {}),
    })
    if (status === 'queued') await this.runs.release(hold, 1400)
    return hold
  }

  /** Claims the run that is due longest. */
  async claim({ now, ...lease }: NewLease & { now: number }): Promise<RunRecord | undefined> {
    const [due] = await this.runs.due(now)
    return due && this.runs.claim(due, lease)
  }

  /** Counts the rows of a run in each table. */
  async rowsOf(id: string, workspaceId = 'w'): Promise<number[]> {
    const counts: number[] = []
    for (const table of runTables) {
      const column = table === 'runs' ? 'id' : 'run_id'
      const row = await this.database.get<{ total: number }>(
        `SELECT COUNT(*) AS total FROM ${table} WHERE workspace_id = ? AND ${column} = ?`,
        workspaceId,
        id,
      )
      counts.push(row!.total)
    }
    return counts
  }
}

export interface OpenedRunWorld {
  world: RunWorld
  /** Opens the same data as another process would. */
  openAgain(): Promise<RunWorld>
  cleanup(): Promise<void>
}

export async function openRunWorld(): Promise<OpenedRunWorld> {
  const opened = await openTestDatabase()
  return {
    world: new RunWorld(opened.database),
    openAgain: async () => new RunWorld(await opened.openAgain()),
    cleanup: () => opened.cleanup(),
  }
}
