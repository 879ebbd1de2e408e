import { array, boolean, count, integerIn, named, optional, string } from './fields.ts'
import { chunkContent, chunkPlace, documentId } from './knowledge-records.ts'
import { chunkingInput, chunkingRecord } from './knowledge-settings.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

export const previewBody = Type.Object({
  file_id: documentId,
  ...optional({
    chunking: chunkingInput,
    max_chunks: integerIn('Maximum number of chunks to return.', [1, limits.previewChunks], { default: 20 }),
  }),
})

export const previewedChunk = Type.Object({
  content: chunkContent,
  ...chunkPlace,
  tokens: count('Number of tokens.', 4),
})

export const chunkPreview = named(
  'ChunkPreview',
  Type.Object({
    file_id: documentId,
    name: string('File name.', 'hello.txt'),
    chunking: chunkingRecord,
    complete: boolean('Whether these are all chunks of the document.', true),
    items: array(previewedChunk, 'The first chunks, in document order.'),
  }),
)
