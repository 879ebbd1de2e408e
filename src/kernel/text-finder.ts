import type { Pausable } from './slices.ts'

const hashBits = 12
const hashMask = (1 << hashBits) - 1
/** Characters examined before other work gets its turn: well under a millisecond. */
const pieceSteps = 20_000

/**
 * Finds any of many texts in a long one (the algorithm of Wu and Manber). It looks at the last two characters of a
 * window as long as the shortest text: if no text contains these two, the window moves past them, so that most
 * characters are skipped.
 */
export class TextFinder {
  /** A text shorter than this contains no match. */
  readonly minLength: number
  /** How far the window can move, by the hash of its last two characters: 0 if it may hold the beginning of a text. */
  readonly #shifts = new Uint8Array(1 << hashBits)
  /** The texts that may begin in the window, by the same hash, the longest first. */
  readonly #candidates = new Map<number, string[]>()

  /** Requires at least one text, and none shorter than two characters. */
  constructor(texts: readonly string[]) {
    const longestFirst = [...new Set(texts)].sort((one, other) => other.length - one.length)
    this.minLength = Math.min(255, longestFirst.at(-1)!.length)
    const last = this.minLength - 1
    this.#shifts.fill(last)
    for (const text of longestFirst) {
      for (let at = 1; at <= last; at++) {
        const hash = hashAt(text, at)
        this.#shifts[hash] = Math.min(this.#shifts[hash]!, last - at)
      }
      const hash = hashAt(text, last)
      this.#candidates.set(hash, [...(this.#candidates.get(hash) ?? []), text])
    }
  }

  /** Replaces every match; if several texts match at one position, the longest one counts. */
  *replaceIn(text: string, replacement: string): Pausable<string> {
    const last = this.minLength - 1
    const pieces: string[] = []
    let copied = 0
    let steps = 0
    for (let at = last; at < text.length; ) {
      const hash = hashAt(text, at)
      const shift = this.#shifts[hash]!
      if (shift > 0) at += shift
      else {
        const candidates = this.#candidates.get(hash)!
        const start = at - last
        const found = candidates.find(each => text.startsWith(each, start))
        if (found !== undefined) {
          pieces.push(text.slice(copied, start), replacement)
          copied = start + found.length
        }
        at = found === undefined ? at + 1 : copied + last
        steps += candidates.length
      }
      if (++steps < pieceSteps) continue
      steps = 0
      yield
    }
    return copied === 0 ? text : pieces.join('') + text.slice(copied)
  }
}

/** The hash of a character and the one before it. */
const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at - 1) * 31 + text.charCodeAt(at)) & hashMask
