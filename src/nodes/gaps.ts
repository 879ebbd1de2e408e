import type { Gap, JsonRecord } from '../workflow/node-kind.ts'
import { readText } from './read-setting.ts'

export const gapAt = (key: string, message: string): Gap[] => [{ place: [key], message }]

/** The gaps of a member, as gaps of the object or list that contains it. */
export const gapsWithin = (key: string | number, gaps: readonly Gap[]): Gap[] =>
  gaps.map(gap => ({ ...gap, place: [key, ...gap.place] }))

export const gapsOfEach = (
  list: readonly JsonRecord[],
  check: (element: JsonRecord, index: number) => Gap[],
): Gap[] => list.flatMap((element, index) => gapsWithin(index, check(element, index)))

/** Checks that each object of a list has a text under `key`, and that these texts are unique. */
export function checkUnique(key: string, missing: string, taken: (text: string) => string) {
  const seen = new Set<string>()
  return (element: JsonRecord): Gap[] => {
    const text = readText(element, key)
    if (text.trim() === '') return gapAt(key, missing)
    if (seen.has(text)) return gapAt(key, taken(text))
    seen.add(text)
    return []
  }
}
