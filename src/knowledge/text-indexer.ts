import type { Segment } from './index/segment.ts'
import { SegmentBuilder } from './index/segment-builder.ts'
import { chunkTerms } from './text/text-terms.ts'

/** Texts that become chunks of a batch. */
export interface TextsToIndex {
  batchId: string
  /** The name of their document. */
  name: string
  /** The position of the first chunk. */
  from: number
  texts: readonly string[]
}

/** Builds the keyword index of texts off the main thread: a hundred long ones take seconds. */
export interface TextIndexer {
  indexTexts(workspaceId: string, texts: TextsToIndex): Promise<Segment>
}

/** Runs in a worker thread. */
export function segmentOfTexts({ batchId, name, from, texts }: TextsToIndex): Segment {
  const builder = new SegmentBuilder()
  for (const [at, content] of texts.entries())
    builder.add(chunkTerms({ position: from + at, content, heading: [] }, name))
  return builder.finish({ batchId, from })
}
