import type { Chunk } from '../ingest/chunking/chunk.ts'
import { textTerms } from './text-terms.ts'

/** The name without its ending, since people ask for "the handbook" and not for "handbook.pdf". */
const titleOf = (fileName: string): string => fileName.replace(/\.[A-Za-z0-9]{1,8}$/, '')

/**
 * What a chunk is found by: its own words and the headings above it. The first one is also found by the name of its
 * document; in all of them the words of the name would tell nothing any more.
 */
export const chunkTerms = (
  chunk: Pick<Chunk, 'content' | 'heading' | 'position'>,
  fileName: string,
): string[] =>
  textTerms(
    [...(chunk.position === 0 ? [titleOf(fileName)] : []), ...chunk.heading, chunk.content].join('\n'),
  )
