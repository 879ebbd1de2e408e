import Type, { type Static } from 'typebox'
import {
  chunkingShown,
  embeddingShown,
  knowledgeDescription,
  knowledgeName,
  metadataShown,
  retrievalShown,
} from './knowledge-settings.ts'
import { id, time } from './text.ts'

export const knowledgeId = id('Knowledge base id.', 'kb_Zk3xV0m2q1c5b7n9d1f3gA')
export const documentId = id('Id of the file that the document was made of.', 'file_Zk3xV0m2q1c5b7n9d1f3gA')
export const chunkId = id('Chunk id.', 'chunk_Zk3xV0m2q1c5b7n9d1f3gA_0')

/** `disabled` is part of the interface; no operation of this version makes a document so. */
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
    chunking: chunkingShown,
    embedding: embeddingShown,
    retrieval: retrievalShown,
    metadata: metadataShown,
    status: Type.Enum(['ready', 'indexing'], {
      description: 'indexing while a document waits or is being read, or while everything is indexed anew.',
      examples: ['ready'],
    }),
    document_count: count('Documents in it.', 2),
    chunk_count: count('Chunks that can be found.', 31),
    failed_count: count('Documents that could not be read.', 0),
    reindexing: Type.Union(
      [
        Type.Object({
          total: count('Documents to index anew.', 2),
          done: count('Of these, those that are settled.', 1),
          failed: count('Of these, those that failed.', 0),
        }),
        Type.Null(),
      ],
      {
        description: 'How far the next index is, after a change of chunking or embedding; null else.',
        examples: [null],
      },
    ),
    created_at: time('Creation time.'),
    updated_at: time('Time of the last change of its settings.'),
  },
  { description: 'A knowledge base: documents that can be searched.' },
)

export const documentRecord = Type.Object(
  {
    file_id: documentId,
    name: Type.String({ description: 'Name of the file.', examples: ['hello.txt'] }),
    mime_type: Type.String({ description: 'Type of the file.', examples: ['text/plain'] }),
    size: count('Bytes of the file.', 14),
    status: Type.Enum([...documentStatuses], {
      description: 'How far it is. It can be found once it is ready.',
      examples: ['ready'],
    }),
    progress: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of the work that is done.',
      examples: [1],
    }),
    chunk_count: count('Chunks it was cut into.', 1),
    attempts: count('How often reading it was begun.', 1),
    error: Type.Union(
      [
        Type.Object({
          code: Type.String({ description: 'For programs.', examples: ['no_text'] }),
          message: Type.String({ description: 'What is wrong and what to do, in words.' }),
          retryable: Type.Boolean({ description: 'Whether another try without a change can help.' }),
        }),
        Type.Null(),
      ],
      { description: 'Why it failed; null where it did not.', examples: [null] },
    ),
    metadata: metadataShown,
    created_at: time('When it was added.'),
    updated_at: time('Time of its last step.'),
    indexed_at: Type.Union([time('Since when it can be found.'), Type.Null()], {
      description: 'Since when it can be found; null before.',
    }),
  },
  { description: 'A document of a knowledge base, and how far it is.' },
)

const offsets = Type.Array(Type.Integer(), {
  minItems: 2,
  maxItems: 2,
  description: 'Where it begins and ends in the text of the document, in UTF-16 units.',
  examples: [[0, 13]],
})

/** Where a chunk stands in its document; the same in lists and in answers of a search. */
export const chunkPlace = {
  position: count('Its number in the document, from 0.', 0),
  heading: Type.Array(Type.String(), {
    description: 'The headings above it, outermost first.',
    examples: [['Holidays']],
  }),
  page: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Page or slide, from 1; null where there are none.',
    examples: [null],
  }),
  sheet: Type.Union([Type.String(), Type.Null()], {
    description: 'Sheet of a workbook; null where there is none.',
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
    tokens: count('Its length in tokens.', 4),
    enabled: Type.Boolean({ description: 'Whether it can be found.', examples: [true] }),
    edited: Type.Boolean({ description: 'Whether somebody corrected it by hand.', examples: [false] }),
  },
  { description: 'One passage of a document.' },
)

/** What the reference shows once and refers to from everywhere else, by name. */
export const knowledgeSchemas = {
  KnowledgeBase: knowledgeRecord,
  Document: documentRecord,
  Chunk: chunkRecord,
}

export const shown = <Name extends keyof typeof knowledgeSchemas>(name: Name) =>
  Type.Unsafe<Static<(typeof knowledgeSchemas)[Name]>>({ type: 'object', 'x-schema': name })
