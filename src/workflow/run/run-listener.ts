import type { HistoryEntry, OutputMessage } from '../step.ts'
import type { RunError, RunHead, RunStatus } from './run-store.ts'

/** A message of a run. Its id stays the same when the step that says it is run again after a crash. */
export interface RunMessage extends OutputMessage {
  id: string
  at: number
}

export interface ObservedRun extends RunHead {
  workspaceId: string
  /** The turn that the run works for now; the next turn, once it waited and was answered. */
  chatId: string
}

export interface Settled {
  status: Exclude<RunStatus, 'queued' | 'running'>
  error: RunError | undefined
  /** What it said since it was started or resumed, in order. */
  messages: readonly RunMessage[]
}

/** Whoever a run works for, told in time: what it is told is in the journal only after this resolves. */
export interface RunListener {
  /** What `sys.history` and `memory` give when the run begins or goes on. */
  recall(run: ObservedRun): Promise<{ history: HistoryEntry[]; memory: Record<string, unknown> }>
  /** New values of `memory`. May be told again after a crash. */
  remember(run: ObservedRun, values: Readonly<Record<string, unknown>>): Promise<void>
  /** May be told again after a crash; the id of the message is the same then. */
  messageSent(run: ObservedRun, message: RunMessage): Promise<void>
  /** The run ended, or waits for the next turn. May be told again after a crash. */
  settled(run: ObservedRun, result: Settled): Promise<void>
}
