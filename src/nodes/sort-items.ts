import type { Pausable } from '../kernel/slices.ts'
import { isEmpty, numberOf, timeOf } from './compare-values.ts'
import { textOf } from './read-setting.ts'

/** The sort key of an item: values of the same type are compared, and types have a fixed order. */
interface Key {
  readonly type: 'number' | 'date' | 'text' | 'none'
  readonly value: number | string
}

const typeOrder: Readonly<Record<Key['type'], number>> = { number: 0, date: 1, text: 2, none: 3 }

/** Longer texts are compared by their start, so that no comparison takes long. */
const maxTextLength = 10_000

function keyOf(value: unknown): Key {
  const [number, time] = [numberOf(value), timeOf(value)]
  if (number !== undefined) return { type: 'number', value: number }
  if (time !== undefined) return { type: 'date', value: time }
  if (isEmpty(value) || typeof value === 'object') return { type: 'none', value: 0 }
  return { type: 'text', value: textOf(value).slice(0, maxTextLength) }
}

/** Whether two keys are in the right order already. */
function isInOrder(one: Key, other: Key, isDescending: boolean): boolean {
  if (one.type !== other.type) {
    const isBefore = typeOrder[one.type] < typeOrder[other.type]
    // Items without a value come last in both orders.
    return one.type === 'none' || other.type === 'none' ? isBefore : isBefore !== isDescending
  }
  return isDescending ? one.value >= other.value : one.value <= other.value
}

const itemsPerPause = 256

/** A stable merge sort that pauses: the sort of the language would hold the event loop for a long list. */
export function* sortItems(
  items: readonly unknown[],
  sortedBy: (item: unknown) => unknown,
  isDescending: boolean,
): Pausable<readonly unknown[]> {
  type Entry = { readonly key: Key; readonly item: unknown }
  let sorted: Entry[] = []
  for (const item of items) {
    sorted.push({ key: keyOf(sortedBy(item)), item })
    if (sorted.length % itemsPerPause === 0) yield
  }
  for (let width = 1; width < sorted.length; width *= 2) {
    const merged: Entry[] = []
    for (let start = 0; start < sorted.length; start += 2 * width) {
      const [middle, end] = [start + width, Math.min(start + 2 * width, sorted.length)]
      let [left, right] = [start, middle]
      while (left < middle && right < end) {
        const takesLeft = isInOrder(sorted[left]!.key, sorted[right]!.key, isDescending)
        merged.push(sorted[takesLeft ? left++ : right++]!)
        if (merged.length % itemsPerPause === 0) yield
      }
      while (left < Math.min(middle, end)) merged.push(sorted[left++]!)
      while (right < end) merged.push(sorted[right++]!)
    }
    sorted = merged
    yield
  }
  return sorted.map(({ item }) => item)
}
