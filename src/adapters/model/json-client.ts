import { buffer } from 'node:stream/consumers'
import type { ModelCaller } from '../../models/model-caller.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { type Egress, EgressFailure, type EgressResponse, parseJson, readText } from '../egress/egress.ts'
import {
  type EndpointLabels,
  type EndpointOptions,
  endpointOf,
  type ModelEndpoint,
  operationUrl,
  type TimeoutOptions,
} from './endpoint.ts'
import { badResponse, failureOfEgress, reportedFailure } from './endpoint-failure.ts'
import { EndpointHealths } from './endpoint-health.ts'

/** The key is added when it is sent. */
interface JsonRequest {
  url: URL
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
}

interface ReceivedFile {
  /** May be empty. */
  mimeType: string
  bytes: Uint8Array
}

/** Converts a parsed response; what it throws counts as a failure of the endpoint. */
type Read<Result> = (response: unknown) => Result

const maxAttempts = 3
const backoffMilliseconds = 500
const maxResponseBytes = 32 << 20

/** Calls an endpoint that responds with JSON, with retries, a circuit breaker, and failures as `ModelFailure`. */
export class JsonClient {
  readonly #egress: Egress
  readonly #endpoint: ModelEndpoint
  readonly #timeouts: TimeoutOptions
  readonly #healths: EndpointHealths

  constructor(labels: EndpointLabels, defaults: TimeoutOptions, options: EndpointOptions) {
    this.#egress = options.egress
    this.#endpoint = endpointOf(labels, options)
    this.#timeouts = {
      attemptMilliseconds: options.attemptMilliseconds ?? defaults.attemptMilliseconds,
      totalMilliseconds: options.totalMilliseconds ?? defaults.totalMilliseconds,
      maxRetryAfterMilliseconds: options.maxRetryAfterMilliseconds ?? defaults.maxRetryAfterMilliseconds,
    }
    this.#healths = new EndpointHealths(options, options.exchange?.('health'))
  }

  /** Sends a form, or anything else as JSON, to a path below the base URL. */
  async post<Result>(path: string, body: unknown, read: Read<Result>, caller: ModelCaller): Promise<Result> {
    // Encodes a form, with the boundary between its parts.
    const form = body instanceof FormData ? new Response(body) : undefined
    const request: JsonRequest = {
      url: operationUrl(this.#endpoint, path),
      method: 'POST',
      headers: { 'content-type': form?.headers.get('content-type') ?? 'application/json' },
      body: form ? await form.bytes() : JSON.stringify(body),
    }
    return this.send(request, read, caller)
  }

  /** Sends JSON and receives the bytes of a file, such as a recording. */
  postForFile(path: string, body: unknown, caller: ModelCaller): Promise<ReceivedFile> {
    const url = operationUrl(this.#endpoint, path)
    const headers = { 'content-type': 'application/json', accept: '*/*' }
    const request: JsonRequest = { url, method: 'POST', headers, body: JSON.stringify(body) }
    return this.#repeat(caller, milliseconds =>
      this.#exchange(request, milliseconds, caller.signal, response => this.#readFile(response)),
    )
  }

  get<Result>(path: string, read: Read<Result>, caller: ModelCaller): Promise<Result> {
    return this.send({ url: operationUrl(this.#endpoint, path), method: 'GET' }, read, caller)
  }

  send<Result>(request: JsonRequest, read: Read<Result>, caller: ModelCaller): Promise<Result> {
    return this.#repeat(caller, async milliseconds =>
      read(await this.#exchange(request, milliseconds, caller.signal, response => this.#readJson(response))),
    )
  }

  /** Makes attempts until one succeeds or no other may. */
  async #repeat<Result>(
    { workspaceId, signal }: ModelCaller,
    call: (milliseconds: number) => Promise<Result>,
  ): Promise<Result> {
    const health = this.#healths.of(workspaceId)
    const { attemptMilliseconds, maxRetryAfterMilliseconds, totalMilliseconds } = this.#timeouts
    const { clock, random, sleep } = this.#endpoint.timing
    const deadline = clock.now() + totalMilliseconds
    let last: unknown
    for (let attempt = 1; ; attempt++) {
      // A pause that ends with the deadline would leave no time for the call.
      const maxPause = Math.min(maxRetryAfterMilliseconds, deadline - clock.now() - 1)
      await health.waitOutPause(this.#endpoint, maxPause, signal)
      let wasSent = false
      try {
        return await health.attempt(this.#endpoint, async () => {
          wasSent = true
          const milliseconds = Math.max(1, Math.min(attemptMilliseconds, deadline - clock.now()))
          return await call(milliseconds)
        })
      } catch (error) {
        // The previous failure, if there is one, says more than an open circuit.
        if (!wasSent) throw last ?? error
        if (!(error instanceof ModelFailure) || !error.retryable || attempt === maxAttempts) throw error
        // Half of the backoff is random, so that many callers do not come back at once.
        const wait = backoffMilliseconds * 2 ** (attempt - 1) * (0.5 + random() / 2)
        const asked = error.retryAfterMilliseconds ?? 0
        if (asked > maxRetryAfterMilliseconds || clock.now() + Math.max(wait, asked) >= deadline) throw error
        last = error
        await sleep(wait, signal)
      }
    }
  }

  async #exchange<Result>(
    { url, headers, ...rest }: JsonRequest,
    milliseconds: number,
    signal: AbortSignal | undefined,
    read: (response: EgressResponse) => Promise<Result>,
  ): Promise<Result> {
    const { apiKey, headers: own, trusted } = this.#endpoint
    try {
      const response = await this.#egress.request(url, {
        ...rest,
        headers: {
          accept: 'application/json',
          ...headers,
          ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
          ...own,
        },
        signal,
        timeouts: { totalMilliseconds: milliseconds, idleMilliseconds: milliseconds },
        maxBytes: maxResponseBytes,
        trusted,
      })
      return await read(response)
    } catch (error) {
      throw error instanceof EgressFailure ? failureOfEgress(this.#endpoint, error.kind) : error
    }
  }

  async #readJson(response: EgressResponse): Promise<unknown> {
    const text = await readText(response)
    const body = await parseJson(text)
    const failure = reportedFailure(this.#endpoint, { ...response, body })
    if (failure) throw failure
    if (body !== undefined) return body
    const kind = /^\s*</.test(text) ? 'a web page' : 'something else'
    const { label, urlSetting } = this.#endpoint
    throw new ModelFailure(
      `${label}: the provider responded with ${kind} instead of JSON. Check ${urlSetting}.`,
      { kind: 'bad_response', retryable: true, status: response.status },
    )
  }

  /** A response with text is an error. */
  async #readFile(response: EgressResponse): Promise<ReceivedFile> {
    const mimeType = (response.headers['content-type'] ?? '').split(';')[0]!.trim()
    if (response.status === 200 && !/json|text|xml/i.test(mimeType))
      return { mimeType, bytes: await buffer(response.body) }
    await this.#readJson(response)
    throw badResponse(this.#endpoint, 'responded with a text instead of a file')
  }
}
