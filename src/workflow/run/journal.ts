import type { RunEventFields, RunEventName } from './run-event.ts'
import type { RunMessage } from './run-listener.ts'
import type { EffectRecord, StepRecord } from './run-store.ts'

/** Where the engine writes what happened. What it returns, where it returns something, must be waited for. */
export interface Journal {
  /** False: nothing is kept, so records need not be made. */
  readonly isKept: boolean
  event<Name extends RunEventName>(name: Name, fields: RunEventFields[Name]): void
  /** A message to the user, told once however often it is said. */
  say(message: RunMessage, nodeId: string): void
  /** Whether the user has this message, from this life or an earlier one. */
  wasSaid(messageId: string): boolean
  /** Resolves when the records, and all events before, survive a crash. Rejects when this run is not ours any more. */
  commit(steps: readonly StepRecord[], effects?: readonly EffectRecord[]): Promise<void> | undefined
}

/** Keeps nothing: for measuring the engine by itself. */
export const noJournal: Journal = {
  isKept: false,
  event: () => {},
  say: () => {},
  wasSaid: () => false,
  commit: () => undefined,
}
