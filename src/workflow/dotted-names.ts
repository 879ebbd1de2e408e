/**
 * Finds which of many names a dotted path starts with, where names may hold dots themselves: for the names
 * `a` and `a.b`, the path `a.b.text` starts with `a.b`.
 *
 * Names lie sorted, each with a dot after it. Every name that starts a path then starts the greatest name
 * that is not above the path too, so one binary search and a walk along shorter names find the longest;
 * trying the prefixes one by one would cost the square of the length of a path with many dots. The walk skips
 * ahead, for hundreds of thousands of references may each meet a chain of two thousand names.
 */
export class DottedNames {
  readonly #keys: readonly string[]
  /** Per key the longest other key it starts with, or -1. */
  readonly #shorter: Int32Array
  /**
   * Per key one that lies further down the same chain, chosen so that any walk takes a logarithm of its
   * steps.
   */
  readonly #muchShorter: Int32Array

  constructor(names: Iterable<string>) {
    // The default order compares code units, as `<=` below does.
    this.#keys = Array.from(new Set(names), name => `${name}.`).sort()
    this.#shorter = new Int32Array(this.#keys.length)
    this.#muchShorter = new Int32Array(this.#keys.length)
    const depths = new Int32Array(this.#keys.length)
    for (const [index, key] of this.#keys.entries()) {
      let shorter = index - 1
      while (shorter >= 0 && !key.startsWith(this.#keys[shorter]!)) shorter = this.#shorter[shorter]!
      this.#shorter[index] = shorter
      depths[index] = shorter < 0 ? 0 : depths[shorter]! + 1
      this.#muchShorter[index] = this.#chooseSkip(shorter, depths)
    }
  }

  /** The longest name that `path` starts with, followed by a dot. */
  longestStartOf(path: string): string | undefined {
    let candidate = this.#lastNotAbove(path)
    if (candidate < 0) return undefined
    const common = commonLength(this.#keys[candidate]!, path)
    while (candidate >= 0 && this.#keys[candidate]!.length > common) {
      const skip = this.#muchShorter[candidate]!
      const isTooLong = skip >= 0 && this.#keys[skip]!.length > common
      candidate = isTooLong ? skip : this.#shorter[candidate]!
    }
    return candidate < 0 ? undefined : this.#keys[candidate]!.slice(0, -1)
  }

  /** Myers' skew-binary jump: two jumps of equal length behind `shorter` become one. */
  #chooseSkip(shorter: number, depths: Int32Array): number {
    const first = shorter < 0 ? -1 : this.#muchShorter[shorter]!
    const second = first < 0 ? -1 : this.#muchShorter[first]!
    if (second < 0) return shorter
    return depths[shorter]! - depths[first]! === depths[first]! - depths[second]! ? second : shorter
  }

  #lastNotAbove(path: string): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#keys[middle]! <= path) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  return length
}
