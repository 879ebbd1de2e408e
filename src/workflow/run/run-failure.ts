import type { StepFailure } from '../step.ts'
import type { StepRecord } from './run-store.ts'

/** A step failed and nobody deals with it, so the run fails. */
export class RunFailure extends Error {
  readonly failure: StepFailure
  readonly path: string
  /** How the steps that were under way ended; not in the journal yet. */
  readonly records: readonly StepRecord[]

  constructor(failure: StepFailure, path: string, records: readonly StepRecord[]) {
    super(failure.message, { cause: failure })
    this.name = 'RunFailure'
    this.failure = failure
    this.path = path
    this.records = records
  }
}
