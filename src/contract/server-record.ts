import Type, { type Static } from 'typebox'

const feature = (description: string) =>
  Type.Object(
    {
      ready: Type.Boolean({ description: 'Whether it is available.', examples: [true] }),
      name: Type.Union([Type.String(), Type.Null()], {
        description: 'Name of the model, if any.',
        examples: ['gpt-4o-mini'],
      }),
      settings: Type.Array(Type.String(), {
        description: 'Settings that enable it.',
        examples: [['MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_API_KEY']],
      }),
    },
    { description },
  )

const textOrNull = (description: string, example: string | null) =>
  Type.Union([Type.String(), Type.Null()], { description, examples: [example] })

const setting = Type.Object({
  name: Type.String({ description: 'Name of the environment variable.', examples: ['PORT'] }),
  about: Type.String({ description: 'Description.', examples: ['Port to listen on.'] }),
  is_set: Type.Boolean({ description: 'Whether it is set.', examples: [true] }),
  is_secret: Type.Boolean({ description: 'Whether its value is hidden.', examples: [false] }),
  value: textOrNull('Value; null if it is not set or is secret.', '8080'),
  default: textOrNull('Default value, or null.', '8080'),
})

export const serverRecord = Type.Object({
  version: Type.String({ description: 'Server version.', examples: ['0.1.0'] }),
  database: Type.Enum(['sqlite', 'postgres'], { description: 'Database.' }),
  files: Type.Enum(['disk', 's3'], { description: 'File store.' }),
  features: Type.Object(
    {
      model: feature('Default language model of this workspace.'),
      embedding: feature('Embedding model for semantic search.'),
      rerank: feature('Reranker for search results.'),
      transcription: feature('Speech-to-text for voice messages.'),
      web_search: feature('Web search.'),
    },
    { description: 'Features that depend on the configuration.' },
  ),
  settings: Type.Array(setting, { description: 'Settings, visible to the operator only; otherwise empty.' }),
})

export type ServerRecord = Static<typeof serverRecord>
export type ServerFeature = ServerRecord['features']['model']
export type ServerSetting = ServerRecord['settings'][number]
