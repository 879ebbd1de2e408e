import { pointerSegment } from '../contract/finding.ts'
import { invalidField } from '../kernel/app-error.ts'
import type { JsonMember } from '../kernel/json-members.ts'

/** Most texts hold nothing that could be such a number, and need not be read again. */
const suspicious = /\d{16}|[eE]\+?\d{3}/
const wholeNumber = /^-?\d+$/

const marked = Symbol('a number that cannot be given back')

function place(value: unknown, pointer: string): string | undefined {
  if (value === marked) return pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const found = place(inner, `${pointer}/${pointerSegment(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Refuses numbers in free-form members that could not be given back as they were sent: those too large for any
 * number here, and whole ones beyond 2^53, whose last digits would change.
 */
export function refuseInexact(members: ReadonlyMap<string, JsonMember>, names: readonly string[]): void {
  for (const name of names) {
    const text = members.get(name)?.text
    if (text === undefined || !suspicious.test(text)) continue
    const read: unknown = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
      if (typeof value !== 'number') return value
      const isExact = !wholeNumber.test(context?.source ?? '') || Number.isSafeInteger(value)
      return Number.isFinite(value) && isExact ? value : marked
    })
    const found = place(read, `/${name}`)
    if (found !== undefined)
      throw invalidField(found, 'is a number that cannot be kept exactly; send it as a text')
  }
}
