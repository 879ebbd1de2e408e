import { isJsonRecord, ownValue } from '../../workflow/node-kind.ts'
import type { HistoryEntry } from '../../workflow/step.ts'
import { mapValue, type Value } from './map-value.ts'
import type { Parameter } from './parameter.ts'

/** What the dialogue knows between two turns. */
export interface DialogueState {
  values: Map<string, Value>
  /** How often the user has spoken. */
  turns: number
  /** What was said in this dialogue, oldest first. */
  history: HistoryEntry[]
  /** The parameter that the user was asked for last. */
  asked: string | undefined
}

/** As JSON, which is all that survives the waiting. */
export const writeState = ({ values, turns, history, asked }: DialogueState): unknown => ({
  values: Object.fromEntries(values),
  turns,
  history,
  asked: asked ?? null,
})

export function readState(stored: unknown, parameters: readonly Parameter[]): DialogueState {
  const state = isJsonRecord(stored) ? stored : {}
  const turns = ownValue(state, 'turns')
  const history = ownValue(state, 'history')
  const asked = ownValue(state, 'asked')
  return {
    values: readValues(ownValue(state, 'values'), parameters),
    turns: typeof turns === 'number' ? turns : 0,
    history: Array.isArray(history) ? (history as HistoryEntry[]) : [],
    asked: typeof asked === 'string' ? asked : undefined,
  }
}

/** Mapped again, so that nothing outside the options gets through, wherever it came from. */
function readValues(stored: unknown, parameters: readonly Parameter[]): Map<string, Value> {
  const values = new Map<string, Value>()
  for (const parameter of parameters) {
    const value = isJsonRecord(stored) ? mapValue(parameter, ownValue(stored, parameter.name)) : undefined
    if (value !== undefined) values.set(parameter.name, value)
  }
  return values
}
