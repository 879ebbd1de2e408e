import type { ByteRange } from '../files/blob-store.ts'

const singleRange = /^bytes=(\d*)-(\d*)$/i

/**
 * Which part of a resource of `size` bytes a `Range` header asks for; `undefined` means all of it.
 * Other units, broken headers and several ranges at once are ignored, as RFC 9110 section 14.2 allows:
 * the whole is always a correct answer.
 */
export const contentRange = (
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined => {
  const [, first, last] = singleRange.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined) return undefined

  if (first === '') {
    if (last === '') return undefined
    const length = Number(last)
    if (length === 0) return 'unsatisfiable'
    // The last n bytes of nothing are nothing, which a Content-Range cannot say; the whole can.
    return size === 0 ? undefined : { start: Math.max(0, size - length), end: size - 1 }
  }

  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (start > end) return undefined
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) }
}
