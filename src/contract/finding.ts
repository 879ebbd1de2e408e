/** One validation problem of a request: `path` is a JSON pointer into the request. */
export interface Finding {
  path: string
  message: string
}

/** The first problem with its place, and how many more there are, for a message. */
export function firstFinding([first, ...others]: readonly Finding[]): string {
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return `${first!.path}: ${first!.message}${more}`
}

/** One segment of a JSON pointer (RFC 6901). */
export function pointerSegment(key: string | number): string {
  const text = String(key)
  return text.includes('~') || text.includes('/') ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text
}
