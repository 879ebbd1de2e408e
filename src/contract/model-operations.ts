import Type from 'typebox'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, text, time } from './text.ts'

const modelId = id('Model id.', 'model_Zk3xV0m2q1c5b7n9d1f3gA')
const name = text({
  minLength: 1,
  maxLength: limits.modelNameLength,
  description: 'Name that nodes and agents refer to; unique in the workspace.',
  examples: ['fast'],
})
const baseUrl = text({
  minLength: 1,
  maxLength: limits.addressLength,
  description: 'Base URL of an OpenAI-compatible chat API. Requests to private addresses are blocked.',
  examples: ['https://api.openai.com/v1'],
})
const model = text({
  minLength: 1,
  maxLength: limits.modelNameLength,
  description: 'Model name at the provider.',
  examples: ['gpt-4o-mini'],
})
const apiKey = text({
  minLength: 1,
  maxLength: limits.apiKeyLength,
  description: 'API key of the provider. It is stored encrypted and never returned.',
})
const isDefault = Type.Boolean({ description: 'Whether it is the default model.' })
const maxTokens = Type.Integer({
  minimum: 1,
  maximum: 10_000_000,
  description: 'Maximum tokens per answer, unless a node sets its own limit.',
  examples: [4096],
})
const temperature = Type.Number({
  minimum: 0,
  maximum: 2,
  description: 'Temperature, unless a node sets its own.',
  examples: [0.7],
})
const orNull = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const record = Type.Object({
  id: Type.String({
    description: 'Model id; `environment` for the model of the server settings.',
    examples: ['model_Zk3xV0m2q1c5b7n9d1f3gA'],
  }),
  name,
  source: Type.Enum(['workspace', 'environment'], {
    description: 'Whether the model was added to the workspace or comes from the server settings.',
  }),
  base_url: Type.Union([Type.String(), Type.Null()], {
    description: 'Base URL; null for the model of the server settings.',
    examples: ['https://api.openai.com/v1'],
  }),
  model: Type.String({ description: 'Model name at the provider.', examples: ['gpt-4o-mini'] }),
  has_key: orNull(Type.Boolean(), 'Whether a key is stored; null for the model of the server settings.'),
  key_end: Type.String({ description: 'Last characters of a long key.', examples: ['x9Qz'] }),
  problem: orNull(Type.String(), 'Why it cannot be used and what to do, or null.'),
  is_default: isDefault,
  max_tokens: orNull(Type.Integer(), 'Maximum tokens per answer, unless a node sets its own limit.'),
  temperature: orNull(Type.Number(), 'Temperature, unless a node sets its own.'),
  created_at: orNull(time('Creation time.'), 'Creation time; null for the model of the server settings.'),
  updated_at: orNull(
    time('Time of the last change.'),
    'Time of the last change; null for the model of the server settings.',
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
      'Nodes and agents refer to it by name. Without `is_default` it becomes the default if neither the workspace nor the server has one.',
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
    summary: 'Update a model',
    details:
      'Fields that are not sent keep their values; null removes a key or a limit. When `base_url` points to another server, the key must be sent again.',
    body: Type.Object({
      id: modelId,
      name: Type.Optional(name),
      base_url: Type.Optional(baseUrl),
      model: Type.Optional(model),
      api_key: Type.Optional(orNull(apiKey, 'A new key; null removes the stored one.')),
      is_default: Type.Optional(isDefault),
      max_tokens: Type.Optional(orNull(maxTokens, 'Null removes the limit.')),
      temperature: Type.Optional(orNull(temperature, 'Null uses the provider’s default.')),
    }),
    data: record,
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA', temperature: 0.2 },
  },
  list: {
    ...common,
    name: 'model.list',
    path: `${basePath}/model/list`,
    access: 'read',
    summary: 'List models by name; the model of the server settings comes last',
    details: 'API keys are never returned.',
    body: Type.Object(pagingFields),
    data: pageOf(record),
    example: { page: 1, page_size: 20 },
  },
  delete: {
    ...common,
    name: 'model.delete',
    path: `${basePath}/model/delete`,
    access: 'admin',
    summary: 'Delete a model and its API key',
    details: 'Nodes that refer to it will fail.',
    body: Type.Object({ id: modelId }),
    data: Type.Object({}),
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  test: {
    ...common,
    name: 'model.test',
    path: `${basePath}/model/test`,
    access: 'admin',
    summary: 'Test a model with a short prompt',
    details:
      'The id `environment` tests the model of the server settings. If the test fails, `message` gives the reason.',
    body: Type.Object({ id: modelId }),
    data: Type.Object({
      ok: Type.Boolean({ description: 'Whether the model answered.' }),
      latency_ms: Type.Integer({ description: 'Latency in milliseconds.', examples: [420] }),
      message: Type.String({
        description: 'The answer of the model, or why the test failed.',
        examples: ['ready'],
      }),
    }),
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
} as const satisfies Record<string, Operation>
