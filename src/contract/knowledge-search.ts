import {
  anyObject,
  array,
  choice,
  integer,
  named,
  numberIn,
  optional,
  orNull,
  string,
  text,
} from './fields.ts'
import { chunkContent, chunkId, chunkPlace, documentId, sourceUrl } from './knowledge-records.ts'
import { metadataRecord, retrievalOptions, searchModes } from './knowledge-settings.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

export const searchBody = Type.Object({
  query: text(
    'Search query: a question or keywords. Passages with exactly the words that it quotes come first.',
    [1, limits.queryLength],
    {
      example: 'How many days of holiday?',
    },
  ),
  ...retrievalOptions,
  ...optional({
    file_ids: array(documentId, 'Search these documents only.', { min: 1, max: limits.documentsPerCall }),
    // The route checks it, because a schema could not name the wrong operator.
    filter: anyObject(
      'Conditions on document metadata: by key a value, or an object with any of `eq`, `in` (a list), `gt`, `gte`, `lt`, `lte`. All conditions must match; if the metadata is a list, one matching item is enough.',
      { language: 'en', year: { gte: 2025 } },
    ),
    explain: Type.Union([Type.Boolean(), Type.Object({ file_id: documentId })], {
      description:
        'Explain the result: the terms, the rank in keyword and semantic search, and why documents of `file_ids`, or the one given here, are missing.',
    }),
  }),
})

const score = (description: string) => orNull(Type.Number(), description, null)

export const searchItem = named(
  'SearchResult',
  Type.Object({
    chunk_id: chunkId,
    file_id: documentId,
    file_name: string('File name of the document.', 'hello.txt'),
    source_url: sourceUrl,
    content: chunkContent,
    score: numberIn(
      'Relevance from 0 to 1, comparable between questions and modes: the keyword score, the semantic score, both combined, or the reranker score.',
      [0, 1],
      { example: 0.82 },
    ),
    scores: Type.Object(
      {
        keyword: orNull(
          Type.Number(),
          'Keyword score: how much of the question the chunk matches; rare words count more.',
          0.82,
        ),
        semantic: score(
          'Semantic score from 0 to 1: similarity of the chunk to the question, relative to the median similarity in the knowledge base.',
        ),
        rerank: score('Reranker score.'),
      },
      {
        description:
          'Score of each retrieval method; null if the method was not used or did not return the chunk.',
      },
    ),
    ...chunkPlace,
    highlights: array(
      Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }),
      'Ranges of `content` that match the query: start and end, in UTF-16 code units.',
      { example: [[0, 5]] },
    ),
    metadata: metadataRecord,
  }),
)

export const searchTerm = named(
  'SearchTerm',
  Type.Object({
    term: string('Normalized term.', 'hello'),
    chunk_count: integer('Number of chunks that contain it.', 1),
    weight: Type.Number({ description: 'Weight; rarer terms weigh more.', examples: [1.2] }),
  }),
)

export const searchRank = named(
  'SearchRank',
  Type.Object({
    chunk_id: chunkId,
    keyword: orNull(Type.Integer(), 'Rank in keyword search, from 1.', 1),
    semantic: orNull(Type.Integer(), 'Rank in semantic search, from 1.', 1),
  }),
)

const absenceCodes = [
  'not_in_base',
  'processing_failed',
  'not_indexed',
  'filtered_out',
  'below_threshold',
  'no_match',
  'disabled',
  'ranked_lower',
] as const
export type AbsenceCode = (typeof absenceCodes)[number]

export const searchAbsence = named(
  'SearchAbsence',
  Type.Object({
    file_id: documentId,
    code: choice(absenceCodes, 'Why there is no result, as a code for clients that show their own texts.', {
      example: 'not_indexed',
    }),
    reason: string('Reason.', 'It is not indexed yet; its status is embedding.'),
  }),
)

const explanation = named(
  'SearchExplanation',
  Type.Object(
    {
      terms: array(searchTerm, 'Query terms, rarest first.'),
      ranks: array(
        searchRank,
        'Rank of each item per retrieval method; null if the method did not return it.',
      ),
      absent: array(searchAbsence, 'Requested documents without a result.'),
    },
    { description: 'Present only with `explain`.' },
  ),
)

export const searchData = named(
  'SearchResults',
  Type.Object({
    mode: choice(searchModes, 'The search mode used.', { example: 'keyword' }),
    took_ms: Type.Number({ minimum: 0, description: 'Duration in milliseconds.', examples: [3] }),
    items: array(searchItem, 'Best match first.'),
    ...optional({
      warning: string(
        'Why the search ran in a reduced mode, for example because the embedding model is unavailable.',
      ),
      explanation,
    }),
  }),
)
