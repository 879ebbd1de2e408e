import type { ChunkAddress } from '../chunk-store.ts'

export interface Candidate extends ChunkAddress {
  /** 0 to 1. */
  score: number
  keyword?: { rank: number; score: number }
  semantic?: { rank: number; score: number }
}

type Leg = 'keyword' | 'semantic'

/** The usual constant of reciprocal rank fusion: how much more the first place counts than the tenth. */
const evenness = 60

export const addressKey = ({ batchId, position }: ChunkAddress): string => `${batchId}/${position}`

/**
 * Two legs that measure differently are joined by their ranks alone. Each leg's hits come in order, the best first.
 * A chunk that is first in both gets 1.
 */
export function fuseRanks(legs: Partial<Record<Leg, (ChunkAddress & { score: number })[]>>): Candidate[] {
  const names = Object.keys(legs) as Leg[]
  const candidates = new Map<string, Candidate>()
  for (const name of names)
    for (const [index, hit] of legs[name]!.entries()) {
      const key = addressKey(hit)
      const candidate: Candidate = candidates.get(key) ?? {
        batchId: hit.batchId,
        position: hit.position,
        score: 0,
      }
      candidate[name] = { rank: index + 1, score: hit.score }
      candidates.set(key, candidate)
    }
  for (const candidate of candidates.values())
    candidate.score =
      names.length === 1
        ? candidate[names[0]!]!.score
        : names.reduce((sum, name) => {
            const hit = candidate[name]
            return sum + (hit ? (evenness + 1) / (evenness + hit.rank) / names.length : 0)
          }, 0)
  return [...candidates.values()].sort((left, right) => right.score - left.score)
}
