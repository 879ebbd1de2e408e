import { array, boolean, choice, id, integer, optional, orNull, string } from './fields.ts'
import {
  apiKey,
  baseUrl,
  headersInput,
  isDefault,
  modelName,
  modelOptions,
  modelRecord,
  modelType,
  nullableModelOptions,
  providerModel,
} from './model-records.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { Type } from './schema.ts'

const modelId = id('Model id.', 'model_Zk3xV0m2q1c5b7n9d1f3gA')

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

/** A model before it is saved. With `id`, missing fields are taken from that model, the key only for the same server. */
const unsaved = {
  id: modelId,
  type: modelType,
  base_url: baseUrl,
  model: providerModel,
  api_key: apiKey,
  headers: headersInput,
  extra_body: modelOptions.extra_body,
}

export const modelOperations = defineOperations('model', {
  create: {
    access: 'admin',
    changes: { id: 'data.id', shows: ['name', 'model', 'is_default'] },
    summary: 'Add a model to the workspace',
    details:
      'Chat models are referred to by name in nodes and agents, embedding models in knowledge bases; for other types, the default model is used. Without `is_default` it becomes the default of its type if neither the workspace nor the server has one.',
    body: Type.Object({
      name: modelName,
      base_url: baseUrl,
      model: providerModel,
      ...optional({
        type: modelType,
        api_key: apiKey,
        headers: headersInput,
        is_default: isDefault,
        ...modelOptions,
      }),
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
      'Fields that are not sent keep their values; null removes a value. When `base_url` points to another server, the key and the headers must be sent again. The type of a model, and the `model` of an embedding model, cannot be changed.',
    body: Type.Object({
      id: modelId,
      ...optional({
        name: modelName,
        base_url: baseUrl,
        model: providerModel,
        api_key: orNull(apiKey, 'A new key; null removes the stored one.'),
        headers: headersInput,
        is_default: isDefault,
        ...nullableModelOptions,
      }),
    }),
    data: modelRecord,
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA', temperature: 0.2 },
  },
  list: {
    access: 'read',
    summary: 'List models by name; those of the server settings come last',
    details:
      'API keys and values of headers are never returned. Credentials in `base_url` and `extra_body` are masked unless the token may change models.',
    body: Type.Object({ ...pagingFields, ...optional({ type: modelType }) }),
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
  },
  test: {
    access: 'admin',
    summary: 'Test a model with a short request, also before it is saved',
    details:
      'The id `environment` tests the chat model of the server settings. Without an id, `base_url` and `model` are required. If the test fails, `message` gives the reason.',
    body: Type.Object(optional(unsaved)),
    data: Type.Object({
      ok: boolean('Whether the model answered.'),
      latency_ms: integer('Latency in milliseconds.', 420),
      code: choice(modelTestCodes, 'Result of the test, as a code for clients that show their own texts.', {
        example: 'answered',
      }),
      message: string('The answer of the model, or why the test failed.', 'ready'),
    }),
    example: { id: 'model_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  discover: {
    access: 'admin',
    summary: 'List the models that a provider offers',
    details: 'Asks the provider for `/models`. Not every provider has such a list.',
    body: Type.Object(optional({ ...unsaved, base_url: baseUrl })),
    data: Type.Object({
      models: array(
        Type.Object({
          id: string('Model name at the provider.', 'gpt-4o-mini'),
          context_length: orNull(Type.Integer(), 'Context length, if the provider states it.', 128_000),
        }),
        'In the order of their names.',
      ),
    }),
    example: { base_url: 'https://api.openai.com/v1', api_key: 'sk-your-key' },
  },
})
