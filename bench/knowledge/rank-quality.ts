export interface RankQuality {
  recallAt1: number
  recallAt10: number
  /** The mean of 1 / rank of the right passage among the first ten, 0 where it is not among them. */
  mrr: number
}

/** `ranks` has the rank of the right passage for each question, from 0; -1 where it was not found. */
export function qualityOf(ranks: readonly number[]): RankQuality {
  const share = (isCounted: (rank: number) => boolean): number =>
    ranks.filter(isCounted).length / ranks.length
  return {
    recallAt1: share(rank => rank === 0),
    recallAt10: share(rank => rank >= 0 && rank < 10),
    mrr: ranks.reduce((sum, rank) => sum + (rank >= 0 && rank < 10 ? 1 / (rank + 1) : 0), 0) / ranks.length,
  }
}
