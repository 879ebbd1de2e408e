import type { Clock } from '../../kernel/clock.ts'
import type { Reply } from '../step.ts'
import type { Journal } from './journal.ts'
import type { Plan } from './plan.ts'
import type { RunMessage } from './run-listener.ts'
import type { OpenQuestion, StepRecord } from './run-store.ts'
import type { Slots } from './slots.ts'

/** What was done before a crash or a wait, by path. */
export interface Restored {
  readonly steps: Map<string, StepRecord>
  /** Results by `effectKey`. */
  readonly effects: Map<string, string>
  /** What was said by speaking nodes, in order. */
  readonly texts?: ReadonlyMap<string, string>
  /** Whoever had the run before gave no notice: it may have told what is not in the journal. */
  readonly isTakenOver?: boolean
}

export const effectKey = (path: string, name: string): string => `${path}\n${name}`

/** The answer to a question of a step. */
export interface Answered {
  readonly path: string
  /** Which question of that step: a step may ask again, and this is no answer to that. */
  readonly ordinal: number
  readonly reply: Reply
}

/** A message that waits until those before it have been heard out. */
export interface UnsaidMessage {
  readonly path: string
  readonly message: RunMessage
}

/** What all executions of one run share: the run's own, and those of the workflows inside it. */
export interface RunContext {
  readonly workspaceId: string
  readonly runId: string
  readonly services: unknown
  readonly clock: Clock
  readonly journal: Journal
  readonly slots: Slots
  readonly restored: Restored
  /** The answer that the run goes on with, and which step asked. */
  readonly answered: Answered | undefined
  readonly questions: OpenQuestion[]
  /** By their ids. A step may end before its words are heard, and then they are kept with it. */
  readonly unsaid?: Map<string, UnsaidMessage>
  /** Changes as the run goes on. */
  readonly memory: Record<string, unknown>
  remember(values: Readonly<Record<string, unknown>>): Promise<void> | undefined
  /** Counts a step; false when the run has had as many as it may. */
  countStep(): boolean
  /** Counts the length of outputs; false when the run has as much as it may. */
  countOutput(length: number): boolean
  countTokens(usage: { promptTokens: number; completionTokens: number }): void
  findPlan(workflowId: string, version: number | undefined): Promise<{ plan: Plan; version: number }>
  /** The name of the model that is used where a node names none. */
  defaultModel(): Promise<string>
  /** From 0 up to but not including 1. */
  random(): number
  /** Tells whoever runs the server of a fault of ours. */
  report(error: unknown, path: string): void
}
