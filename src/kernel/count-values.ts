/**
 * The number of values in a JSON value, itself included; counting ends soon after `max`. With `textUnit`, every so many
 * characters of text count as one more value, so that the count reflects the time to write or compare the value.
 */
export function countValues(value: unknown, max: number, textUnit = Number.POSITIVE_INFINITY): number {
  let count = 0
  const open = [value]
  while (open.length > 0 && count <= max) {
    const next = open.pop()
    count += 1
    if (typeof next === 'string') count += Math.floor(next.length / textUnit)
    else if (Array.isArray(next)) {
      if (count + next.length > max) return count + next.length
      for (const inner of next) open.push(inner)
    } else if (typeof next === 'object' && next !== null) {
      // Listing the values of a large object takes three times as long as listing its keys.
      const keys = Object.keys(next)
      if (count + keys.length > max) return count + keys.length
      for (const key of keys) open.push((next as Record<string, unknown>)[key])
    }
  }
  return count
}
