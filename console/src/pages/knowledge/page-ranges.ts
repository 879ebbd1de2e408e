const maxRanges = 12

/** Ascending page numbers as "2–5" and "9"; the last is "…" if there are more. */
export function pageRanges(pages: readonly number[], total: number): string[] {
  const ranges: [first: number, last: number][] = []
  for (const page of pages) {
    const current = ranges.at(-1)
    if (current?.[1] === page - 1) current[1] = page
    else ranges.push([page, page])
  }
  const shown = ranges
    .slice(0, maxRanges)
    .map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`))
  return ranges.length > maxRanges || total > pages.length ? [...shown, '…'] : shown
}
