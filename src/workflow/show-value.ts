const longestShown = 80

/** Cuts a text for a message, never through the middle of a character. */
export function clip(text: string, longest: number = longestShown): string {
  if (text.length <= longest) return text
  const lastUnit = text.charCodeAt(longest - 2)
  const isHalfCharacter = lastUnit >= 0xd800 && lastUnit <= 0xdbff
  return `${text.slice(0, isHalfCharacter ? longest - 2 : longest - 1)}…`
}

/**
 * A value as a message names it: texts quoted and clipped; lists and objects by their type alone, since they
 * may be huge.
 */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clip(value))
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

/** Names as a message lists them: the first few, then how many are left. */
export function showNames(names: readonly string[], most = 10, separator = ', '): string {
  const shown = names.slice(0, most).map(name => showValue(name))
  const rest = names.length - shown.length
  return rest > 0 ? `${shown.join(separator)}${separator}… (${rest} more)` : shown.join(separator)
}
