import type { JsonObject } from './fits-shape.ts'

/**
 * The record with new unknown members beside the known ones. Members keep their positions, also renamed ones,
 * and unknown ones keep the given order.
 */
export function withOthers(record: JsonObject, known: readonly string[], others: JsonObject): JsonObject {
  const left = Object.entries(others)
  const old = Object.keys(record).filter(name => !known.includes(name))
  const isSameCount = old.length === left.length
  const members = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    if (known.includes(name)) return [[name, value]]
    return left.splice(0, isSameCount ? 1 : left.findIndex(([other]) => other === name) + 1)
  })
  return Object.fromEntries([...members, ...left])
}
