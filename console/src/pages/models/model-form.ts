import type { CallInput } from '../../api/operations.ts'
import type { Model } from './use-models.ts'

type CreateBody = CallInput<'POST /api/v1/model/create'>['body']
type UpdateBody = CallInput<'POST /api/v1/model/update'>['body']
type TestBody = CallInput<'POST /api/v1/model/test'>['body']
type ModelType = Model['type']
type Feature = keyof NonNullable<Model['supports']>

export const features: readonly Feature[] = ['vision', 'tools', 'json_schema', 'reasoning']

/** A header in the form: one that is stored has no value until a new one is entered. */
interface HeaderField {
  name?: string
  value?: string
  isStored?: boolean
}

/** Numbers of a chat model, which are shown and sent as they are. */
const numberOptions = [
  ...(['max_tokens', 'temperature', 'context_length', 'max_output', 'top_p'] as const),
  ...(['frequency_penalty', 'presence_penalty', 'seed', 'input_price', 'output_price'] as const),
] as const
type NumberOption = (typeof numberOptions)[number]

/** The values of the model form. */
export type ModelFields = {
  type: ModelType
  name: string
  base_url: string
  model: string
  api_key?: string
  remove_key?: boolean
  is_default?: boolean
  headers?: HeaderField[]
  stop?: string[]
  reasoning_effort?: string
  supports?: { [Name in Feature]?: 'yes' | 'no' | '' }
  fallbacks?: string[]
  /** A JSON object as text. */
  extra_body?: string
} & { [Name in NumberOption]?: number | null }

export const newFields: Partial<ModelFields> = { type: 'chat' }

export const fieldsOf = (model: Model): ModelFields => ({
  type: model.type,
  name: model.name,
  base_url: model.base_url ?? '',
  model: model.model,
  is_default: model.is_default,
  headers: model.headers.map(({ name }) => ({ name, isStored: true })),
  stop: model.stop ?? [],
  reasoning_effort: model.reasoning_effort ?? '',
  supports: Object.fromEntries(
    features.map(name => [
      name,
      model.supports?.[name] === undefined ? '' : model.supports[name] ? 'yes' : 'no',
    ]),
  ),
  fallbacks: model.fallbacks ?? [],
  extra_body: model.extra_body ? JSON.stringify(model.extra_body, null, 2) : '',
  ...Object.fromEntries(numberOptions.map(name => [name, model[name]])),
})

/** Parses an object; undefined if the text is not a JSON object. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function supportsOf({ supports = {} }: ModelFields): Record<string, boolean> | null {
  const known = features.filter(name => supports[name])
  return known.length === 0 ? null : Object.fromEntries(known.map(name => [name, supports[name] === 'yes']))
}

/** Headers with a value are set, headers that were removed from the form are deleted, others stay. */
function headersOf({ headers = [] }: ModelFields, model: Model | undefined): Record<string, string | null> {
  const named = headers.map(({ name = '', value = '' }) => [name.trim().toLowerCase(), value] as const)
  const kept = new Set(named.map(([name]) => name))
  const removed = model?.headers.filter(({ name }) => !kept.has(name)) ?? []
  return Object.fromEntries([
    ...removed.map(({ name }) => [name, null]),
    ...named.filter(([name, value]) => name !== '' && value !== ''),
  ])
}

/** The options of a model; an empty field becomes null. */
const optionsOf = (fields: ModelFields) => ({
  ...(Object.fromEntries(numberOptions.map(name => [name, fields[name] ?? null])) as {
    [Name in NumberOption]: number | null
  }),
  stop: fields.stop?.length ? fields.stop : null,
  reasoning_effort: fields.reasoning_effort?.trim() || null,
  supports: supportsOf(fields),
  fallbacks: fields.fallbacks?.length ? fields.fallbacks : null,
  extra_body: readObject(fields.extra_body ?? '') ?? null,
})

const shared = ({ name, base_url, model }: ModelFields) => ({
  name: name.trim(),
  base_url: base_url.trim(),
  model: model.trim(),
})

const withoutNulls = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)) as {
    [Name in keyof Value]?: NonNullable<Value[Name]>
  }

export const createBody = (fields: ModelFields): CreateBody => ({
  ...shared(fields),
  type: fields.type,
  ...(fields.is_default === true && { is_default: true }),
  ...(fields.api_key && { api_key: fields.api_key }),
  headers: withoutNulls(headersOf(fields, undefined)) as Record<string, string>,
  ...withoutNulls(optionsOf(fields)),
})

/** Null removes a value, omitting it keeps it: an empty key does not remove the stored one. */
export function updateBody(model: Model, fields: ModelFields): UpdateBody {
  const { api_key, remove_key, is_default } = fields
  return {
    id: model.id,
    ...shared(fields),
    ...(is_default !== undefined && is_default !== model.is_default && { is_default }),
    ...(api_key ? { api_key } : remove_key ? { api_key: null } : {}),
    headers: headersOf(fields, model),
    ...optionsOf(fields),
  }
}

/** The body of a test before saving. A stored key is used unless another one is entered. */
export function testBody(model: Model | undefined, fields: ModelFields): TestBody {
  const { name: _, ...address } = shared({ ...fields, name: '', model: fields.model ?? '' })
  const extraBody = readObject(fields.extra_body ?? '')
  return {
    ...(model && { id: model.id }),
    type: fields.type,
    base_url: address.base_url,
    ...(address.model !== '' && { model: address.model }),
    ...(fields.api_key && { api_key: fields.api_key }),
    headers: headersOf(fields, model),
    ...(extraBody && { extra_body: extraBody }),
  }
}
