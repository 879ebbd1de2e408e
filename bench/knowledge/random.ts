export type Random = () => number

/** Random numbers that depend only on the seed, on every machine (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Beyond this rank frequencies fall faster, as in real text. */
const kink = 500

/** Draws ranks from 0 with the frequencies of words in prose: the hundredth about a tenth as often as the tenth (Zipf). */
export function createZipf(count: number, random: Random): () => number {
  const sums = new Float64Array(count)
  let sum = 0
  for (let rank = 0; rank < count; rank++)
    sums[rank] = sum += rank < kink ? 1 / (rank + 2) : kink / (rank + 2) ** 2 / 2
  return () => {
    const target = random() * sum
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! < target) low = middle + 1
      else high = middle
    }
    return low
  }
}

export const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random() * items.length)]!
