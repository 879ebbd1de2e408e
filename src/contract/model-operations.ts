import Type from 'typebox'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, text, time } from './text.ts'

const modelId = id('Model id.', 'model_Zk3xV0m2q1c5b7n9d1f3gA')
const name = text({
  minLength: 1,
  maxLength: limits.modelNameLength,
  description: 'What nodes and agents call it; unique in the workspace.',
  examples: ['fast'],
})
const baseUrl = text({
  minLength: 1,
  maxLength: limits.addressLength,
  description: 'Address of an OpenAI-compatible chat API. Private addresses are refused when it is called.',
  examples: ['https://api.openai.com/v1'],
})
const model = text({
  minLength: 1,
  maxLength: limits.modelNameLength,
  description: 'The model as the provider calls it.',
  examples: ['gpt-4o-mini'],
})
const apiKey = text({
  minLength: 1,
  maxLength: limits.apiKeyLength,
  description: 'Key of the provider. It is stored encrypted and never shown again.',
})
const isDefault = Type.Boolean({ description: 'Whether it is used where no model is named.' })
const maxTokens = Type.Integer({
  minimum: 1,
  maximum: 10_000_000,
  description: 'Most tokens of an answer, where a node does not say.',
  examples: [4096],
})
const temperature = Type.Number({
  minimum: 0,
  maximum: 2,
  description: 'Where a node does not say.',
  examples: [0.7],
})
const orNull = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const record = Type.Object({
  id: Type.String({
    description: 'Model id; `environment` for the model of the server’s settings.',
    examples: ['model_Zk3xV0m2q1c5b7n9d1f3gA'],
  }),
  name,
  source: Type.Enum(['workspace', 'environment'], {
    description: 'Whether the workspace added it, or the settings of the server name it.',
  }),
  base_url: Type.Union([Type.String(), Type.Null()], {
    description: 'Its address; null for the model of the settings.',
    examples: ['https://api.openai.com/v1'],
  }),
  model: Type.String({ description: 'The model as the provider calls it.', examples: ['gpt-4o-mini'] }),
  has_key: orNull(Type.Boolean(), 'Whether a key is stored; null for the model of the settings.'),
  key_end: Type.String({ description: 'The last characters of a long key.', examples: ['x9Qz'] }),
  problem: orNull(Type.String(), 'What keeps it from being used, and what to do; or null.'),
  is_default: isDefault,
  max_tokens: orNull(Type.Integer(), 'Most tokens of an answer, where a node does not say.'),
  temperature: orNull(Type.Number(), 'Where a node does not say.'),
  created_at: orNull(time('Creation time.'), 'Creation time; null for the model of the settings.'),
  updated_at: orNull(
    time('Time of the last change.'),
    'Time of the last change; null for the model of the settings.',
  ),
})

const common = { family: 'model', method: 'POST' } as const

export const modelOperations = {
  create: {
    ...common,
    name: 'model.create',
    path: `${basePath}/model/create`,
    access: 'admin',
    summary: 'Add a language model to the workspace',
    details:
      'Nodes and agents use it by its name. Without `is_default` it becomes the default where neither the workspace nor the server has one.',
    body: Type.Object({
      name,
      base_url: baseUrl,
      model,
      api_key: Type.Optional(apiKey),
      is_default: Type.Optional(isDefault),
      max_tokens: Type.Optional(maxTokens),
      temperature: Type.Optional(temperature),
    }),
    creates: true,
    data: record,
    example: {
      name: 'fast',
      base_url: 'https://api.openai.com/v1',
      model: 'gpt-4o-mini',
      api_key: 'sk-your-key',
      is_default: true,
    },
  },
  update: {
    ...common,
    name: 'model.update',
    path: `${basePath}/model/update`,
    access: 'admin',
    summary: 'Change a model; what is left out stays as it is',
    details:
      'Null takes a key or a limit away. When `base_url` names another server, the key has to be sent again.',
    body: Type.Object({
      id: modelId,
      name: Type.Optional(name),
      base_url: Type.Optional(baseUrl),
      model: Type.Optional(model),
      api_key: Type.Optional(orNull(apiKey, 'A new key; null removes the stored one.')),
      is_default: Type.Optional(isDefault),
      max_tokens: Type.Optional(orNull(maxTokens, 'Null removes the limit.')),
      temperature: Type.Optional(orNull(temperature, 'Null leaves it to the provider.')),
    }),
    data: record,
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA', temperature: 0.2 },
  },
  list: {
    ...common,
    name: 'model.list',
    path: `${basePath}/model/list`,
    access: 'read',
    summary: 'The models that can be used here, by name, and last the one of the server’s settings',
    details: 'Keys are never shown.',
    body: Type.Object(pagingFields),
    data: pageOf(record),
    example: { page: 1, page_size: 20 },
  },
  delete: {
    ...common,
    name: 'model.delete',
    path: `${basePath}/model/delete`,
    access: 'admin',
    summary: 'Delete a model with its key',
    details: 'Nodes that name it fail from then on, and say so.',
    body: Type.Object({ id: modelId }),
    data: Type.Object({}),
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  test: {
    ...common,
    name: 'model.test',
    path: `${basePath}/model/test`,
    access: 'admin',
    summary: 'Call a model with a tiny prompt, to see whether its settings are right',
    details: 'The id `environment` tries the model of the server’s settings. A failure is told in `message`.',
    body: Type.Object({ id: modelId }),
    data: Type.Object({
      ok: Type.Boolean({ description: 'Whether it answered.' }),
      latency_ms: Type.Integer({ description: 'How long that took.', examples: [420] }),
      message: Type.String({ description: 'What it said, or what to do.', examples: ['ready'] }),
    }),
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
} as const satisfies Record<string, Operation>
