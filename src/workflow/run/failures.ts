import { limits } from '../../contract/limits.ts'
import { StepFailure, stepFailed } from '../step.ts'
import type { StepRecord } from './store/run-records.ts'

/** A step failed and nothing handles it, so the run fails. */
export class RunFailure extends Error {
  readonly failure: StepFailure
  readonly path: string
  /** How the steps that were running ended; not in the journal yet. */
  readonly records: readonly StepRecord[]

  constructor(failure: StepFailure, path: string, records: readonly StepRecord[]) {
    super(failure.message, { cause: failure })
    this.name = 'RunFailure'
    this.failure = failure
    this.path = path
    this.records = records
  }
}

export const internalFailure = (cause: unknown): StepFailure =>
  new StepFailure('internal', 'Internal server error; the server log has the details', { cause })

export const runTimedOut = (milliseconds: number): StepFailure =>
  new StepFailure(
    'timed_out',
    `The run took longer than ${Math.round(milliseconds / 60_000)} minutes, the maximum for one run. Split the workflow.`,
  )

export const stepTimedOut = (milliseconds: number): StepFailure =>
  new StepFailure(
    'timed_out',
    `The step took longer than ${milliseconds / 1000} seconds. Raise timeout_ms of the node, or let it do less.`,
    { retryable: true },
  )

export const tooManySteps = (max: number): StepFailure =>
  stepFailed(
    `The workflows inside this run took ${max} steps, the maximum for one run. Let it process fewer items.`,
  )

export const tooManyItems = (items: number, nodes: number, left: number): StepFailure =>
  stepFailed(
    `${items} items of a workflow with ${nodes} nodes may take ${items * nodes} steps, but this run has only ${left} left for the workflows inside it. Use fewer items; nothing was done yet.`,
  )

export const interruptedTwice = (): StepFailure =>
  stepFailed('The server stopped twice while this step ran. Start the run again.')

export const outputsTooLarge = (): StepFailure =>
  stepFailed(
    `The outputs are too large: at most ${limits.stepOutputLength >> 20} MiB for a step and ${limits.runOutputLength >> 20} MiB for a run. Return less data.`,
  )

export const messagesTooLong = (): StepFailure =>
  stepFailed(
    `The messages of this run have more than ${limits.runMessagesLength / 1_000_000} million characters, the maximum for one run. Send less to the user.`,
  )

export const outOfMemory = (max: number): StepFailure =>
  new StepFailure(
    'rate_limited',
    `The running workflows of this workspace hold more data than the server has memory for; they may hold up to ${Math.round(max / 2 ** 20)} MB. Return less data, or run fewer of them at a time.`,
  )

export const insertsTooMuch = (): StepFailure =>
  stepFailed('A text with its inserted values is longer than 4 million characters. Insert less.')

/** JSON cannot represent every JavaScript value, such as a cycle or a text beyond the maximum length. */
export const unwritable = (error: unknown): StepFailure =>
  error instanceof StepFailure
    ? error
    : stepFailed('The outputs of the step cannot be written as JSON', error)

export const stepEnded = (): StepFailure => stepFailed('The step has ended and cannot run another workflow')

export const calledItself = (workflowId: string): StepFailure =>
  stepFailed(
    `The workflow ${workflowId} calls itself, directly or through other workflows. Remove the cycle.`,
  )

export const nestedTooDeep = (max: number): StepFailure =>
  stepFailed(`Workflows are nested more than ${max} deep. Call fewer workflows from one another.`)
