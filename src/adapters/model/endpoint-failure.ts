import type { IncomingHttpHeaders } from 'node:http'
import { retryAfterMilliseconds } from '../../kernel/retry-after.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { EgressFailure, type EgressFailureKind } from '../egress/egress.ts'
import type { EndpointLabels, ModelEndpoint, StatusMeaning } from './endpoint.ts'
import { providerError, unmarkedError } from './provider-error.ts'

const transient = new Set([408, 409, 425, 429])
const isTransient = (status: number): boolean => status >= 500 || transient.has(status)
const isAboutKey = (status: number): boolean => status === 401 || status === 403

function meaningOf(status: number, code: string, { keySetting, urlSetting }: EndpointLabels): StatusMeaning {
  if (status === 402 || code === 'insufficient_quota')
    return ['the account at the provider has no credit left', 'Add credit, or use another key.', 'no_credit']
  if (isAboutKey(status)) return ['the provider rejected the API key', `Check ${keySetting}.`, 'key_rejected']
  if (status === 404)
    return [
      'the provider does not know this URL or model',
      `Check ${urlSetting} (it often ends in /v1) and the name of the model.`,
      'not_found',
    ]
  if (status === 429)
    return [
      'the rate limit of the provider is reached',
      'Try again later, or send fewer requests.',
      'rate_limited',
    ]
  if (status >= 300 && status < 400)
    return [
      'the provider sent a redirect, which is not followed',
      `Set ${urlSetting} to the URL that it leads to.`,
      'redirect',
    ]
  if (isTransient(status)) return ['provider error', 'Try again later.', 'provider_error']
  return ['the provider rejected the request', 'Check the settings of the model.', 'refused']
}

interface EgressMeaning {
  retryable: boolean
  /** Why no response arrived. */
  text: string
  /** The text for a failure in the middle of a stream; by default the stream broke off. */
  inStream?: string
}

const tooLarge = 'sent a response that is too large'

const egressMeanings: Record<EgressFailureKind, EgressMeaning> = {
  unreachable: { retryable: true, text: 'could not be reached' },
  timed_out: {
    retryable: true,
    text: 'did not respond in time',
    inStream: 'stopped in the middle of its response',
  },
  bad_answer: { retryable: true, text: 'sent a response that is damaged or not HTTP' },
  too_large: { retryable: false, text: tooLarge, inStream: tooLarge },
  blocked: { retryable: false, text: 'cannot be called with these settings' },
}

/** From this length on a key cannot be part of another word by chance. */
const minUniqueLength = 16
const maxQuoted = 300
/** Enough for the long lists of findings that some servers send. */
const maxDetail = 4000

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text

/** A short key is replaced as a word only: as part of other words it would make the message unreadable. */
function withoutSecret(message: string, secret: string): string {
  if (secret.length >= minUniqueLength) return message.replaceAll(secret, '[key]')
  const literal = secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return message.replace(new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'g'), '[key]')
}

/** A provider may repeat the key, or part of it, in its message. */
const withoutSecrets = (message: string, secrets: readonly string[]): string =>
  secrets
    .reduce(withoutSecret, message)
    .replace(/\bBearer\s+\S+/gi, '[key]')
    .replace(/\b(sk|pk|rk|gsk|key|jina|hf)[-_][\w*-]{6,}/gi, '[key]')

interface ReceivedResponse {
  status: number
  headers: IncomingHttpHeaders
  /** The parsed JSON; undefined if the text is not JSON. */
  body: unknown
}

/** The failure that a response reports by its status or, as some gateways do, in the body of a 200. */
export function reportedFailure(
  endpoint: ModelEndpoint,
  { status: sent, headers, body }: ReceivedResponse,
): ModelFailure | undefined {
  const isOk = sent >= 200 && sent <= 299
  const error = providerError(body) ?? (isOk ? undefined : unmarkedError(body))
  if (isOk && !error) return undefined
  const status = isOk ? (error?.status ?? 502) : sent
  const code = error?.code ?? ''
  const detail = cut(withoutSecrets(error?.message ?? '', endpoint.secrets), maxDetail)
  // Gemini rejects a key as an invalid argument.
  const meant = status === 400 && /api key not valid/i.test(detail) ? 401 : status
  const [text, advice, kind] = endpoint.explain?.(status) ?? meaningOf(meant, code, endpoint)
  const quoted = isAboutKey(meant) || detail === '' ? '' : ` Provider message: ${cut(detail, maxQuoted)}`
  return new ModelFailure(`${endpoint.label}: ${text} (${status}). ${advice}${quoted}`, {
    kind,
    status,
    detail,
    retryable: code !== 'insufficient_quota' && isTransient(status),
    retryAfterMilliseconds: retryAfterMilliseconds(headers, endpoint.timing.clock.now()),
  })
}

/** Names the setting and not the address in it: its reader need not be the operator. */
export function failureOfEgress(endpoint: ModelEndpoint, kind: EgressFailureKind): ModelFailure {
  const { label, urlSetting, keySetting } = endpoint
  const { retryable, text } = egressMeanings[kind]
  const hint = endpoint.trusted ? '' : ' The operator must list a private address in EGRESS_ALLOW.'
  const advice =
    kind === 'blocked'
      ? `Check ${urlSetting} and ${keySetting}.${hint}`
      : `Check that ${urlSetting} is right and its server is running.${kind === 'unreachable' ? hint : ''}`
  return new ModelFailure(`${label}: the provider ${text}. ${advice}`, {
    kind: kind === 'bad_answer' || kind === 'too_large' ? 'bad_response' : kind,
    retryable,
  })
}

/** A response with status 200 that is not what the operation returns. */
export const badResponse = ({ label, urlSetting }: EndpointLabels, problem: string): ModelFailure =>
  new ModelFailure(`${label}: the provider ${problem}. Check ${urlSetting} and the model behind it.`, {
    kind: 'bad_response',
    retryable: true,
    status: 200,
  })

/** The library wraps the errors of its `fetch`. */
function* causesOf(error: unknown): Generator<unknown> {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) yield each
}

/** An event that is not part of a chat response comes with its value: usually it reports a failure. */
const eventOf = (error: unknown): unknown =>
  error instanceof Error ? (error as { value?: unknown }).value : { error }

/** Errors of the library have such names; any other is a bug of ours, not a failure of the endpoint. */
const isOwnBug = (error: unknown): error is Error => error instanceof Error && !error.name.startsWith('AI_')

/** Why a stream failed; `undefined` means that it ended too early. Other errors are returned unchanged. */
export function failureOfStream(endpoint: ModelEndpoint, error: unknown): Error {
  for (const cause of causesOf(error)) {
    if (cause instanceof ModelFailure) return cause
    if (cause instanceof EgressFailure)
      return badResponse(
        endpoint,
        egressMeanings[cause.kind].inStream ?? 'broke off in the middle of its response',
      )
  }
  if (isOwnBug(error)) return error
  if (error instanceof Error && error.name === 'AI_UnsupportedFunctionalityError')
    return new ModelFailure(`${endpoint.label}: files of this type cannot be sent. Send an image.`, {
      retryable: false,
    })
  if (error === undefined) return badResponse(endpoint, 'ended its response before it was complete')
  const response = { status: 200, headers: {}, body: eventOf(error) }
  return reportedFailure(endpoint, response) ?? badResponse(endpoint, 'sent a stream that cannot be read')
}
