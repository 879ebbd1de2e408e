import { parseExact } from '../../api/exact-json.ts'
import { isRecord } from '../model/same-json.ts'

/** A short duration: `840 ms`, `3.2 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 59.95) return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

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
