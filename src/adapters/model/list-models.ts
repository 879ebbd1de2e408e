import { limits } from '../../contract/limits.ts'
import { isRecord } from '../../kernel/is-record.ts'
import type { ModelCaller } from '../../models/model-caller.ts'
import type { OfferedModel } from '../../models/workspace-models.ts'
import { type EndpointLabels, type EndpointOptions, endpointLabels } from './endpoint.ts'
import { badResponse } from './endpoint-failure.ts'
import { JsonClient } from './json-client.ts'

const timeouts = { attemptMilliseconds: 10_000, totalMilliseconds: 15_000, maxRetryAfterMilliseconds: 2000 }

/** The names of OpenRouter, vLLM and others. */
const lengthMembers = ['context_length', 'max_model_len', 'context_window', 'max_context_length']

function contextLengthOf(entry: Record<string, unknown>): number | undefined {
  const lengths = lengthMembers.map(name => entry[name])
  return lengths.find(
    (value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
  )
}

function readModels(response: unknown, labels: EndpointLabels): OfferedModel[] {
  // Some providers send the list alone.
  const entries = isRecord(response) ? (response['data'] ?? response['models']) : response
  if (!Array.isArray(entries)) throw badResponse(labels, 'sent a response without a list of models')
  const models = entries.filter(isRecord).flatMap(entry => {
    const id = entry['id'] ?? entry['name']
    return typeof id === 'string' && id !== '' ? [{ id, contextLength: contextLengthOf(entry) }] : []
  })
  return models.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limits.discoveredModels)
}

/** The models that a provider offers, by OpenAI's list of models. */
export function listModels(options: EndpointOptions, caller: ModelCaller): Promise<OfferedModel[]> {
  const { labels = endpointLabels('Provider', 'MODEL') } = options
  return new JsonClient(labels, timeouts, options).get(
    'models',
    response => readModels(response, labels),
    caller,
  )
}
