import { ModelFailure } from '../../models/model-failure.ts'
import { type Egress, EgressFailure, readText } from '../egress/egress.ts'
import {
  type EndpointOptions,
  endpointUrl,
  type ModelEndpoint,
  resolveTiming,
  type TimeoutOptions,
  type Timing,
} from './endpoint.ts'
import { failureOfEgress, failureOfResponse, providerError } from './endpoint-failure.ts'
import { EndpointHealth } from './endpoint-health.ts'

/** The key is added when it is sent. */
export interface JsonRequest {
  url: URL
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
}

const maxAttempts = 3
const backoffMilliseconds = 500
const maxResponseBytes = 32 << 20

/** Calls an endpoint that responds with JSON, with retries, a circuit breaker, and failures as `ModelFailure`. */
export class JsonClient {
  readonly #egress: Egress
  readonly #endpoint: ModelEndpoint
  readonly #timeouts: TimeoutOptions
  readonly #timing: Required<Timing>
  readonly #health: EndpointHealth

  constructor(endpoint: ModelEndpoint, defaults: TimeoutOptions, options: Omit<EndpointOptions, 'baseUrl'>) {
    // Reports an invalid URL now, and not with the first call.
    endpointUrl(endpoint, '')
    this.#egress = options.egress
    this.#endpoint = endpoint
    this.#timeouts = {
      attemptMilliseconds: options.attemptMilliseconds ?? defaults.attemptMilliseconds,
      totalMilliseconds: options.totalMilliseconds ?? defaults.totalMilliseconds,
      maxRetryAfterMilliseconds: options.maxRetryAfterMilliseconds ?? defaults.maxRetryAfterMilliseconds,
    }
    this.#timing = resolveTiming(options)
    this.#health = new EndpointHealth(options)
  }

  /** Sends JSON to a path below the base URL. */
  post<Result>(
    path: string,
    body: unknown,
    read: (response: unknown) => Result,
    signal?: AbortSignal,
  ): Promise<Result> {
    const request: JsonRequest = {
      url: endpointUrl(this.#endpoint, path),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    return this.send(request, read, signal)
  }

  /** `read` converts the parsed response; what it throws counts as a failure of the endpoint. */
  async send<Result>(
    request: JsonRequest,
    read: (response: unknown) => Result,
    signal?: AbortSignal,
  ): Promise<Result> {
    const { maxRetryAfterMilliseconds, totalMilliseconds } = this.#timeouts
    const { clock, random, sleep } = this.#timing
    const deadline = clock.now() + totalMilliseconds
    let last: ModelFailure | undefined
    for (let attempt = 1; ; attempt++) {
      // A pause that ends with the deadline would leave no time for the call.
      const maxPause = Math.min(maxRetryAfterMilliseconds, deadline - clock.now() - 1)
      await this.#health.waitOutPause(this.#endpoint, maxPause, signal)
      this.#enter(last)
      try {
        return await this.#attempt(request, read, deadline, signal)
      } catch (error) {
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

  /** The previous failure, if there is one, says more than an open circuit. */
  #enter(last: ModelFailure | undefined): void {
    try {
      this.#health.enter(this.#endpoint)
    } catch (error) {
      throw last ?? error
    }
  }

  async #attempt<Result>(
    request: JsonRequest,
    read: (response: unknown) => Result,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const left = deadline - this.#timing.clock.now()
    const milliseconds = Math.max(1, Math.min(this.#timeouts.attemptMilliseconds, left))
    try {
      const result = read(await this.#call(request, milliseconds, signal))
      this.#health.succeeded()
      return result
    } catch (error) {
      this.#health.failed(error)
      throw error
    }
  }

  async #call(
    request: JsonRequest,
    timeoutMilliseconds: number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const response = await this.#exchange(request, timeoutMilliseconds, signal)
    const now = this.#timing.clock.now()
    if (response.status < 200 || response.status > 299) throw failureOfResponse(this.#endpoint, response, now)
    const parsed = this.#parse(response.status, response.text)
    // Some gateways respond with 200 and put the error into the body.
    const error = providerError(parsed)
    if (error) throw failureOfResponse(this.#endpoint, { ...response, status: error.status ?? 502 }, now)
    return parsed
  }

  async #exchange(
    { url, headers, ...rest }: JsonRequest,
    timeoutMilliseconds: number,
    signal: AbortSignal | undefined,
  ) {
    const { apiKey } = this.#endpoint
    try {
      const response = await this.#egress.request(url, {
        ...rest,
        headers: {
          accept: 'application/json',
          ...headers,
          ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        },
        signal,
        timeouts: { totalMilliseconds: timeoutMilliseconds, idleMilliseconds: timeoutMilliseconds },
        maxBytes: maxResponseBytes,
        trusted: true,
      })
      return { status: response.status, headers: response.headers, text: await readText(response) }
    } catch (error) {
      throw error instanceof EgressFailure ? failureOfEgress(this.#endpoint, error.kind) : error
    }
  }

  #parse(status: number, text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      const { label, urlSetting } = this.#endpoint
      const kind = /^\s*</.test(text) ? 'a web page' : 'something else'
      throw new ModelFailure(
        `${label}: the provider responded with ${kind} instead of JSON. Check ${urlSetting}.`,
        { retryable: true, status },
      )
    }
  }
}
