import type { ChunkAddress } from '../chunk-store.ts'

export interface Candidate extends ChunkAddress {
  /** 0 to 1. */
  score: number
  keyword?: { rank: number; score: number }
  semantic?: { rank: number; score: number }
}

type Source = 'keyword' | 'semantic'

export const addressKey = ({ batchId, position }: ChunkAddress): string => `${batchId}/${position}`

/**
 * The fused score is halfway between the mean and the higher of the two, so a passage that one index alone finds stays
 * relevant, and one that both find comes first. Scores are fused instead of ranks: an index without good hits has low
 * scores and so little influence, while by rank its best hit would count as much as that of the other. Measured in
 * docs/decisions/2026-11-16-relevance-scores.md.
 */
export function fuseScores(results: Partial<Record<Source, (ChunkAddress & { score: number })[]>>) {
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
  // A hit that the semantic index did not return is at most as similar as its last one; one that the keyword index did
  // not return has none of the words.
  const missing = { keyword: 0, semantic: results.semantic?.at(-1)?.score ?? 0 }
  for (const candidate of candidates.values()) {
    const scores = names.map(name => candidate[name]?.score ?? missing[name])
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
    candidate.score = (mean + Math.max(...scores)) / 2
  }
  return [...candidates.values()].sort((left, right) => right.score - left.score)
}
