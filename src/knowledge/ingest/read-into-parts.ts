import { SegmentBuilder } from '../index/segment-builder.ts'
import { chunkTerms } from '../text/chunk-terms.ts'
import type { Chunk } from './cut/chunk.ts'
import { cutBlocks } from './cut/cut-blocks.ts'
import { DocumentFailure } from './document-failure.ts'
import type { FileToRead, ReadPart } from './document-reader.ts'
import { readDocument } from './read/read-document.ts'

const chunksPerPart = 128
/** Bounds the memory of the builder; segments of one document are merged like any others. */
const chunksPerSegment = 1024

/** The whole way from bytes to what is stored, part by part. This is what a worker runs. */
export async function* readIntoParts(file: FileToRead): AsyncGenerator<ReadPart> {
  let chunks: Chunk[] = []
  let builder = new SegmentBuilder()
  let total = 0
  for await (const chunk of cutBlocks(readDocument(file), file.chunking)) {
    chunks.push(chunk)
    total++
    builder.add(chunkTerms(chunk, file.name))
    if (chunks.length < chunksPerPart) continue
    const isFull = builder.chunkCount >= chunksPerSegment
    const segment = isFull
      ? builder.finish({ batchId: file.batchId, from: total - builder.chunkCount })
      : undefined
    yield { chunks, segment }
    chunks = []
    if (isFull) builder = new SegmentBuilder()
  }
  if (total === 0) throw new DocumentFailure('no_text', 'The file holds no text that could be found')
  const segment =
    builder.chunkCount > 0
      ? builder.finish({ batchId: file.batchId, from: total - builder.chunkCount })
      : undefined
  if (chunks.length > 0 || segment) yield { chunks, segment }
}
