import type { Line } from './pdf-lines.ts'

const clearlyLarger = 1.15
const longest = 160
const maxLevel = 6

const rounded = (size: number): number => Math.round(size * 2) / 2

/** The size most characters have. */
const bodySize = (lines: Line[]): number => {
  const characters = new Map<number, number>()
  for (const { size, text } of lines)
    characters.set(rounded(size), (characters.get(rounded(size)) ?? 0) + text.length)
  let best = 0
  for (const [size, count] of characters) if (count > (characters.get(best) ?? 0)) best = size
  return best
}

const isTitleText = (text: string): boolean =>
  text.length <= longest && /\p{L}/u.test(text) && !/[,，;；、。]$/.test(text)

/** Tells the level of a heading by its size: the larger, the higher. `undefined` for running text. */
export const headingLevels = (lines: Line[]): ((line: Line) => number | undefined) => {
  const body = bodySize(lines)
  const isHeading = (line: Line) =>
    line.size >= body * clearlyLarger && !line.gapped && isTitleText(line.text)
  const sizes = [...new Set(lines.filter(isHeading).map(line => rounded(line.size)))].sort((a, b) => b - a)
  const levels = new Map(sizes.map((size, index) => [size, Math.min(index + 1, maxLevel)]))
  return line => (isHeading(line) ? levels.get(rounded(line.size)) : undefined)
}
