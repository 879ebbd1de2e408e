/** Whether two values are equal as JSON. The order of members is ignored, and undefined members count as absent. */
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

/** Whether it is raw JSON of a number that a double cannot represent: an object without own members. */
const isRawNumber = (value: unknown): boolean => JSON.isRawJSON?.(value) ?? false

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isRawNumber(value)

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value)

/** An own member: inherited ones, such as "constructor", are no fields. */
export const member = (record: object | undefined, name: string): unknown =>
  record !== undefined && Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined

/** All member names of the records, each once, in order of appearance. */
export const memberNames = (...records: readonly (object | undefined)[]): string[] => [
  ...new Set(records.flatMap(record => (record === undefined ? [] : Object.keys(record)))),
]
