const maxShown = 80

/** Truncates a text for a message, never inside a character. */
export function clip(text: string, max: number = maxShown): string {
  if (text.length <= max) return text
  const lastUnit = text.charCodeAt(max - 2)
  const isHalfCharacter = lastUnit >= 0xd800 && lastUnit <= 0xdbff
  return `${text.slice(0, isHalfCharacter ? max - 2 : max - 1)}…`
}

/** A value for a message: texts quoted and truncated; lists and objects by their type, because they may be huge. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clip(value))
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

/** Names for a message: the first few, then how many more there are. */
export function showNames(names: readonly string[], max = 10, separator = ', '): string {
  const shown = names.slice(0, max).map(name => showValue(name))
  const rest = names.length - shown.length
  return rest > 0 ? `${shown.join(separator)}${separator}… (${rest} more)` : shown.join(separator)
}
