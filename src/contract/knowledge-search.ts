import Type from 'typebox'
import { chunkContent, chunkId, chunkPlace, documentId } from './knowledge-records.ts'
import { metadataShown, retrievalOptions, searchModes } from './knowledge-settings.ts'
import { limits } from './limits.ts'
import { text } from './text.ts'

export const searchBody = Type.Object({
  query: text({
    minLength: 1,
    maxLength: limits.queryLength,
    description: 'The question, or the words to find.',
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
    // Checked by src/http/routes/filter-conditions.ts, which can name the wrong operator.
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description:
        'What the metadata of a document must be: by key a value, or an object with any of `eq`, `in` (a list), `gt`, `gte`, `lt`, `lte`. All of it must hold; of a list in the metadata one item is enough.',
      examples: [{ language: 'en', year: { gte: 2025 } }],
    }),
  ),
  explain: Type.Optional(
    Type.Union([Type.Boolean(), Type.Object({ file_id: documentId })], {
      description:
        'Also tell how the answer came about: the terms and the rank in each leg, and why documents of `file_ids`, or the one named here, did not come up.',
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
  file_name: Type.String({ description: 'Name of the document.', examples: ['hello.txt'] }),
  content: chunkContent,
  score: Type.Number({ minimum: 0, maximum: 1, description: 'How well it fits.', examples: [0.82] }),
  scores: Type.Object(
    {
      keyword: Type.Union([Type.Number(), Type.Null()], { description: 'By keywords.', examples: [0.82] }),
      semantic: score('By meaning.'),
      rerank: score('By the reranker.'),
    },
    { description: 'What each leg gave it; null where it took no part.' },
  ),
  ...chunkPlace,
  highlights: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: 'Where words of the question stand in `content`, from and to, in UTF-16 units.',
    examples: [[[0, 5]]],
  }),
  metadata: metadataShown,
})

const explanation = Type.Object(
  {
    terms: Type.Array(
      Type.Object({
        term: Type.String({ description: 'As it is looked up.', examples: ['hello'] }),
        chunk_count: Type.Integer({ description: 'Chunks that hold it.', examples: [1] }),
        weight: Type.Number({ description: 'The rarer, the more.', examples: [1.2] }),
      }),
      { description: 'Terms of the question, the rarest first.' },
    ),
    ranks: Type.Array(
      Type.Object({
        chunk_id: chunkId,
        keyword: rank('Place by keywords, from 1.'),
        semantic: rank('Place by meaning, from 1.'),
      }),
      { description: 'Where each item stood in each leg; null where it did not come up there.' },
    ),
    absent: Type.Array(
      Type.Object({
        file_id: documentId,
        reason: Type.String({ description: 'In words.', examples: ['It is still being read'] }),
      }),
      { description: 'Documents that were asked for and did not come up.' },
    ),
  },
  { description: 'Only with `explain`.' },
)

export const searchData = Type.Object({
  mode: Type.Enum([...searchModes], { description: 'How it was searched.', examples: ['keyword'] }),
  took_ms: Type.Number({ minimum: 0, description: 'Milliseconds it took.', examples: [3] }),
  items: Type.Array(item, { description: 'The best first.' }),
  warning: Type.Optional(
    Type.String({
      description: 'What kept it from being searched as it should, such as a model that does not answer.',
    }),
  ),
  explanation: Type.Optional(explanation),
})
