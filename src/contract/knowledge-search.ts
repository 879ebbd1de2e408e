import Type from 'typebox'
import { chunkContent, chunkId, chunkPlace, documentId } from './knowledge-records.ts'
import { metadataRecord, retrievalOptions, searchModes } from './knowledge-settings.ts'
import { limits } from './limits.ts'
import { text } from './text.ts'

export const searchBody = Type.Object({
  query: text({
    minLength: 1,
    maxLength: limits.queryLength,
    description: 'Search query: a question or keywords.',
    examples: ['How many days of holiday?'],
  }),
  ...retrievalOptions,
  file_ids: Type.Optional(
    Type.Array(documentId, {
      minItems: 1,
      maxItems: limits.documentsPerCall,
      description: 'Search these documents only.',
    }),
  ),
  filter: Type.Optional(
    // The route checks it, because a schema could not name the wrong operator.
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description:
        'Conditions on document metadata: by key a value, or an object with any of `eq`, `in` (a list), `gt`, `gte`, `lt`, `lte`. All conditions must match; for metadata that is a list, one matching item is enough.',
      examples: [{ language: 'en', year: { gte: 2025 } }],
    }),
  ),
  explain: Type.Optional(
    Type.Union([Type.Boolean(), Type.Object({ file_id: documentId })], {
      description:
        'Explain the result: the terms, the rank in keyword and semantic search, and why documents of `file_ids`, or the one given here, are missing.',
    }),
  ),
})

const score = (description: string) =>
  Type.Union([Type.Number(), Type.Null()], { description, examples: [null] })

const rank = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description, examples: [1] })

const item = Type.Object({
  chunk_id: chunkId,
  file_id: documentId,
  file_name: Type.String({ description: 'File name of the document.', examples: ['hello.txt'] }),
  content: chunkContent,
  score: Type.Number({ minimum: 0, maximum: 1, description: 'Relevance score.', examples: [0.82] }),
  scores: Type.Object(
    {
      keyword: Type.Union([Type.Number(), Type.Null()], { description: 'Keyword score.', examples: [0.82] }),
      semantic: score('Semantic score.'),
      rerank: score('Reranker score.'),
    },
    {
      description:
        'Score of each retrieval method; null if the method was not used or did not return the chunk.',
    },
  ),
  ...chunkPlace,
  highlights: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: 'Ranges of `content` that match the query: start and end, in UTF-16 code units.',
    examples: [[[0, 5]]],
  }),
  metadata: metadataRecord,
})

const explanation = Type.Object(
  {
    terms: Type.Array(
      Type.Object({
        term: Type.String({ description: 'Normalized term.', examples: ['hello'] }),
        chunk_count: Type.Integer({ description: 'Number of chunks that contain it.', examples: [1] }),
        weight: Type.Number({ description: 'Weight; rarer terms weigh more.', examples: [1.2] }),
      }),
      { description: 'Query terms, rarest first.' },
    ),
    ranks: Type.Array(
      Type.Object({
        chunk_id: chunkId,
        keyword: rank('Rank in keyword search, from 1.'),
        semantic: rank('Rank in semantic search, from 1.'),
      }),
      { description: 'Rank of each item per retrieval method; null if the method did not return it.' },
    ),
    absent: Type.Array(
      Type.Object({
        file_id: documentId,
        reason: Type.String({ description: 'Reason.', examples: ['It is still being processed'] }),
      }),
      { description: 'Requested documents without a result.' },
    ),
  },
  { description: 'Present only with `explain`.' },
)

export const searchData = Type.Object({
  mode: Type.Enum([...searchModes], { description: 'The search mode used.', examples: ['keyword'] }),
  took_ms: Type.Number({ minimum: 0, description: 'Duration in milliseconds.', examples: [3] }),
  items: Type.Array(item, { description: 'Best match first.' }),
  warning: Type.Optional(
    Type.String({
      description:
        'Why the search ran in a reduced mode, for example because the embedding model is unavailable.',
    }),
  ),
  explanation: Type.Optional(explanation),
})
