/**
 * Whether two values would be the same JSON. The order of members does not matter, and a member that is undefined is
 * none, since JSON leaves it out.
 */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (isRawNumber(one) && isRawNumber(other)) return JSON.stringify(one) === JSON.stringify(other)
  if (!isObject(one) || !isObject(other)) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((element, index) => sameJson(element, other[index]))
  }
  return memberNames(one, other).every(name => sameJson(member(one, name), member(other, name)))
}

/** Whether it is a number that only JSON can hold without losing digits: an object, but without members of anybody. */
const isRawNumber = (value: unknown): boolean => JSON.isRawJSON?.(value) ?? false

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isRawNumber(value)

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value)

/** An own member: what every object inherits, such as "constructor", is nobody's field. */
export const member = (record: object | undefined, name: string): unknown =>
  record !== undefined && Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined

/** Names of all members that any of the records has, each once, in the order in which they come up. */
export const memberNames = (...records: readonly (object | undefined)[]): string[] => [
  ...new Set(records.flatMap(record => (record === undefined ? [] : Object.keys(record)))),
]
