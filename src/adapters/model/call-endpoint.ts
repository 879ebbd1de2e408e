import type { Clock } from '../../kernel/clock.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { Egress, EgressAnswer } from '../egress/egress.ts'
import { EgressFailure, type EgressFailureKind } from '../egress/egress-failure.ts'
import { readText } from '../egress/read-answer.ts'
import { failureOfAnswer, providerError } from './failure-of-answer.ts'
import { endpointUrl, type ModelEndpoint } from './model-endpoint.ts'

const maxAnswerBytes = 32 << 20

const failures: Record<EgressFailureKind, { retryable: boolean; words: string }> = {
  unreachable: { retryable: true, words: 'could not be reached' },
  timed_out: { retryable: true, words: 'did not answer in time' },
  bad_answer: { retryable: true, words: 'gave an answer that is not HTTP, or is damaged' },
  too_large: { retryable: false, words: 'gave an answer that is too large' },
  blocked: { retryable: false, words: 'cannot be called with these settings' },
}

/** Names the setting and not the address in it: whoever reads this may not be the one who runs the server. */
function failureOfEgress({ name, setting }: ModelEndpoint, { kind }: EgressFailure): ModelFailure {
  const { retryable, words } = failures[kind]
  const check =
    kind === 'blocked'
      ? `check ${setting}_BASE_URL and ${setting}_API_KEY`
      : `check that ${setting}_BASE_URL is right and its server works`
  return new ModelFailure(`The ${name} endpoint ${words}: ${check}`, { retryable })
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
