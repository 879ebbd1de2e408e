import type { Chunk } from '../ingest/cut/chunk.ts'
import { textTerms } from './text-terms.ts'

/** The name without its ending, since people ask for "the handbook" and not for "handbook.pdf". */
const titleOf = (fileName: string): string => fileName.replace(/\.[A-Za-z0-9]{1,8}$/, '')

/** What a chunk is found by: its own words, the headings above it, and the name of its document. */
export const chunkTerms = (chunk: Pick<Chunk, 'content' | 'heading'>, fileName: string): string[] =>
  textTerms([titleOf(fileName), ...chunk.heading, chunk.content].join('\n'))
