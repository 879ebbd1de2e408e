import type { Clock } from '../../kernel/clock.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { type Egress, EgressFailure, type EgressTimeouts, StaleConnection } from '../egress/egress.ts'
import { egressFetch } from '../egress/egress-fetch.ts'
import { failureOfAnswer, providerError } from './failure-of-answer.ts'
import { failureOfEgress } from './failure-of-egress.ts'
import { guardEvents } from './guard-events.ts'
import type { ModelEndpoint } from './model-endpoint.ts'

type Fetch = typeof globalThis.fetch

interface Parts {
  egress: Egress
  endpoint: ModelEndpoint
  clock: Clock
  timeouts: EgressTimeouts
  trusted: boolean
  /** The answer to the request with this signal said that it is whole. */
  onWhole(signal: AbortSignal): void
}

const maxAnswerBytes = 32 << 20

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What came is no stream of a model. */
export const badStream = ({ name, urlSetting }: ModelEndpoint, what: string): ModelFailure =>
  new ModelFailure(`The ${name} endpoint ${what}: check ${urlSetting} and the model behind it`, {
    retryable: true,
    status: 200,
  })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A whole answer as the one event of a stream; `undefined` if it is none. */
function asEvents(answer: unknown): string | undefined {
  if (!isRecord(answer) || !Array.isArray(answer['choices'])) return undefined
  const choices = answer['choices']
    .filter(isRecord)
    .map(({ message, ...rest }) => ({ ...rest, delta: message }))
  return `data: ${JSON.stringify({ ...answer, choices })}\n\ndata: [DONE]\n\n`
}

/** An answer that is not a stream: a failure, or a whole answer from a server that does not stream. */
function unstreamed({ endpoint, clock }: Parts, text: string, headers: Record<string, string>): Response {
  const answer = parse(text)
  const error = providerError(answer)
  if (error) throw failureOfAnswer(endpoint, error.status ?? 502, text, headers, clock.now())
  // Some servers send a stream under the wrong name.
  const events = asEvents(answer) ?? (/^\ufeff?(data|event|id|:)/.test(text) ? text : undefined)
  if (events === undefined)
    throw badStream(endpoint, 'answered with something else than the words of a model')
  return new Response(events)
}

async function openAnswer(parts: Parts, response: Response): Promise<Response> {
  const { endpoint, clock } = parts
  const headers = Object.fromEntries(response.headers)
  if (!response.ok)
    throw failureOfAnswer(endpoint, response.status, await response.text(), headers, clock.now())
  const type = headers['content-type'] ?? ''
  if (/html/i.test(type)) {
    await response.body?.cancel()
    throw badStream(endpoint, 'answered with a web page')
  }
  return /json/i.test(type) ? unstreamed(parts, await response.text(), headers) : response
}

/**
 * The egress for the provider library, which gets to see nothing but streams of a model: all else fails here, in the
 * words that all models share.
 */
export function modelFetch(parts: Parts): Fetch {
  const { egress, endpoint, timeouts, trusted, onWhole } = parts
  const send = egressFetch(egress, { timeouts, trusted, maxBytes: maxAnswerBytes })
  const lineTooLong = (): Error => badStream(endpoint, 'sent a line that is too long')
  return async (input, init) => {
    try {
      const response = await send(input, init).catch((error: unknown) => {
        // The connection had just been closed: nobody has read the request.
        if (error instanceof StaleConnection) return send(input, init)
        throw error
      })
      const answer = await openAnswer(parts, response)
      if (!answer.body) throw badStream(endpoint, 'answered without a word')
      const body = guardEvents(answer.body, {
        onDone: () => init?.signal && onWhole(init.signal),
        lineTooLong,
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    } catch (error) {
      throw error instanceof EgressFailure ? failureOfEgress(endpoint, error) : error
    }
  }
}
