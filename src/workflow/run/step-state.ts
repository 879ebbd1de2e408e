import type { Wait } from '../step.ts'
import type { UnsaidMessage } from './run-context.ts'
import type { RunError } from './run-store.ts'

/** What the engine needs to know of a step besides its outputs, when it goes on after a crash or a wait. */
export interface StepState {
  case?: string
  assign?: Readonly<Record<string, unknown>>
  wait?: Wait
  /** How often it has asked the user. */
  asked?: number
  /** How a failure was dealt with. */
  handled?: 'skip' | 'default'
  /** What it said and nobody has heard yet, since somebody else has to speak first. */
  unsaid?: readonly UnsaidMessage[]
}

export function writeState(state: StepState): string | undefined {
  return Object.keys(state).length === 0 ? undefined : JSON.stringify(state)
}

export const readState = (text: string | undefined): StepState =>
  text === undefined ? {} : (JSON.parse(text) as StepState)

export const stepError = (failure: {
  reason: RunError['reason']
  message: string
}): Pick<RunError, 'reason' | 'message'> => ({ reason: failure.reason, message: failure.message })
