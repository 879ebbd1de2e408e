import { validateHeaderValue } from 'node:http'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { failureOfEgress } from './failure-of-egress.ts'
import { endpointUrl, type ModelEndpoint } from './model-endpoint.ts'

interface ChatModel {
  endpoint: ModelEndpoint
  model: string
  fetch: typeof globalThis.fetch
  /** The last word on what is sent. */
  transform: (body: Record<string, unknown>) => Record<string, unknown>
}

/** The library would tell of a key that cannot be sent by quoting it. */
function checkKey(endpoint: ModelEndpoint): void {
  try {
    validateHeaderValue('authorization', `Bearer ${endpoint.apiKey ?? ''}`)
  } catch {
    throw failureOfEgress(endpoint, { kind: 'blocked' })
  }
}

/** The provider library for one model. It takes longer to load than a server may take to start, so it comes late. */
export async function openChatModel({
  endpoint,
  model,
  fetch,
  transform,
}: ChatModel): Promise<LanguageModelV4> {
  checkKey(endpoint)
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const url = endpointUrl(endpoint, '')
  const provider = createOpenAICompatible({
    name: 'banyan',
    baseURL: `${url.origin}${url.pathname}`,
    queryParams: Object.fromEntries(url.searchParams),
    ...(endpoint.apiKey ? { apiKey: endpoint.apiKey } : {}),
    includeUsage: true,
    supportsStructuredOutputs: true,
    transformRequestBody: transform,
    fetch,
  })
  return provider.chatModel(model)
}
