import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Graph } from '../graph.ts'
import type { HistoryEntry, OutputMessage, Reply, RunFile } from '../step.ts'
import type { RunEvent } from './run-event.ts'
import type {
  RunError,
  RunFilter,
  RunHead,
  RunRecord,
  RunStatus,
  RunSummary,
  StepRecord,
} from './run-records.ts'

/** What a run is started with. */
export interface RunInputs {
  query: string
  files: readonly RunFile[]
  /** The content of an action message. */
  action: string
  /** All other inputs that the caller sent. */
  more: Readonly<Record<string, unknown>>
}

export interface RunRequest {
  /** A stored graph, by default its newest version; or a graph of the request itself. */
  what: { workflowId: string; version?: number | undefined } | { graph: Graph }
  trigger: 'run' | 'chat'
  inputs: RunInputs
  /** Chosen by the caller where it must be known before the run starts. */
  runId?: string
  agentId?: string
  conversationId?: string
  chatId?: string
  userId?: string
}

/** A message of a run. Its id stays the same when the step that sends it is run again after a crash. */
export interface RunMessage extends OutputMessage {
  id: string
  at: number
}

/** The state of a run when it ends or starts to wait. */
export interface RunResult {
  run: RunRecord
  messages: readonly RunMessage[]
}

/** A running run. It continues whether or not anyone subscribes to it. */
export interface LiveRun {
  readonly runId: string
  /** Resolves when the run ends or waits; rejects only when another attempt will continue it. */
  readonly settled: Promise<RunResult>
  /** Its events from now on; ends when the run ends or waits, or with the signal. */
  events(signal: AbortSignal): AsyncIterable<RunEvent>
}

/** Runs of workflows, as the rest of the server uses them. */
export interface Runs {
  /**
   * When it resolves, the run is stored and survives a crash. Fails with `not_found`, `workflow_not_runnable`, or
   * `rate_limited` when too many runs are active.
   */
  start(workspaceId: string, request: RunRequest): Promise<LiveRun>
  /** Runs one node of a stored graph on its own: `outputs` replace those of the nodes before it. */
  debug(
    workspaceId: string,
    request: {
      workflowId: string
      nodeId: string
      inputs: RunInputs
      outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    },
  ): Promise<LiveRun>
  /** Answers a waiting run. Fails with `not_found`, or `version_conflict` when it is not waiting. */
  resume(workspaceId: string, runId: string, reply: Reply, chatId?: string): Promise<LiveRun>
  /** Stops a run and keeps its messages so far. A run that has ended stays as it is. */
  stop(workspaceId: string, runId: string): Promise<RunRecord>
  get(workspaceId: string, runId: string): Promise<RunRecord>
  steps(workspaceId: string, runId: string): Promise<StepRecord[]>
  list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>
  /** Resolves when the run ends or waits, in whichever process it runs. */
  settled(workspaceId: string, runId: string, signal: AbortSignal): Promise<RunRecord>
  /** All events after that number, past and future ones, until the run ends or waits. */
  events(workspaceId: string, runId: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent>
}

/** The run as its listener sees it. */
export interface ObservedRun extends RunHead {
  workspaceId: string
  /** The turn that the run belongs to now; after a wait and its answer, the next turn. */
  chatId: string
}

export interface Settled {
  status: Exclude<RunStatus, 'queued' | 'running'>
  error: RunError | undefined
  /** Its messages since it was started or resumed, in order. */
  messages: readonly RunMessage[]
}

/**
 * Receives what a run of a conversation produces. It is called before the journal is written, and may be called again
 * with the same values after a crash.
 */
export interface RunListener {
  /** The values of `sys.history` and `memory` when the run starts or resumes. */
  recall(run: ObservedRun): Promise<{ history: HistoryEntry[]; memory: Record<string, unknown> }>
  /** New values of `memory`. */
  remember(run: ObservedRun, values: Readonly<Record<string, unknown>>): Promise<void>
  /** Called again, the id of the message is the same. */
  messageSent(run: ObservedRun, message: RunMessage): Promise<void>
  /** The run has ended, or waits for the next turn. */
  settled(run: ObservedRun, result: Settled): Promise<void>
}
