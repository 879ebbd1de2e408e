import Type, { type Static } from 'typebox'
import {
  chunkingRecord,
  embeddingRecord,
  knowledgeDescription,
  knowledgeName,
  metadataRecord,
  retrievalRecord,
} from './knowledge-settings.ts'
import { id, time } from './text.ts'

export const knowledgeId = id('Knowledge base id.', 'kb_Zk3xV0m2q1c5b7n9d1f3gA')
export const documentId = id('Id of the file of the document.', 'file_Zk3xV0m2q1c5b7n9d1f3gA')
export const chunkId = id('Chunk id.', 'chunk_Zk3xV0m2q1c5b7n9d1f3gA_0')

/** `disabled` is part of the interface; no operation of this version sets it. */
export const documentStatuses = [
  'queued',
  'parsing',
  'chunking',
  'embedding',
  'ready',
  'failed',
  'disabled',
] as const

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

export const knowledgeRecord = Type.Object(
  {
    knowledge_id: knowledgeId,
    name: knowledgeName,
    description: knowledgeDescription,
    chunking: chunkingRecord,
    embedding: embeddingRecord,
    retrieval: retrievalRecord,
    metadata: metadataRecord,
    status: Type.Enum(['ready', 'indexing'], {
      description: 'indexing while documents are queued or being processed, or while a new index is built.',
      examples: ['ready'],
    }),
    document_count: count('Number of documents.', 2),
    chunk_count: count('Number of searchable chunks.', 31),
    failed_count: count('Number of documents that failed.', 0),
    reindexing: Type.Union(
      [
        Type.Object({
          total: count('Documents to re-index.', 2),
          done: count('Documents processed so far, including failed ones.', 1),
          failed: count('Documents that failed.', 0),
        }),
        Type.Null(),
      ],
      {
        description: 'Progress of re-indexing after a change of chunking or embedding; otherwise null.',
        examples: [null],
      },
    ),
    created_at: time('Creation time.'),
    updated_at: time('Time of the last settings change.'),
  },
  { description: 'A knowledge base: a set of searchable documents.' },
)

export const documentRecord = Type.Object(
  {
    file_id: documentId,
    name: Type.String({ description: 'File name.', examples: ['hello.txt'] }),
    mime_type: Type.String({ description: 'MIME type of the file.', examples: ['text/plain'] }),
    size: count('Size of the file in bytes.', 14),
    status: Type.Enum([...documentStatuses], {
      description: 'Ingestion status. The document can be searched once it is ready.',
      examples: ['ready'],
    }),
    progress: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Ingestion progress, from 0 to 1.',
      examples: [1],
    }),
    chunk_count: count('Number of chunks.', 1),
    attempts: count('Number of ingestion attempts.', 1),
    error: Type.Union(
      [
        Type.Object({
          code: Type.String({ description: 'Machine-readable failure code.', examples: ['no_text'] }),
          message: Type.String({ description: 'What is wrong and what to do.' }),
          retryable: Type.Boolean({ description: 'Whether a retry without changes may succeed.' }),
        }),
        Type.Null(),
      ],
      { description: 'Why ingestion failed; null if it did not.', examples: [null] },
    ),
    metadata: metadataRecord,
    created_at: time('Time when the document was added.'),
    updated_at: time('Time of the last status change.'),
    indexed_at: Type.Union([time('Time when it became searchable.'), Type.Null()], {
      description: 'Time when it became searchable; null before that.',
    }),
  },
  { description: 'A document of a knowledge base, with its ingestion status.' },
)

const offsets = Type.Array(Type.Integer(), {
  minItems: 2,
  maxItems: 2,
  description: 'Start and end offsets in the text of the document, in UTF-16 code units.',
  examples: [[0, 13]],
})

/** Position of a chunk in its document, the same in chunk lists and search results. */
export const chunkPlace = {
  position: count('Position in the document, from 0.', 0),
  heading: Type.Array(Type.String(), {
    description: 'Headings above the chunk, outermost first.',
    examples: [['Holidays']],
  }),
  page: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Page or slide number, from 1; null if the format has none.',
    examples: [null],
  }),
  sheet: Type.Union([Type.String(), Type.Null()], {
    description: 'Sheet of a workbook; null for other formats.',
    examples: [null],
  }),
  offsets,
}

export const chunkContent = Type.String({
  description: 'The text of the chunk.',
  examples: ['Hello banyan.'],
})

export const chunkRecord = Type.Object(
  {
    chunk_id: chunkId,
    content: chunkContent,
    ...chunkPlace,
    tokens: count('Number of tokens.', 4),
    enabled: Type.Boolean({ description: 'Whether searches return it.', examples: [true] }),
    edited: Type.Boolean({ description: 'Whether it was edited.', examples: [false] }),
  },
  { description: 'One passage of a document.' },
)

/** Named schemas of the OpenAPI document. */
export const knowledgeSchemas = {
  KnowledgeBase: knowledgeRecord,
  Document: documentRecord,
  Chunk: chunkRecord,
}

export const schemaRef = <Name extends keyof typeof knowledgeSchemas>(name: Name) =>
  Type.Unsafe<Static<(typeof knowledgeSchemas)[Name]>>({ type: 'object', 'x-schema': name })
