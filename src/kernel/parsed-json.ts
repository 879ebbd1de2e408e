import { limits } from '../contract/limits.ts'
import { parseKeepingDigits } from './parse-in-pieces.ts'

/** The same limit as for the body of a request. */
const maxDepth = limits.graphDepth + 2

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1)))

/**
 * The value of a JSON text; undefined if it is not JSON, or nested too deeply: JSON.parse accepts depths that JSON.stringify
 * cannot write back. Integers keep their digits, as in `parseKeepingDigits`.
 */
export function parsedJson(text: string): unknown {
  try {
    const value = parseKeepingDigits(text)
    return isDeeper(value, maxDepth) ? undefined : value
  } catch {
    return undefined
  }
}
