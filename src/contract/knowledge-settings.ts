import Type from 'typebox'
import { limits } from './limits.ts'
import { text } from './text.ts'

export const searchModes = ['hybrid', 'keyword', 'semantic'] as const

export const knowledgeName = text({
  minLength: 1,
  maxLength: limits.knowledgeNameLength,
  description: 'Display name, unique in the workspace.',
  examples: ['Handbook'],
})

export const knowledgeDescription = text({
  maxLength: limits.descriptionLength,
  description: 'Description of the content.',
  examples: ['How we work'],
})

const chunkingFields = {
  strategy: Type.Enum(['auto', 'paragraph', 'heading', 'qa'], {
    description:
      'auto: by document structure; paragraph, heading: split at those; qa: rows of question and answer.',
    examples: ['auto'],
  }),
  size: Type.Integer({
    minimum: 100,
    maximum: 4000,
    description: 'Maximum tokens per chunk; default 512.',
    examples: [512],
  }),
  overlap: Type.Integer({
    minimum: 0,
    maximum: 500,
    description: 'Tokens that a chunk repeats from the previous one, at most half of `size`; default 64.',
    examples: [64],
  }),
  separators: Type.Array(text({ minLength: 1, maxLength: 20 }), {
    maxItems: 20,
    description: 'Preferred separators, in order of priority.',
    examples: [['\n\n']],
  }),
}

/** In requests: omitted fields keep their value, or get the default. */
export const chunkingInput = Type.Object(
  {
    strategy: Type.Optional(chunkingFields.strategy),
    size: Type.Optional(chunkingFields.size),
    overlap: Type.Optional(chunkingFields.overlap),
    separators: Type.Optional(chunkingFields.separators),
  },
  { description: 'How documents are split into chunks.' },
)

/** In responses. */
export const chunkingRecord = Type.Object(
  { ...chunkingFields, separators: Type.Optional(chunkingFields.separators) },
  { description: 'How documents are split into chunks.' },
)

const model = text({
  minLength: 1,
  maxLength: limits.modelNameLength,
  description: 'Name of the embedding model.',
  examples: ['text-embedding-3-small'],
})

export const embeddingInput = Type.Union([Type.Object({ model: Type.Optional(model) }), Type.Null()], {
  description: 'Embedding model. Omitted: the model of the server settings; null: none, keyword search only.',
})

export const embeddingRecord = Type.Union([Type.Object({ model }), Type.Null()], {
  description: 'Embedding model; null for keyword search only.',
})

const retrievalFields = {
  mode: Type.Enum([...searchModes], {
    description:
      'Search by keywords, by meaning, or both. Default: hybrid if there is an embedding model, otherwise keyword.',
    examples: ['keyword'],
  }),
  top_k: Type.Integer({
    minimum: 1,
    maximum: 50,
    description: 'Maximum number of results; default 5.',
    examples: [5],
  }),
  score_threshold: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Minimum score of results; default 0.',
    examples: [0],
  }),
  rerank: Type.Boolean({
    description: 'Whether to reorder results with the reranker.',
    examples: [false],
  }),
}

/** A search may override these four for itself. */
export const retrievalOptions = {
  mode: Type.Optional(retrievalFields.mode),
  top_k: Type.Optional(retrievalFields.top_k),
  score_threshold: Type.Optional(retrievalFields.score_threshold),
  rerank: Type.Optional(retrievalFields.rerank),
}

export const retrievalInput = Type.Object(retrievalOptions, {
  description: 'Default search options.',
})

export const retrievalRecord = Type.Object(retrievalFields, {
  description: 'Default search options.',
})

const metadataExamples = [{ language: 'en', year: 2026, tags: ['work'] }]

/**
 * The schema only checks that it is an object. The route checks the values, because for a union a schema could only
 * report that no alternative matches.
 */
export const metadataInput = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: `${description} Up to ${limits.metadataKeys} keys; a value is a string of up to ${limits.metadataValueLength} characters, a number, a boolean, or a list of up to ${limits.metadataListItems} of these.`,
    examples: metadataExamples,
  })

export const metadataRecord = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'Your own metadata, by key.',
  examples: metadataExamples,
})
