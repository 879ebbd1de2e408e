import type { Clock } from '../../kernel/clock.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { type Egress, EgressFailure, type EgressResponse, readText } from '../egress/egress.ts'
import { failureOfAnswer, providerError } from './failure-of-answer.ts'
import { failureOfEgress } from './failure-of-egress.ts'
import type { ModelEndpoint } from './model-endpoint.ts'

/** What is sent, the key aside. */
export interface EndpointRequest {
  url: URL
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
}

const maxAnswerBytes = 32 << 20

function parse({ name, urlSetting }: ModelEndpoint, status: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const kind = /^\s*</.test(text) ? 'a web page' : 'something else'
    throw new ModelFailure(
      `The ${name} endpoint answered with ${kind} instead of JSON: check ${urlSetting}`,
      {
        retryable: true,
        status,
      },
    )
  }
}

async function send(
  egress: Egress,
  endpoint: ModelEndpoint,
  { url, headers, ...rest }: EndpointRequest,
  timeoutMilliseconds: number,
  signal: AbortSignal | undefined,
): Promise<{ answer: EgressResponse; text: string }> {
  try {
    const answer = await egress.request(url, {
      ...rest,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(endpoint.apiKey ? { authorization: `Bearer ${endpoint.apiKey}` } : {}),
      },
      signal,
      timeouts: { totalMilliseconds: timeoutMilliseconds, idleMilliseconds: timeoutMilliseconds },
      maxBytes: maxAnswerBytes,
      trusted: true,
    })
    return { answer, text: await readText(answer) }
  } catch (error) {
    throw error instanceof EgressFailure ? failureOfEgress(endpoint, error) : error
  }
}

/** One try: the parsed answer, or a `ModelFailure`, or the reason of an aborted signal. */
export async function callEndpoint(
  { egress, clock }: { egress: Egress; clock: Clock },
  endpoint: ModelEndpoint,
  request: EndpointRequest,
  timeoutMilliseconds: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { answer, text } = await send(egress, endpoint, request, timeoutMilliseconds, signal)
  const { status, headers } = answer
  if (status < 200 || status > 299) throw failureOfAnswer(endpoint, status, text, headers, clock.now())
  const parsed = parse(endpoint, status, text)
  // Some gateways answer 200 and put the failure into the body.
  const error = providerError(parsed)
  if (error) throw failureOfAnswer(endpoint, error.status ?? 502, text, headers, clock.now())
  return parsed
}
