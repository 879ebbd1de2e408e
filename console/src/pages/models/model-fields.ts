import type { CallInput } from '../../api/operations.ts'
import type { Model } from './use-models.ts'

/** The values of the model form. */
export interface ModelFields {
  name: string
  base_url: string
  model: string
  api_key?: string
  remove_key?: boolean
  is_default?: boolean
  max_tokens?: number | null
  temperature?: number | null
}

export const fieldsOf = (model: Model): ModelFields => ({
  name: model.name,
  base_url: model.base_url ?? '',
  model: model.model,
  is_default: model.is_default,
  max_tokens: model.max_tokens,
  temperature: model.temperature,
})

const shared = ({ name, base_url, model, is_default }: ModelFields) => ({
  name: name.trim(),
  base_url: base_url.trim(),
  model: model.trim(),
  ...(is_default === true && { is_default }),
})

export function createBody(fields: ModelFields): CallInput<'POST /api/v1/model/create'>['body'] {
  const { api_key, max_tokens, temperature } = fields
  return {
    ...shared(fields),
    ...(api_key && { api_key }),
    ...(typeof max_tokens === 'number' && { max_tokens }),
    ...(typeof temperature === 'number' && { temperature }),
  }
}

/** Null removes a value, omitting it keeps it: an empty key does not remove the stored one. */
export function updateBody(
  model: Model,
  fields: ModelFields,
): CallInput<'POST /api/v1/model/update'>['body'] {
  const { api_key, remove_key, is_default, max_tokens, temperature } = fields
  return {
    id: model.id,
    ...shared(fields),
    ...(is_default !== undefined && is_default !== model.is_default && { is_default }),
    ...(api_key ? { api_key } : remove_key ? { api_key: null } : {}),
    max_tokens: max_tokens ?? null,
    temperature: temperature ?? null,
  }
}
