import {
  boolean,
  choice,
  id,
  integer,
  integerIn,
  numberIn,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { Type } from './schema.ts'

const modelId = id('Model id.', 'model_Zk3xV0m2q1c5b7n9d1f3gA')
const name = text(
  'Name that nodes and agents refer to; unique in the workspace.',
  [1, limits.modelNameLength],
  { example: 'fast' },
)
const baseUrl = text(
  'Base URL of an OpenAI-compatible chat API. Requests to private addresses are blocked.',
  [1, limits.addressLength],
  { example: 'https://api.openai.com/v1' },
)
const model = text('Model name at the provider.', [1, limits.modelNameLength], { example: 'gpt-4o-mini' })
const apiKey = text('API key of the provider. It is stored encrypted and never returned.', [
  1,
  limits.apiKeyLength,
])
const isDefault = boolean('Whether it is the default model.')
const maxTokens = integerIn('Maximum tokens per answer, unless a node sets its own limit.', [1, 10_000_000], {
  example: 4096,
})
const temperature = numberIn('Temperature, unless a node sets its own.', [0, 2], { example: 0.7 })

/** Why a call to a model failed. */
const modelFailureCodes = [
  'key_rejected',
  'no_credit',
  'not_found',
  'rate_limited',
  'redirect',
  'refused',
  'provider_error',
  'bad_response',
  'unreachable',
  'timed_out',
  'blocked',
  'other',
] as const
export type ModelFailureCode = (typeof modelFailureCodes)[number]

const modelTestCodes = ['answered', 'empty_answer', 'not_configured', ...modelFailureCodes] as const
export type ModelTestCode = (typeof modelTestCodes)[number]

export const modelRecord = Type.Object({
  id: string('Model id; `environment` for the model of the server settings.', 'model_Zk3xV0m2q1c5b7n9d1f3gA'),
  name,
  source: choice(
    ['workspace', 'environment'],
    'Whether the model was added to the workspace or comes from the server settings.',
  ),
  base_url: orNull(
    Type.String(),
    'Base URL; null for the model of the server settings.',
    'https://api.openai.com/v1',
  ),
  model: string('Model name at the provider.', 'gpt-4o-mini'),
  has_key: orNull(Type.Boolean(), 'Whether a key is stored; null for the model of the server settings.'),
  key_end: string('Last characters of a long key.', 'x9Qz'),
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

export const modelOperations = defineOperations('model', {
  create: {
    access: 'admin',
    changes: { id: 'data.id', shows: ['name', 'model', 'is_default'] },
    summary: 'Add a language model to the workspace',
    details:
      'Nodes and agents refer to it by name. Without `is_default` it becomes the default if neither the workspace nor the server has one.',
    body: Type.Object({
      name,
      base_url: baseUrl,
      model,
      ...optional({ api_key: apiKey, is_default: isDefault, max_tokens: maxTokens, temperature }),
    }),
    creates: true,
    data: modelRecord,
    example: {
      name: 'fast',
      base_url: 'https://api.openai.com/v1',
      model: 'gpt-4o-mini',
      api_key: 'sk-your-key',
      is_default: true,
    },
  },
  update: {
    access: 'admin',
    changes: { id: 'body.id', shows: ['name', 'model', 'is_default'] },
    summary: 'Update a model',
    details:
      'Fields that are not sent keep their values; null removes a key or a limit. When `base_url` points to another server, the key must be sent again.',
    body: Type.Object({
      id: modelId,
      ...optional({
        name,
        base_url: baseUrl,
        model,
        api_key: orNull(apiKey, 'A new key; null removes the stored one.'),
        is_default: isDefault,
        max_tokens: orNull(maxTokens, 'Null removes the limit.'),
        temperature: orNull(temperature, 'Null uses the provider’s default.'),
      }),
    }),
    data: modelRecord,
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA', temperature: 0.2 },
  },
  list: {
    access: 'read',
    summary: 'List models by name; the model of the server settings comes last',
    details: 'API keys are never returned.',
    body: Type.Object(pagingFields),
    data: pageOf(modelRecord),
    example: { page: 1, page_size: 20 },
  },
  delete: {
    access: 'admin',
    changes: { id: 'body.id' },
    summary: 'Delete a model and its API key',
    details: 'Nodes that refer to it will fail.',
    body: Type.Object({ id: modelId }),
    data: Type.Object({}),
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  test: {
    access: 'admin',
    summary: 'Test a model with a short prompt',
    details:
      'The id `environment` tests the model of the server settings. If the test fails, `message` gives the reason.',
    body: Type.Object({ id: modelId }),
    data: Type.Object({
      ok: boolean('Whether the model answered.'),
      latency_ms: integer('Latency in milliseconds.', 420),
      code: choice(modelTestCodes, 'Result of the test, for clients with texts of their own.', {
        example: 'answered',
      }),
      message: string('The answer of the model, or why the test failed.', 'ready'),
    }),
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
})
