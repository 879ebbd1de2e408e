/** Groups of consecutive items whose sizes stay within the limit together. An item above it is a group of its own. */
export function* groupsWithin<Item>(items: Iterable<Item>, sizeOf: (item: Item) => number, limit: number) {
  let group: Item[] = []
  let total = 0
  for (const item of items) {
    const size = sizeOf(item)
    if (group.length > 0 && total + size > limit) {
      yield group
      group = []
      total = 0
    }
    group.push(item)
    total += size
  }
  if (group.length > 0) yield group
}
