export interface CountedSegment {
  id: string
  chunkCount: number
}

/** So many segments of about the same size become one. */
const fanIn = 8
/** Larger ones are not made: merging one must not take long or much memory. */
const largest = 32_768

const tierOf = (chunkCount: number): number => Math.floor(Math.log(Math.max(1, chunkCount)) / Math.log(fanIn))

/** The largest first part of the list that fits into one segment. */
function fitting(segments: CountedSegment[]): CountedSegment[] {
  let total = 0
  const end = segments.findIndex(segment => {
    total += segment.chunkCount
    return total > largest
  })
  return end === -1 ? segments : segments.slice(0, end)
}

/**
 * Which segments should become one, if any: eight of the same size class, so that a chunk is rewritten only a few
 * times however many follow it.
 */
export function planMerge(segments: CountedSegment[]): string[] | undefined {
  const sorted = segments.toSorted((left, right) => left.chunkCount - right.chunkCount)
  for (const tier of Map.groupBy(sorted, segment => tierOf(segment.chunkCount)).values()) {
    const group = tier.length >= fanIn ? fitting(tier) : []
    if (group.length >= fanIn / 2) return group.map(segment => segment.id)
  }
  return undefined
}

/** Whether a good part of what the segments hold is of deleted documents. */
export const isOvergrown = (segments: CountedSegment[], liveChunks: number): boolean =>
  segments.reduce((sum, segment) => sum + segment.chunkCount, 0) > liveChunks * 1.5 + 1000
