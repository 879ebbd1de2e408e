import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Graph } from '../graph.ts'
import type { Reply, RunFile } from '../step.ts'
import type { RunEvent } from './run-event.ts'
import type { RunMessage } from './run-listener.ts'
import type { RunFilter, RunRecord, RunSummary, StepRecord } from './run-store.ts'

/** What a run is handed. */
export interface RunInputs {
  query: string
  files: readonly RunFile[]
  /** The content of an action message. */
  action: string
  /** Everything else that the caller sent along. */
  more: Readonly<Record<string, unknown>>
}

export interface RunRequest {
  /** A stored graph, its newest version unless told; or a graph of its own. */
  what: { workflowId: string; version?: number | undefined } | { graph: Graph }
  trigger: 'run' | 'chat'
  inputs: RunInputs
  /** Decided by the caller where it must be known before the run begins. */
  runId?: string
  agentId?: string
  conversationId?: string
  chatId?: string
  userId?: string
}

/** How things stand when a run ends or begins to wait. */
export interface RunResult {
  run: RunRecord
  messages: readonly RunMessage[]
}

/** A run that goes on whether or not anybody listens. */
export interface LiveRun {
  readonly runId: string
  /** Resolves when the run ends or waits; rejects only when nobody knows how it stands (it will be taken up again). */
  readonly settled: Promise<RunResult>
  /** Its events from now on, without those of before; ends when the run ends or waits, or with the signal. */
  events(signal: AbortSignal): AsyncIterable<RunEvent>
}

/** Runs of workflows, as the rest of the server sees them. */
export interface Runs {
  /**
   * When it resolves, the run is in the journal and survives a crash. Fails with `not_found`,
   * `workflow_not_runnable`, or `rate_limited` when too many run already.
   */
  start(workspaceId: string, request: RunRequest): Promise<LiveRun>
  /** Runs one node of a stored graph by itself: `outputs` stand for those of the nodes before it. */
  debug(
    workspaceId: string,
    request: {
      workflowId: string
      nodeId: string
      inputs: RunInputs
      outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    },
  ): Promise<LiveRun>
  /** Answers a waiting run. Fails with `not_found`, or `version_conflict` when it does not wait. */
  resume(workspaceId: string, runId: string, reply: Reply, chatId?: string): Promise<LiveRun>
  /** Ends a run and keeps what it said so far. One that has ended already stays as it is. */
  stop(workspaceId: string, runId: string): Promise<RunRecord>
  get(workspaceId: string, runId: string): Promise<RunRecord>
  steps(workspaceId: string, runId: string): Promise<StepRecord[]>
  list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>
  /** Resolves when the run ends or waits, wherever it runs. */
  settled(workspaceId: string, runId: string, signal: AbortSignal): Promise<RunRecord>
  /** All events after that number, those of the past and those to come, until the run ends or waits. */
  events(workspaceId: string, runId: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent>
}
