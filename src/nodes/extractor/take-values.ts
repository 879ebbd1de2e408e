import { type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import { mapValue, type Value } from './map-value.ts'
import type { Parameter } from './parameter.ts'
import { valueInWords } from './value-in-words.ts'

/** What one turn brought. */
export interface Heard {
  /** The user's words alone. */
  words: string
  /** The values that the model made of them, unchecked. */
  given: JsonRecord
  /** The parameter that the user was asked for. */
  asked: string | undefined
}

/** Shorter texts are whole answers more often than the beginning of one. */
const longEcho = 40

/** The values after a turn: what was known stays until something else is said. */
export function takeValues(
  parameters: readonly Parameter[],
  known: ReadonlyMap<string, Value>,
  heard: Heard,
): Map<string, Value> {
  const values = new Map(known)
  for (const parameter of parameters) {
    const value = valueSaid(parameter, heard)
    if (value !== undefined) values.set(parameter.name, value)
  }
  return values
}

function valueSaid(parameter: Parameter, { words, given, asked }: Heard): Value | undefined {
  const isAsked = parameter.name === asked
  const raw = ownValue(given, parameter.name)
  // A model that repeats the whole message for a free text has found nothing in it, unless it was asked for just that.
  const echo = parameter.type === 'text' && !isAsked && isEcho(raw, words)
  const value = echo ? undefined : mapValue(parameter, raw)
  return value ?? valueInWords(parameter, words, isAsked)
}

function isEcho(raw: unknown, words: string): boolean {
  if (typeof raw !== 'string') return false
  const [said, whole] = [raw.trim(), words.trim()]
  return said === whole || (said.length >= longEcho && whole.startsWith(said))
}
