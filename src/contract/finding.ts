/** One validation problem of a request: `path` is a JSON pointer into the request. */
export interface Finding {
  path: string
  message: string
}

/** One segment of a JSON pointer (RFC 6901). */
export function pointerSegment(key: string | number): string {
  const text = String(key)
  return /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text
}
