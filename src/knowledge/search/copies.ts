/** Shorter texts, such as rows of tables and headings, are equal by chance. */
const minLength = 40
const shingleLength = 8
/** For texts with more shingles, about every sixteenth one is compared. */
const maxUnsampled = 200
const sampling = 16
/** Share of the shingles that two texts need in common. */
const minShared = 0.8
/** Each further copy keeps less of its score. */
const copyFactor = 0.8

const digits = /\d+/g

/**
 * Recognises texts that differ from an earlier one by only a few words, such as copies of a file in two formats. Texts
 * with different numbers are not copies: a price list of another year is an answer of its own.
 */
export class CopyFinder {
  /** By all digits of the texts in order: only texts with the same ones are compared. */
  readonly #groups = new Map<string, Group>()

  /** How many copies of the same text there are now, this one included; 0 for an original. */
  add(text: string): number {
    if (text.length < minLength) return 0
    const numbers = text.match(digits)?.join('') ?? ''
    const group = this.#groups.get(numbers)
    if (group) return group.add(text)
    this.#groups.set(numbers, new Group(text))
    return 0
  }
}

class Group {
  /** Compared only when there is another text. */
  #first: string | undefined
  readonly #originals: Original[] = []
  /** For each shingle the originals that contain it. */
  readonly #places = new Map<number, number[]>()

  constructor(first: string) {
    this.#first = first
  }

  add(text: string): number {
    if (this.#first !== undefined) this.#insert(shinglesOf(this.#first))
    this.#first = undefined
    const shingles = shinglesOf(text)
    const shared = new Map<number, number>()
    for (const shingle of shingles)
      for (const place of this.#places.get(shingle) ?? []) shared.set(place, (shared.get(place) ?? 0) + 1)
    for (const [place, count] of shared) {
      const original = this.#originals[place]!
      if (count >= minShared * Math.max(original.shingles.size, shingles.size)) return ++original.copies
    }
    this.#insert(shingles)
    return 0
  }

  #insert(shingles: Set<number>): void {
    const place = this.#originals.push({ shingles, copies: 0 }) - 1
    for (const shingle of shingles) {
      const places = this.#places.get(shingle)
      if (places) places.push(place)
      else this.#places.set(shingle, [place])
    }
  }
}

interface Original {
  shingles: Set<number>
  copies: number
}

/** Spaces are skipped. Where a shingle begins depends on two characters, so that few of them have to be hashed. */
function shinglesOf(text: string): Set<number> {
  const mask = text.length > maxUnsampled ? sampling - 1 : 0
  const shingles = new Set<number>()
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isSpace(code)) continue
    if (((before * 5 + code) & mask) === 0) shingles.add(shingleAt(text, at))
    before = code
  }
  return shingles
}

function shingleAt(text: string, start: number): number {
  let hash = 0
  for (let at = start, left = shingleLength; at < text.length && left > 0; at++) {
    const code = text.charCodeAt(at)
    if (isSpace(code)) continue
    hash = Math.imul(hash ^ code, 0x01000193)
    left--
  }
  return hash
}

const isSpace = (code: number): boolean => code <= 0x20 || code === 0xa0 || code === 0x3000

/**
 * Copies move down, so that they do not fill the first page. Their scores stay at or above the threshold, so that none
 * is hidden.
 */
export function demoteCopies<Item extends { score: number; copy: number }>(
  items: Item[],
  threshold: number,
): Item[] {
  if (!items.some(({ copy }) => copy > 0)) return items
  return items
    .map(item => ({ ...item, score: Math.max(threshold, item.score * copyFactor ** item.copy) }))
    .sort((left, right) => right.score - left.score)
}
