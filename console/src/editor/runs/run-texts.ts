import { parseExact } from '../../api/exact-json.ts'
import { isRecord } from '../model/same-json.ts'

/** The beginning of an answer for a list, without Markdown marks. */
export const plainStart = (answer: string): string =>
  answer
    .slice(0, 300)
    .replace(/^\s*(?:#{1,6}|[-*+>]|\d+\.)\s+/gmu, '')
    .replace(/\*\*|`+/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()

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
