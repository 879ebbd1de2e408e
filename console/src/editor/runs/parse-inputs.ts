import { parseExact } from '../../api/exact-json.ts'
import { isRecord } from '../model/same-json.ts'

/** Further inputs of a run as they were typed: a JSON object, or nothing. Undefined where it is neither. */
export function parseInputs(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = parseExact(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
