import type { HistoryEntry, OutputMessage } from '../step.ts'
import type { RunPatch, RunRecord } from './store/run-records.ts'

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

/** The run as its listener sees it; after a wait, `chatId` is that of the turn with the answer. */
export type ObservedRun = RunRecord & { workspaceId: string }

/** How it ended, or with which question it waits. */
export type Settled = Pick<RunPatch, 'status' | 'error'> & Partial<Pick<RunPatch, 'waiting'>>

/** Receives what a run of a conversation produces, before the journal is written, and perhaps again after a crash. */
export interface RunListener {
  /** The values of `sys.history` and `memory` when the run starts or resumes. */
  recall(run: ObservedRun): Promise<{ history: HistoryEntry[]; memory: Record<string, unknown> }>
  /** New values of `memory`. */
  remember(run: ObservedRun, values: Readonly<Record<string, unknown>>): Promise<void>
  /** May be called again with the same message id. */
  messageSent(run: ObservedRun, message: RunMessage): Promise<void>
  /** The run has ended, or waits for the next turn. */
  settled(run: ObservedRun, result: Settled): Promise<void>
}
