/** Stands for a value that is told elsewhere. */
export const elided = Symbol('elided')

/**
 * JSON that a person reads: whatever fits stays on one line, the rest is opened up.
 * `used` is how much of the first line is taken already.
 */
export function prettyJson(value: unknown, width = 54, indent = '', used = indent.length): string {
  const line = onOneLine(value)
  if (typeof value !== 'object' || value === null || used + line.length <= width) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map(item => inner + prettyJson(item, width, inner))
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value).map(([key, member]) => {
    const start = `${inner}${JSON.stringify(key)}: `
    return start + prettyJson(member, width, inner, start.length)
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function onOneLine(value: unknown): string {
  if (value === elided) return '{ … }'
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${onOneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
