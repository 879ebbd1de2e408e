/** The unescaped segments of a JSON pointer. */
export const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/** A pointer with one more segment. */
export const pointerBelow = (pointer: string, segment: string | number): string =>
  `${pointer}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`

export const isAtOrBelow = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`)
