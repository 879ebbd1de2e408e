import type { Static } from 'typebox'
import { array, boolean, choice, named, orNull, string } from './fields.ts'
import { Type } from './schema.ts'

const feature = (description: string) =>
  Type.Object(
    {
      ready: boolean('Whether it is available.', true),
      name: orNull(Type.String(), 'Name of the model, if any.', 'gpt-4o-mini'),
      settings: array(Type.String(), 'Settings that enable it.', {
        example: ['MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_API_KEY'],
      }),
    },
    { description },
  )

const setting = named(
  'Setting',
  Type.Object({
    name: string('Name of the environment variable.', 'PORT'),
    about: string('Description.', 'Port to listen on.'),
    is_set: boolean('Whether it is set.', true),
    is_secret: boolean('Whether its value is hidden.', false),
    value: orNull(Type.String(), 'Value; null if it is not set or is secret.', '8080'),
    default: orNull(Type.String(), 'Default value, or null.', '8080'),
  }),
)

const replica = named(
  'Replica',
  Type.Object({
    id: string('Id of the process.', 'web-1/71/9214.5f3a'),
    address: string('Host and port.', 'web-1:8080'),
    version: string('Version that it runs.', '0.1.0'),
    started_at: string('When it started.', '2026-11-16T03:50:00.000+00:00'),
    is_this: boolean('Whether it answered this request.', true),
  }),
)

export const serverRecord = named(
  'ServerInfo',
  Type.Object({
    version: string('Server version.', '0.1.0'),
    database: choice(['sqlite', 'postgres'], 'Database.'),
    files: choice(['disk', 's3'], 'File store.'),
    damaged_files: orNull(
      Type.Integer(),
      "Number of stored contents that the last check found missing or damaged, in all workspaces; null unless the token is the operator's.",
      0,
    ),
    replicas: array(
      replica,
      'The processes that serve this database, oldest first, visible to the operator only; otherwise empty.',
    ),
    features: Type.Object(
      {
        model: feature('Default language model of this workspace.'),
        embedding: feature('Embedding model for semantic search.'),
        rerank: feature('Reranker for search results.'),
        transcription: feature('Speech-to-text for voice messages.'),
        speech: feature('Text-to-speech for answers as voice messages.'),
        web_search: feature('Web search.'),
      },
      { description: 'Features that depend on the configuration.' },
    ),
    settings: array(setting, 'Settings, visible to the operator only; otherwise empty.'),
  }),
)

export type ServerRecord = Static<typeof serverRecord>
export type ServerFeature = ServerRecord['features']['model']
export type ServerSetting = ServerRecord['settings'][number]
