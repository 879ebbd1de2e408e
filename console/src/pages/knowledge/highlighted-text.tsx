import type { ReactNode } from 'react'

/** Text with marks from and to, in UTF-16 units, exactly as the server gave them. */
export function HighlightedText({ text, marks }: { text: string; marks: readonly (readonly number[])[] }) {
  const parts: ReactNode[] = []
  let at = 0
  const sorted = marks.toSorted(([one = 0], [other = 0]) => one - other)
  for (const [from = 0, to = 0] of sorted) {
    // A mark that overlaps the one before goes on where that ends.
    const start = Math.max(from, at)
    if (to <= start) continue
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, to)}</mark>)
    at = to
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}
