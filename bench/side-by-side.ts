import { median } from './median.ts'

export interface Pair {
  ours: number
  limit: number
  /** The median of the ratios of the rounds: a temporary slowdown of the machine affects both sides of a round. */
  ratio: number
}

/** Measures two things in turn, A B B A A B …, so that other load affects both alike. */
export async function sideBySide(
  rounds: number,
  ours: () => Promise<number>,
  limit: () => Promise<number>,
): Promise<Pair> {
  const pairs: { ours: number; limit: number }[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const first = await ours()
      pairs.push({ ours: first, limit: await limit() })
    } else {
      const first = await limit()
      pairs.push({ ours: await ours(), limit: first })
    }
  }
  return {
    ours: median(pairs.map(pair => pair.ours)),
    limit: median(pairs.map(pair => pair.limit)),
    ratio: median(pairs.map(pair => pair.ours / pair.limit)),
  }
}
