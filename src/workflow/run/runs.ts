import type { Graph } from '../graph.ts'
import type { HistoryEntry, OutputMessage, RunFile } from '../step.ts'
import type { VersionChoice } from './plans.ts'
import type { FileLookup } from './run-files.ts'
import type { RunPatch, RunRecord, RunTrigger } from './store/run-records.ts'

/** What a run is started with. */
export interface RunInputs {
  query: string
  files: readonly RunFile[]
  /** The content of an action message. */
  action: string
  /** Earlier messages that the caller sent. A run of a conversation has those of the conversation instead. */
  history?: readonly HistoryEntry[]
  /** All other inputs that the caller sent. */
  more: Readonly<Record<string, unknown>>
}

export interface RunRequest {
  /** A stored graph, or a graph of the request itself. */
  what: { workflowId: string; version?: VersionChoice | undefined } | { graph: Graph }
  trigger: Exclude<RunTrigger, 'debug'>
  inputs: RunInputs
  /** Finds the files of its variables, where its caller may not use every file of the workspace. */
  files?: FileLookup
  /** Chosen by the caller where it must be known before the run starts. */
  runId?: string
  agentId?: string
  conversationId?: string
  chatId?: string
  userId?: string
  /** The schedule or webhook that starts it. */
  triggerId?: string
  /** The run that it repeats. */
  rerunOf?: string
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

/** The run as its listener sees it; after a wait and its answer, `chatId` is the next turn. */
export type ObservedRun = RunRecord & { workspaceId: string }

/** How it ended, or with which question it waits. */
export type Settled = Pick<RunPatch, 'status' | 'error'> & Partial<Pick<RunPatch, 'waiting'>>

/** Receives what a run of a conversation produces, before the journal is written, and perhaps again after a crash. */
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
