import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { blockGap, blockText } from '../../../src/knowledge/ingest/chunking/document-text.ts'

/** The text that `from` and `to` of a chunk index. */
export const documentText = (blocks: Iterable<Block>): string =>
  [...blocks]
    .map(blockText)
    .filter(text => text !== '')
    .join(blockGap)
