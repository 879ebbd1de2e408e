import type { Reason } from '../../contract/error-codes.ts'
import type { Page, PageRequest } from '../../contract/paging.ts'

export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'] as const
export type RunStatus = (typeof runStatuses)[number]
export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'skipped' | 'failed' | 'stopped'

/** Why a run was made: by a program, by a turn of a conversation, or to try one node. */
export type RunTrigger = 'run' | 'chat' | 'debug'

export interface RunError {
  reason: Reason
  message: string
  /** The path of the step that failed, where it was one. */
  step?: string
}

/** The question of a step that the run waits for. */
export interface OpenQuestion {
  readonly path: string
  readonly question: string
  readonly options: readonly string[]
  /** Which question of this step it is, from 1. */
  readonly ordinal: number
}

/** What belongs to a run from its beginning. Texts that do not apply are empty. */
export interface RunHead {
  id: string
  trigger: RunTrigger
  /** The stored graph it runs; empty when it brings its own. */
  workflowId: string
  /** 0 when it brings its own graph. */
  version: number
  agentId: string
  conversationId: string
  userId: string
  createdAt: number
}

export interface NewRun extends RunHead {
  /** The turn that made it. */
  chatId: string
  /** A graph of its own as JSON, or undefined. */
  graph: string | undefined
  /** JSON of what the run was handed. */
  inputs: string
  lease: string
  leaseUntil: number
}

export interface RunSummary extends RunHead {
  status: RunStatus
  /** What it said so far, or in the end. */
  answer: string
  error: RunError | undefined
  promptTokens: number
  completionTokens: number
  stepCount: number
  /** Time at work, without the time it waited for a person. */
  activeMilliseconds: number
  finishedAt: number | undefined
}

export interface RunRecord extends RunSummary {
  chatId: string
  graph: string | undefined
  inputs: string
  /** JSON, or undefined while it runs. */
  outputs: string | undefined
  /** What it waits for, or has waited for last. */
  waiting: OpenQuestion | undefined
  /** JSON of the answer to that. */
  reply: string | undefined
  /** The last number of an event in the journal. */
  sequence: number
  /** How often somebody began to work on it: 1 when nothing went wrong. */
  claims: number
}

export interface StepRecord {
  /** The id of the node; inside another workflow, `<step>/<call>/<node>`. */
  path: string
  kind: string
  title: string
  status: StepStatus
  /** JSON texts, or undefined. */
  inputs: string | undefined
  outputs: string | undefined
  /** The case it chose, the memory it assigned, what it waits for: JSON that only the engine reads. */
  state: string | undefined
  error: RunError | undefined
  attempts: number
  promptTokens: number
  completionTokens: number
  startedAt: number
  finishedAt: number | undefined
  /** In which claims of the run it was begun without an end, as a count. */
  starts: number
}

/** The result of something a step did once. */
export interface EffectRecord {
  path: string
  name: string
  /** JSON. */
  result: string
}

/** Events in their order: each line is the JSON of one, `last` is the number of the last. */
export interface EventBatch {
  first: number
  last: number
  /** One JSON object per line, each with `seq`, `event` and `at`. */
  lines: string
}

export interface RunPatch {
  status: RunStatus
  answer: string
  outputs: string | undefined
  error: RunError | undefined
  waiting: OpenQuestion | undefined
  promptTokens: number
  completionTokens: number
  stepCount: number
  activeMilliseconds: number
  finishedAt: number | undefined
}

/** Everything that becomes true together. */
export interface JournalEntry {
  steps: readonly StepRecord[]
  effects: readonly EffectRecord[]
  events: EventBatch | undefined
  /** A status other than `running` also gives the lease back. */
  run: RunPatch | undefined
}

/** Proves who works on a run. */
export interface RunLease {
  workspaceId: string
  runId: string
  lease: string
}

export interface RunFilter {
  workflowId?: string | undefined
  agentId?: string | undefined
  conversationId?: string | undefined
  status?: RunStatus | undefined
}

export interface ClaimedRun {
  workspaceId: string
  run: RunRecord
}

/** Every write by whoever works on a run is a compare-and-set by the lease: false means that the lease is lost. */
export interface RunStore {
  /** Stores it as running and held by `lease`. */
  create(workspaceId: string, run: NewRun): Promise<void>
  find(workspaceId: string, id: string): Promise<RunRecord | undefined>
  /** Newest first. */
  list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>
  /** In the order they began. */
  steps(workspaceId: string, id: string): Promise<StepRecord[]>
  effects(workspaceId: string, id: string): Promise<EffectRecord[]>
  commit(hold: RunLease, entry: JournalEntry): Promise<boolean>
  /** Batches that hold events after that number, in order, so many at most. */
  events(workspaceId: string, id: string, after: number, limit: number): Promise<EventBatch[]>
  /** Takes the run that is due the longest: it is queued, or its lease has run out. Counts the claim. */
  claim(options: { lease: string; now: number; until: number }): Promise<ClaimedRun | undefined>
  /**
   * Takes a run that waits, and nobody else gets it; undefined when it does not wait (any more). Counts no claim. The
   * answer is kept with it, so that it is not lost when the process dies over it.
   */
  claimWaiting(
    workspaceId: string,
    id: string,
    options: { lease: string; until: number; reply: string; chatId: string },
  ): Promise<RunRecord | undefined>
  /** Prolongs leases; tells which of these runs somebody asked to stop, and which are lost. */
  renew(holds: readonly RunLease[], until: number): Promise<{ stop: string[]; lost: string[] }>
  /** Gives a run back, to be taken up at once by whoever comes: the server stops. */
  release(hold: RunLease, now: number): Promise<void>
  /** Asks whoever works on it to stop; a waiting or queued run is stopped right here. The status it has now. */
  requestStop(workspaceId: string, id: string, now: number): Promise<RunStatus | undefined>
  /** When the next run is due, or undefined. */
  nextDue(): Promise<number | undefined>
  leases(): Promise<string[]>
  expire(leases: readonly string[], now: number): Promise<void>
  /** Removes runs that ended before, so many at most, with all that belongs to them; tells how many. */
  sweep(endedBefore: number, limit: number): Promise<number>
}
