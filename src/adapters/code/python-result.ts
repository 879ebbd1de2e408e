import { maxJsonDepth } from '../../tools/json-limits.ts'
import { CodeFailure } from './code-failure.ts'

/** Types of Python that reach JavaScript as an object with this member. */
const typeMember = '__monty_type__'

/**
 * The JSON of what `main` returned: None is null; a tuple or set is a list; NaN and the infinities are null, as in
 * JavaScript; a key that is a number, a truth value or None is its text. Everything else is refused with advice what to
 * use instead.
 */
export function resultJson(value: unknown, foreign?: readonly [type: string, place: string] | null): string {
  if (foreign) throw foreignType(...foreign)
  return JSON.stringify(jsonValue(value, '', 0))
}

function jsonValue(value: unknown, place: string, depth: number): unknown {
  if (depth > maxJsonDepth) throw new CodeFailure('main returned JSON that is nested too deeply: return less')
  if (typeof value === 'bigint') return exactNumber(value, place)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (Array.isArray(value)) return value.map(each => jsonValue(each, place, depth + 1))
  if (value instanceof Set) return Array.from(value, each => jsonValue(each, place, depth + 1))
  if (value instanceof Map) return dictionary(value, place, depth)
  if (value instanceof Uint8Array)
    throw refusal('bytes', place, 'use bytes.decode(), or base64.b64encode(…).decode()')
  const type = String((value as Record<string, unknown>)[typeMember] ?? 'object')
  throw foreignType(type, place)
}

const foreignType = (type: string, place: string): CodeFailure =>
  refusal(
    `a value of the type ${type}`,
    place,
    type === 'coroutine' ? 'use asyncio.run()' : 'use str() or list()',
  )

/** Refuses an integer whose digits would change in JSON, even if the number stays the same: 2**60, for example. */
function exactNumber(value: bigint, place: string): number {
  const number = Number(value)
  if (String(number) === String(value)) return number
  throw refusal('an integer beyond 2**53', place, 'use str() or float()')
}

const dictionary = (value: ReadonlyMap<unknown, unknown>, place: string, depth: number): object =>
  Object.fromEntries(
    Array.from(value, ([key, inner]) => {
      if (typeof key === 'object' && key !== null) throw refusal('a key that is no text', place, 'use str()')
      return [String(key), jsonValue(inner, String(key), depth + 1)]
    }),
  )

const refusal = (problem: string, place: string, advice: string): CodeFailure =>
  new CodeFailure(
    `main returned ${problem}${place && ` in "${place.slice(0, 80)}"`}, which is not JSON: ${advice}`,
  )
