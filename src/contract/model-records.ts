import {
  anyObject,
  array,
  boolean,
  choice,
  integerIn,
  named,
  numberIn,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

const modelTypes = ['chat', 'embedding', 'rerank', 'transcription', 'speech'] as const
export type ModelType = (typeof modelTypes)[number]

export const modelType = choice(modelTypes, 'What the model does; default `chat`.', { example: 'chat' })
export const modelName = text(
  'Name that nodes, agents and knowledge bases refer to; unique in the workspace.',
  [1, limits.modelNameLength],
  { example: 'fast' },
)
export const baseUrl = text(
  'Base URL of an OpenAI-compatible API. Requests to private addresses are blocked.',
  [1, limits.addressLength],
  { example: 'https://api.openai.com/v1' },
)
export const providerModel = text('Model name at the provider.', [1, limits.modelNameLength], {
  example: 'gpt-4o-mini',
})
export const apiKey = text('API key of the provider. It is stored encrypted and never returned.', [
  1,
  limits.apiKeyLength,
])
export const isDefault = boolean('Whether it is the default model of its type.')
export const headersInput = anyObject<Record<string, string | null>>(
  `Headers of every request, by name, up to ${limits.modelHeaders}. They are stored encrypted and never returned. In an update null removes a header, and others stay.`,
  { 'api-key': 'your-key' },
)

const tokens = (description: string, example: number) => integerIn(description, [1, 100_000_000], { example })
const price = (kind: string) =>
  numberIn(`Price of a million ${kind} tokens, in your currency.`, [0, 1_000_000], { example: 0.15 })

const supportedFeatures = {
  vision: boolean('Whether it accepts images. If false, images are replaced by a note.'),
  tools: boolean('Whether it can call tools. If false, no tools are sent.'),
  json_schema: boolean('Whether it supports JSON schemas. If false, the schema is added to the prompt.'),
  reasoning: boolean(
    'Whether it is a reasoning model. If false, no reasoning effort and no earlier reasoning is sent.',
  ),
}

/** The settings of a chat model; a node's own value takes precedence. */
export const modelOptions = {
  max_tokens: tokens('Maximum tokens per answer, unless a node sets its own limit.', 4096),
  temperature: numberIn('Temperature, unless a node sets its own.', [0, 2], { example: 0.7 }),
  top_p: numberIn('Nucleus sampling.', [0, 1], { example: 0.9 }),
  frequency_penalty: numberIn('Frequency penalty.', [-2, 2], { example: 0.5 }),
  presence_penalty: numberIn('Presence penalty.', [-2, 2], { example: 0.5 }),
  stop: array(text('A sequence.', [1, 200]), 'Sequences that end the answer.', { max: 16, example: ['END'] }),
  seed: integerIn('Seed for answers that can be repeated.', [0, Number.MAX_SAFE_INTEGER], { example: 7 }),
  reasoning_effort: text('Reasoning effort, such as `low`, `medium` or `high`.', [1, 40], {
    example: 'low',
  }),
  context_length: tokens(
    'Context window: tokens of prompt and answer together. If a prompt is longer, the oldest turns of the conversation are left out.',
    128_000,
  ),
  max_output: tokens(
    'Maximum number of tokens that the model can write. A higher limit of a node is reduced to it.',
    16_384,
  ),
  supports: Type.Object(optional(supportedFeatures), {
    description:
      'What the model supports. Unstated features are tried, and left out for an hour after a rejection.',
  }),
  input_price: price('prompt'),
  output_price: price('answer'),
  extra_body: anyObject(
    `Members that are added to every request, up to ${limits.extraBodyLength} characters of JSON.`,
    { enable_thinking: false },
  ),
  fallbacks: array(
    modelName,
    'Names of chat models that are tried in this order when a call fails before any text.',
    { max: limits.modelFallbacks, example: ['backup'] },
  ),
}

const nullable = Object.fromEntries(
  Object.entries(modelOptions).map(([name, schema]) => [
    name,
    orNull(schema, `${(schema as unknown as { description: string }).description} Null if it is not set.`),
  ]),
) as { [Name in keyof typeof modelOptions]: ReturnType<typeof orNull<(typeof modelOptions)[Name]>> }

/** The options in updates, in which null removes a value. */
export const nullableModelOptions = nullable

export const modelRecord = named(
  'Model',
  Type.Object({
    id: string(
      'Model id; `environment` for the model of the server settings.',
      'model_Zk3xV0m2q1c5b7n9d1f3gA',
    ),
    name: modelName,
    type: modelType,
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
    headers: array(
      Type.Object({
        name: string('Name of the header.', 'api-key'),
        value_end: string('Last characters of a long value.', 'x9Qz'),
      }),
      'Headers of every request, without their values.',
    ),
    problem: orNull(Type.String(), 'Why it cannot be used and what to do, or null.'),
    is_default: isDefault,
    ...nullable,
    created_at: orNull(time('Creation time.'), 'Creation time; null for the model of the server settings.'),
    updated_at: orNull(
      time('Time of the last change.'),
      'Time of the last change; null for the model of the server settings.',
    ),
  }),
)
