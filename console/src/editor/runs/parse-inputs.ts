import { parseExact } from '../../api/exact-json.ts'
import { isRecord } from '../model/same-json.ts'

/** Parses additional inputs: a JSON object, or nothing. Undefined if invalid. */
export function parseInputs(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = parseExact(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
