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
    } else if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) open.push(inner)
  }
  return count
}
