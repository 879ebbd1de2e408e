import type { ChunkAddress } from '../chunk-store.ts'

export interface Candidate extends ChunkAddress {
  /** 0 to 1. */
  score: number
  keyword?: { rank: number; score: number }
  semantic?: { rank: number; score: number }
}

type Source = 'keyword' | 'semantic'

/** The usual constant k of reciprocal rank fusion. */
const rankConstant = 60

export const addressKey = ({ batchId, position }: ChunkAddress): string => `${batchId}/${position}`

/** Reciprocal rank fusion, since the scores of the two indexes are not comparable. A chunk that is first in both gets 1. */
export function fuseRanks(results: Partial<Record<Source, (ChunkAddress & { score: number })[]>>) {
  const names = Object.keys(results) as Source[]
  const candidates = new Map<string, Candidate>()
  for (const name of names)
    for (const [index, hit] of results[name]!.entries()) {
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
            return sum + (hit ? (rankConstant + 1) / (rankConstant + hit.rank) / names.length : 0)
          }, 0)
  return [...candidates.values()].sort((left, right) => right.score - left.score)
}
