import type { Segment } from '../index/segment.ts'
import { SegmentBuilder } from '../index/segment-builder.ts'
import { chunkTerms } from '../text/text-terms.ts'
import type { Chunk } from './chunking/chunk.ts'
import { chunkBlocks } from './chunking/chunk-blocks.ts'
import { DocumentFailure } from './document-failure.ts'
import type { FileToRead, ReadPart } from './document-reader.ts'
import { readDocument } from './readers/read-document.ts'

const chunksPerPart = 32
/** Bounds the memory of the builder; segments of one document are merged like any others. */
const chunksPerSegment = 1024

/** The whole way from bytes to what is stored, part by part. This is what a worker runs. */
export async function* readIntoParts(file: FileToRead): AsyncGenerator<ReadPart> {
  let chunks: Chunk[] = []
  let builder = new SegmentBuilder()
  let total = 0
  const finish = (): Segment => builder.finish({ batchId: file.batchId, from: total - builder.chunkCount })
  for await (const chunk of chunkBlocks(readDocument(file), file.chunking)) {
    // Only now is it known that the part before was not the last one.
    if (chunks.length >= chunksPerPart) {
      const isFull = builder.chunkCount >= chunksPerSegment
      yield { chunks, segment: isFull ? finish() : undefined, isLast: false }
      chunks = []
      if (isFull) builder = new SegmentBuilder()
    }
    chunks.push(chunk)
    total++
    builder.add(chunkTerms(chunk, file.name))
  }
  if (total === 0) throw new DocumentFailure('no_text', 'The file holds no text that could be found')
  yield { chunks, segment: finish(), isLast: true }
}
