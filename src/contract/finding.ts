/** One thing that is wrong with a request: `path` is a JSON pointer into what the client sent. */
export interface Finding {
  path: string
  message: string
}

/** One segment of a JSON pointer (RFC 6901). */
export const pointerSegment = (key: string | number): string =>
  String(key).replaceAll('~', '~0').replaceAll('/', '~1')
