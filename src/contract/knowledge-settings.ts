import { anyObject, array, boolean, choice, integerIn, numberIn, optional, orNull, text } from './fields.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

export const searchModes = ['hybrid', 'keyword', 'semantic'] as const

export const knowledgeName = text('Display name, unique in the workspace.', [1, limits.knowledgeNameLength], {
  example: 'Handbook',
})

export const knowledgeDescription = text('Description of the content.', [0, limits.descriptionLength], {
  example: 'How we work',
})

export const chunkingFields = {
  strategy: choice(
    ['auto', 'paragraph', 'heading', 'qa'],
    'auto: by document structure; paragraph, heading: split at those; qa: rows of question and answer.',
    { example: 'auto' },
  ),
  size: integerIn('Maximum tokens per chunk; default 512.', [100, 4000], { example: 512 }),
  overlap: integerIn(
    'Tokens that a chunk repeats from the previous one, but never more than half of `size`; default 64.',
    [0, 500],
    { example: 64 },
  ),
  separators: array(
    Type.String({ minLength: 1, maxLength: 20, format: 'text' }),
    'Running text is split at these, and chunks end there if possible. All have the same priority.',
    {
      max: 20,
      example: ['\n\n'],
    },
  ),
}

/** In requests: omitted fields keep their value, or get the default. */
export const chunkingInput = Type.Object(optional(chunkingFields), {
  description: 'How documents are split into chunks.',
})

export const chunkingRecord = Type.Object(
  { ...chunkingFields, separators: Type.Optional(chunkingFields.separators) },
  { description: 'How documents are split into chunks.' },
)

const model = text('Name of the embedding model.', [1, limits.modelNameLength], {
  example: 'text-embedding-3-small',
})

export const embeddingInput = orNull(
  Type.Object({ model: Type.Optional(model) }),
  'Embedding model. Omitted: the model of the server settings; null: none, keyword search only.',
)

export const embeddingRecord = orNull(
  Type.Object({ model }),
  'Embedding model; null for keyword search only.',
)

export const retrievalFields = {
  mode: choice(
    searchModes,
    'Search by keywords, by meaning, or both. Default: hybrid if there is an embedding model, otherwise keyword.',
    { example: 'keyword' },
  ),
  top_k: integerIn('Maximum number of results. Default: 5.', [1, 50], { example: 5 }),
  score_threshold: numberIn('Minimum score of results; default 0.', [0, 1], { example: 0 }),
  rerank: boolean('Whether to reorder results with the reranker.', false),
}

/** A search may override these four for itself. */
export const retrievalOptions = optional(retrievalFields)

export const retrievalInput = Type.Object(retrievalOptions, { description: 'Default search options.' })

export const retrievalRecord = Type.Object(retrievalFields, { description: 'Default search options.' })

const metadataExample = { language: 'en', year: 2026, tags: ['work'] }

/** The route checks the values: for a union a schema could only report that no alternative matches. */
export const metadataInput = (description: string) =>
  anyObject(
    `${description} Up to ${limits.metadataKeys} keys; a value is a string of up to ${limits.metadataValueLength} characters, a number, a boolean, or a list of up to ${limits.metadataListItems} of these.`,
    metadataExample,
  )

export const metadataRecord = anyObject('Your own metadata, by key.', metadataExample)

export const goldenMaxLost = orNull(
  Type.Integer({ minimum: 0, maximum: limits.goldenQuestions }),
  'How many golden questions a change of settings may lose before it waits for a decision; default 0. Null: changes are not checked.',
  0,
)
