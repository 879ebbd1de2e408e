import { useState } from 'react'

const same = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/**
 * A draft of input that is not a valid value yet. It is kept while the value stays the same, and reset when
 * the value changes by other means, such as undo.
 */
export function useDraft<Draft>(
  value: unknown,
  draftOf: (value: unknown) => Draft,
): [Draft, (draft: Draft, stands: unknown) => void] {
  const [kept, setKept] = useState(() => ({ draft: draftOf(value), stands: value }))
  let { draft } = kept
  if (!same(kept.stands, value)) {
    draft = draftOf(value)
    setKept({ draft, stands: value })
  }
  return [draft, (next, stands) => setKept({ draft: next, stands })]
}
