/** The items in groups of up to `size`, for statements and messages that take a limited number. */
export function* groupsOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
