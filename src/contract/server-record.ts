import Type, { type Static } from 'typebox'

const feature = (description: string) =>
  Type.Object(
    {
      ready: Type.Boolean({ description: 'Whether it can be used.', examples: [true] }),
      name: Type.Union([Type.String(), Type.Null()], {
        description: 'Name of the model, where there is one.',
        examples: ['gpt-4o-mini'],
      }),
      settings: Type.Array(Type.String(), {
        description: 'Names of the settings that switch it on.',
        examples: [['MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_API_KEY']],
      }),
    },
    { description },
  )

const textOrNull = (description: string, example: string | null) =>
  Type.Union([Type.String(), Type.Null()], { description, examples: [example] })

const setting = Type.Object({
  name: Type.String({ description: 'Name of the environment variable.', examples: ['PORT'] }),
  about: Type.String({ description: 'What it means.', examples: ['Port to listen on.'] }),
  is_set: Type.Boolean({ description: 'Whether somebody set it.', examples: [true] }),
  is_secret: Type.Boolean({ description: 'Whether its value is never shown.', examples: [false] }),
  value: textOrNull('What it is set to; null where it is not set, or secret.', '8080'),
  default: textOrNull('What counts where it is not set; null where that is nothing.', '8080'),
})

/** What a server tells of itself to those who use it. */
export const serverRecord = Type.Object({
  version: Type.String({ description: 'Version of the program.', examples: ['0.1.0'] }),
  database: Type.Enum(['sqlite', 'postgres'], { description: 'Where data is kept.' }),
  files: Type.Enum(['disk', 's3'], { description: 'Where files are kept.' }),
  features: Type.Object(
    {
      model: feature('Answers where an agent or a node of this workspace names no model.'),
      embedding: feature('Finds passages by meaning.'),
      rerank: feature('Sorts found passages once more.'),
      transcription: feature('Turns voice messages into text.'),
      web_search: feature('Searches the web.'),
    },
    { description: 'What depends on how the server is set up.' },
  ),
  settings: Type.Array(setting, { description: 'For the operator; empty for everybody else.' }),
})

export type ServerRecord = Static<typeof serverRecord>
export type ServerFeature = ServerRecord['features']['model']
export type ServerSetting = ServerRecord['settings'][number]
