import type { Cluster } from '../../cluster/cluster.ts'
import type { Leases } from '../../cluster/leases.ts'
import type { AppError } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { WarnLog } from '../../kernel/warn-log.ts'
import type { PricedUsage, Reply } from '../step.ts'
import type { RunJournal } from './journal.ts'
import type { Plans, Work } from './plans.ts'
import type { RunCapacity, RunReservation } from './run-capacity.ts'
import type { FileLookup } from './run-inputs.ts'
import type { RunListener, RunMessage, RunResult } from './run-listener.ts'
import type { Slots } from './scheduler.ts'
import type { FindSecrets } from './secret-values.ts'
import type { OutputStore } from './store/output-store.ts'
import type { OpenQuestion, RunKey, RunRecord, StepRecord } from './store/run-records.ts'
import type { RunStore } from './store/run-store.ts'

export type RunLeases = Leases<RunKey, { stopRequested: boolean }>

export interface RunDependencies {
  readonly store: RunStore
  readonly plans: Plans
  /** Passed to the node kinds unchanged. */
  readonly services: unknown
  /** Receives what runs of conversations produce. */
  readonly listener: RunListener
  readonly outputStore: OutputStore
  /** Finds the files of input variables. */
  readonly files: FileLookup
  readonly clock: Clock
  readonly leases: RunLeases
  readonly cluster: Pick<Cluster, 'publish' | 'subscribe' | 'isConnected'>
  readonly capacity: RunCapacity
  /** The name of the model for nodes that name none; empty when there is none. */
  defaultModel(workspaceId: string): Promise<string>
  findSecrets: FindSecrets
  readonly log: WarnLog
  readonly limits: RunLimits
  /** Counts the runs of this process. */
  readonly observer?: {
    runStarted(trigger: string, isTakenOver: boolean): void
    /** Without a status when another process continues the run. */
    runEnded(status: string | undefined): void
  }
  /** Records the run that `begin` starts in a trace. */
  readonly trace?: <Task extends { settled: Promise<RunResult> }>(start: TaskStart, begin: () => Task) => Task
}

export interface RunLimits {
  /** The steps of all workflows inside the steps of one run. */
  readonly nestedSteps: number
  /** Concurrent steps of one run. */
  readonly parallel: number
  readonly milliseconds: number
  /** How often to look for runs that another process left behind. */
  readonly pollMilliseconds: number
  /** How long a write that the database refuses for the moment is repeated. */
  readonly storageMilliseconds: number
  /** How long active runs may continue when the server shuts down. */
  readonly graceMilliseconds: number
}

/** The usage of all steps of a run, including those of workflows inside steps. */
interface StepUsage extends PricedUsage {
  steps: number
  nestedSteps: number
}

/** The state of a run that is continued after a crash or a wait, read from its journal; empty for a new run. */
export class PreviousAttempt {
  readonly steps = new Map<string, StepRecord>()
  /** Paths of steps that were continued and have ended; `steps` still has their records from before. */
  readonly ended = new Set<string>()
  /** The usage of all steps, including those that are not read into memory. */
  readonly usage: StepUsage = { steps: 0, nestedSteps: 0, promptTokens: 0, completionTokens: 0, cost: 0 }
  /** The memory values that each step and the steps inside it have assigned, by path, until they are restored. */
  readonly assigned = new Map<string, Record<string, unknown>>()
  /** Parsed large outputs by path: parsing them takes a while, so it was done in slices. */
  readonly parsed = new Map<string, unknown>()
  /** Results by `effectKey`. */
  readonly effects = new Map<string, string>()
  /** Streamed messages by the path of their step, in order. */
  readonly texts = new Map<string, string>()
  /** Ids of the messages that were sent. */
  readonly sent = new Set<string>()
  /** A previous lease holder did not finish the run: events after its last commit may already have been sent. */
  readonly isTakenOver: boolean
  /** The previous lease holder crashed, maybe because of a step that was running. */
  readonly isCrashed: boolean
  /** The number of the last event. */
  sequence: number
  #waiting: readonly StepRecord[] | undefined

  constructor(end: 'settled' | 'released' | 'crashed' = 'settled', sequence = 0) {
    this.isTakenOver = end !== 'settled'
    this.isCrashed = end === 'crashed'
    this.sequence = sequence
  }

  /** Called when a step inside another one waits. */
  wait(record: StepRecord): void {
    this.steps.set(record.path, record)
    this.ended.delete(record.path)
    this.#waiting = undefined
  }

  /** The steps that waited when the run was continued, and those inside others that wait since. */
  get waiting(): readonly StepRecord[] {
    this.#waiting ??= [...this.steps.values()].filter(({ status }) => status === 'waiting')
    return this.#waiting
  }

  /** The steps inside one that were left running or waiting and not continued. */
  leftOver(inside: string, at: number): StepRecord[] {
    return [...this.steps.values()]
      .filter(({ path }) => path.startsWith(inside) && !this.ended.has(path))
      .filter(({ status }) => status === 'running' || status === 'waiting')
      .map(step => stopped(step, at))
  }
}

export const stopped = (step: StepRecord, finishedAt: number): StepRecord => ({
  ...step,
  status: 'stopped',
  finishedAt,
})

export const effectKey = (path: string, name: string): string => `${path}\n${name}`

/** The answer to a question of a step. */
export interface Answered {
  readonly path: string
  /** The number of the question in that step: a step may ask again, and this answer does not belong to that question. */
  readonly ordinal: number
  readonly reply: Reply
}

/** A message that is held back until the messages of earlier nodes are complete. */
export interface UnsentMessage {
  readonly path: string
  readonly message: RunMessage
}

/** Everything that a task needs to start a run, or to continue it where its journal ends. */
export interface TaskStart extends Work {
  readonly workspaceId: string
  readonly run: RunRecord
  readonly reservation: RunReservation
  readonly previous: PreviousAttempt
  /** The answer that the run resumes with, and which step asked. */
  readonly answered: Answered | undefined
  /** Why the run can never continue. */
  readonly impossible?: AppError
}

/** What a run has used so far. */
export interface RunUsage extends StepUsage {
  /** The length of all outputs as JSON. */
  outputLength: number
  /** Characters of the messages to the user. */
  messageLength: number
}

/** The state that all graphs of one run share: its own graph, and the workflows inside its steps. */
export interface RunContext
  extends Pick<
      RunDependencies,
      'services' | 'files' | 'clock' | 'plans' | 'defaultModel' | 'findSecrets' | 'log' | 'limits'
    >,
    Pick<TaskStart, 'workspaceId' | 'run' | 'previous' | 'answered' | 'reservation'> {
  readonly runId: string
  readonly journal: RunJournal
  readonly slots: Slots
  readonly usage: RunUsage
  readonly questions: OpenQuestion[]
  /** Messages by id. A step may end before its messages can be sent; they are stored with it then. */
  readonly unsent: Map<string, UnsentMessage>
  /** Changes while the run continues. */
  readonly memory: Record<string, unknown>
  remember(values: Readonly<Record<string, unknown>>): Promise<void> | undefined
}

export const reportError = ({ log, runId }: RunContext, error: unknown, path: string): void =>
  log.warn({ err: error, run_id: runId, step: path }, 'A step failed with an unexpected error')
