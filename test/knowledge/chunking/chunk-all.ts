import type { Chunking } from '../../../src/knowledge/chunking.ts'
import type { ReadBlocks } from '../../../src/knowledge/ingest/block.ts'
import type { Chunk } from '../../../src/knowledge/ingest/chunking/chunk.ts'
import { chunkBlocks } from '../../../src/knowledge/ingest/chunking/chunk-blocks.ts'

export const chunkAll = async (blocks: ReadBlocks, chunking: Chunking): Promise<Chunk[]> => {
  const chunks: Chunk[] = []
  for await (const chunk of chunkBlocks(blocks, chunking)) chunks.push(chunk)
  return chunks
}
