import { setTimeout as delay } from 'node:timers/promises'
import type { ModelFailureCode } from '../../contract/model-operations.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { Exchange } from '../../kernel/exchange.ts'
import type { Egress } from '../egress/egress.ts'

/** How messages refer to an endpoint and its settings, without showing the address or the key. */
export interface EndpointLabels {
  /** The beginning of a message: `Embedding model`, `Model "cheap"`. */
  label: string
  /** `EMBEDDING_BASE_URL`, or where a workspace sets the URL. */
  urlSetting: string
  /** `EMBEDDING_API_KEY`, or where a workspace sets the key. */
  keySetting: string
  /** The meaning of a status that is special for this endpoint. */
  explain?: (status: number) => StatusMeaning | undefined
}

export type StatusMeaning = readonly [text: string, advice: string, code?: ModelFailureCode]

export interface ModelEndpoint extends EndpointLabels {
  /** Without the path of the operation. Its query (such as an API version) is part of every request. */
  url: URL
  apiKey: string | undefined
  /** Sent with every request; some providers take the key in a header of their own. */
  headers: Readonly<Record<string, string>>
  /** Texts that no message may show. */
  secrets: readonly string[]
  trusted: boolean
  timing: Timing
}

/** Limits in time for a call that may be sent several times. */
export interface TimeoutOptions {
  attemptMilliseconds: number
  /** For all attempts and the waits between them. */
  totalMilliseconds: number
  /** Longest `Retry-After` that is waited for; a longer one fails the call. */
  maxRetryAfterMilliseconds: number
}

/** Time and chance, which tests replace. */
export interface Timing {
  clock: Clock
  /** Waits, or rejects with the reason of the signal. */
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 up to but not including 1. */
  random: () => number
}

export interface EndpointOptions extends Partial<Timing>, Partial<TimeoutOptions> {
  egress: Egress
  /** Defaults to the settings of the server. */
  labels?: EndpointLabels
  /** Without the path of the operation, such as `/embeddings`. */
  baseUrl: string
  apiKey?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Members that are added to every request, in place of those of the same name. */
  extraBody?: Readonly<Record<string, unknown>> | undefined
  /** The channel on which replicas share what they learn about the endpoint, by subject. */
  exchange?: ((subject: string) => Exchange) | undefined
  /** Whether the operator configured the URL, which then may be private; true by default. */
  trusted?: boolean
}

export const endpointLabels = (label: string, prefix: string): EndpointLabels => ({
  label,
  urlSetting: `${prefix}_BASE_URL`,
  keySetting: `${prefix}_API_KEY`,
})

/** Fails when the URL is invalid, instead of failing with the first call. */
export function endpointOf(labels: EndpointLabels, options: EndpointOptions): ModelEndpoint {
  const { baseUrl, apiKey, headers = {}, trusted = true } = options
  if (!URL.canParse(baseUrl)) throw new Error(`${labels.urlSetting} is not a URL: ${baseUrl}`)
  const secrets = [apiKey ?? '', ...Object.values(headers)].filter(secret => secret !== '')
  return { ...labels, url: new URL(baseUrl), apiKey, headers, secrets, trusted, timing: timingOf(options) }
}

export function operationUrl({ url }: ModelEndpoint, path: string): URL {
  const operation = new URL(url)
  operation.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return operation
}

async function systemSleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error
  })
}

export const timingOf = ({
  clock = systemClock,
  sleep = systemSleep,
  random = Math.random,
}: Partial<Timing>): Timing => ({ clock, sleep, random })

/** The beginning of a text. Strict servers reject half of a surrogate pair. */
export const cutText = (text: string, length: number): string => {
  const last = text.charCodeAt(length - 1)
  const splitsPair = length < text.length && last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? length - 1 : length).toWellFormed()
}
