import type { Chunking } from '../../../src/knowledge/chunking.ts'
import type { ReadBlocks } from '../../../src/knowledge/ingest/block.ts'
import type { Chunk } from '../../../src/knowledge/ingest/cut/chunk.ts'
import { cutBlocks } from '../../../src/knowledge/ingest/cut/cut-blocks.ts'

export const cutAll = async (blocks: ReadBlocks, chunking: Chunking): Promise<Chunk[]> => {
  const chunks: Chunk[] = []
  for await (const chunk of cutBlocks(blocks, chunking)) chunks.push(chunk)
  return chunks
}
