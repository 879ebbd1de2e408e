/** One thing that is wrong with a request: `path` is a JSON pointer into what the client sent. */
export interface Finding {
  path: string
  message: string
}

/** One segment of a JSON pointer (RFC 6901). */
export function pointerSegment(key: string | number): string {
  const text = String(key)
  return /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text
}
