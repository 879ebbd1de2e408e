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
  description: 'What it holds, for people.',
  examples: ['How we work'],
})

const chunkingFields = {
  strategy: Type.Enum(['auto', 'paragraph', 'heading', 'qa'], {
    description:
      'auto: by the structure of the document; paragraph, heading: at those; qa: rows of question and answer.',
    examples: ['auto'],
  }),
  size: Type.Integer({
    minimum: 100,
    maximum: 4000,
    description: 'Most tokens of a chunk; 512 unless you say otherwise.',
    examples: [512],
  }),
  overlap: Type.Integer({
    minimum: 0,
    maximum: 500,
    description:
      'Tokens that a chunk repeats of the one before, at most half of the size; 64 unless you say otherwise.',
    examples: [64],
  }),
  separators: Type.Array(text({ minLength: 1, maxLength: 20 }), {
    maxItems: 20,
    description: 'Where to cut first, in this order.',
    examples: [['\n\n']],
  }),
}

/** In requests: an omitted field keeps its value, or gets the default. */
export const chunkingInput = Type.Object(
  {
    strategy: Type.Optional(chunkingFields.strategy),
    size: Type.Optional(chunkingFields.size),
    overlap: Type.Optional(chunkingFields.overlap),
    separators: Type.Optional(chunkingFields.separators),
  },
  { description: 'How documents are cut into chunks.' },
)

/** In responses. */
export const chunkingShown = Type.Object(
  { ...chunkingFields, separators: Type.Optional(chunkingFields.separators) },
  { description: 'How documents are cut into chunks.' },
)

const model = text({
  minLength: 1,
  maxLength: limits.modelNameLength,
  description: 'Name of the embedding model.',
  examples: ['text-embedding-3-small'],
})

export const embeddingInput = Type.Union([Type.Object({ model: Type.Optional(model) }), Type.Null()], {
  description:
    'What turns text into vectors. Left out, the model of the server’s settings; null, none: found by keywords only.',
})

export const embeddingShown = Type.Union([Type.Object({ model }), Type.Null()], {
  description: 'What turns text into vectors; null where it is found by keywords only.',
})

const retrievalFields = {
  mode: Type.Enum([...searchModes], {
    description:
      'By keywords, by meaning, or by both. Unless set: hybrid where there is an embedding model, else keyword.',
    examples: ['keyword'],
  }),
  top_k: Type.Integer({
    minimum: 1,
    maximum: 50,
    description: 'Most chunks of an answer; 5 unless you say otherwise.',
    examples: [5],
  }),
  score_threshold: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Least score of what is answered; 0 unless you say otherwise.',
    examples: [0],
  }),
  rerank: Type.Boolean({
    description: 'Whether a reranker has the last word on the order.',
    examples: [false],
  }),
}

/** A search accepts the same four, for that search only. */
export const retrievalOptions = {
  mode: Type.Optional(retrievalFields.mode),
  top_k: Type.Optional(retrievalFields.top_k),
  score_threshold: Type.Optional(retrievalFields.score_threshold),
  rerank: Type.Optional(retrievalFields.rerank),
}

export const retrievalInput = Type.Object(retrievalOptions, {
  description: 'How it is searched where a search does not say otherwise.',
})

export const retrievalShown = Type.Object(retrievalFields, {
  description: 'How it is searched where a search does not say otherwise.',
})

const metadataExamples = [{ language: 'en', year: 2026, tags: ['work'] }]

/**
 * Only that it is an object is checked here: of a choice between types a schema could only say that every one of
 * them does not fit (src/http/routes/checked-metadata.ts says it in words).
 */
export const metadataInput = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: `${description} Up to ${limits.metadataKeys} keys; a value is a text of up to ${limits.metadataValueLength} characters, a number, a boolean, or a list of up to ${limits.metadataListItems} of these.`,
    examples: metadataExamples,
  })

export const metadataShown = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'Your own words on it, by key.',
  examples: metadataExamples,
})
