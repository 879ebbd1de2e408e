export const replaced = <Item>(list: readonly Item[], index: number, item: Item): Item[] =>
  list.map((each, place) => (place === index ? item : each))

export const removed = <Item>(list: readonly Item[], index: number): Item[] =>
  list.filter((_, place) => place !== index)

export function moved<Item>(list: readonly Item[], index: number, by: -1 | 1): Item[] {
  const next = [...list]
  const [item] = next.splice(index, 1)
  if (item !== undefined) next.splice(index + by, 0, item)
  return next
}
