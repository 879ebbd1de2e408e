import type { Clock } from '../../kernel/clock.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { Egress, EgressAnswer } from '../egress/egress.ts'
import { EgressFailure } from '../egress/egress-failure.ts'
import { readText } from '../egress/read-answer.ts'
import { failureOfAnswer, providerError } from './failure-of-answer.ts'
import { endpointUrl, type ModelEndpoint } from './model-endpoint.ts'

const maxAnswerBytes = 64 << 20

function failureOfEgress(endpoint: ModelEndpoint, failure: EgressFailure): ModelFailure {
  const retryable = failure.kind !== 'blocked' && failure.kind !== 'too_large'
  const what = failure.kind === 'timed_out' ? 'did not answer in time' : 'could not be used'
  return new ModelFailure(
    `The ${endpoint.name} endpoint ${what}: ${failure.message}. ` +
      `Check that ${endpoint.setting}_BASE_URL is right and its server is running`,
    { retryable },
  )
}

function parse(endpoint: ModelEndpoint, status: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const kind = /^\s*</.test(text) ? 'a web page' : 'something else'
    throw new ModelFailure(
      `The ${endpoint.name} endpoint answered with ${kind} instead of JSON: check ${endpoint.setting}_BASE_URL`,
      { retryable: true, status },
    )
  }
}

async function send(
  egress: Egress,
  endpoint: ModelEndpoint,
  url: URL,
  body: unknown,
  timeoutMilliseconds: number,
  signal: AbortSignal | undefined,
): Promise<{ answer: EgressAnswer; text: string }> {
  try {
    const answer = await egress.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(endpoint.apiKey ? { authorization: `Bearer ${endpoint.apiKey}` } : {}),
      },
      body: JSON.stringify(body),
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
  path: string,
  body: unknown,
  timeoutMilliseconds: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const url = endpointUrl(endpoint, path)
  const { answer, text } = await send(egress, endpoint, url, body, timeoutMilliseconds, signal)
  const { status, headers } = answer
  if (status < 200 || status > 299) throw failureOfAnswer(endpoint, status, text, headers, clock.now())
  const parsed = parse(endpoint, status, text)
  // Some gateways answer 200 and put the failure into the body.
  const error = providerError(parsed)
  if (error) throw failureOfAnswer(endpoint, error.status ?? 502, text, headers, clock.now())
  return parsed
}
