import type { RunJournal } from '../../src/workflow/run/journal.ts'

/** Stores nothing: for measuring the engine alone. */
export const noJournal: RunJournal = {
  isKept: false,
  event: () => {},
  sendMessage: () => {},
  wasSent: () => false,
  commit: () => undefined,
}
