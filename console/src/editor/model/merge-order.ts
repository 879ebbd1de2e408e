/**
 * The order of what is kept of two lists that began as one. The side that moved things about has its order; what only
 * the other side has comes behind the same neighbour as there.
 */
export function mergeOrder(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  kept: ReadonlySet<string>,
): string[] {
  const [leading, other] =
    isReordered(base, theirs) && !isReordered(base, mine) ? [theirs, mine] : [mine, theirs]
  const places = new Set(leading)
  const behind = new Map<string | undefined, string[]>()
  let neighbour: string | undefined
  for (const key of other) {
    if (places.has(key)) neighbour = key
    else if (behind.has(neighbour)) behind.get(neighbour)!.push(key)
    else behind.set(neighbour, [key])
  }
  const all = [...(behind.get(undefined) ?? []), ...leading.flatMap(key => [key, ...(behind.get(key) ?? [])])]
  return all.filter(key => kept.has(key))
}

function isReordered(base: readonly string[], side: readonly string[]): boolean {
  const inBase = new Set(base)
  const inSide = new Set(side)
  const common = base.filter(key => inSide.has(key))
  return side.filter(key => inBase.has(key)).some((key, index) => key !== common[index])
}
