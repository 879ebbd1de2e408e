import { validateHeaderValue } from 'node:http'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from '../../models/language-model.ts'
import { applyFallbacks, fallbackFor, toCallOptions } from './chat-request.ts'
import {
  type EndpointLabels,
  type EndpointOptions,
  endpointLabels,
  endpointUrl,
  type ModelEndpoint,
  type TimeoutOptions,
} from './endpoint.ts'
import { failureOfEgress, failureOfStream } from './endpoint-failure.ts'
import { SharedEndpoint } from './endpoint-health.ts'
import { modelFetch } from './model-fetch.ts'
import { readModelStream } from './read-model-stream.ts'

/** A streamed call is one attempt. */
interface StreamTimeouts extends Omit<TimeoutOptions, 'attemptMilliseconds'> {
  /** Until the first token, of text or reasoning. */
  firstTokenMilliseconds: number
  /** Longest silence of the model after that. */
  idleMilliseconds: number
}

export interface LanguageModelOptions extends Omit<EndpointOptions, keyof TimeoutOptions> {
  model: string
  /** Whether the operator configured the URL, which then may be private. */
  trusted: boolean
  /** Defaults to the MODEL_ settings. */
  labels?: EndpointLabels
  /** Shared by all models behind this URL and key; by default it has its own. */
  shared?: SharedEndpoint
  timeouts?: Partial<StreamTimeouts>
}

const defaultTimeouts: StreamTimeouts = {
  firstTokenMilliseconds: 60_000,
  idleMilliseconds: 60_000,
  totalMilliseconds: 600_000,
  maxRetryAfterMilliseconds: 60_000,
}

type OnText = (piece: string) => void

/** Aborts when a model is silent for too long: before its first token, and between tokens. */
class ProgressTimer {
  readonly #controller = new AbortController()
  readonly #idleMilliseconds: number
  readonly #failure: () => Error
  #timer: NodeJS.Timeout
  #hasBegun = false

  constructor({ firstTokenMilliseconds, idleMilliseconds }: StreamTimeouts, failure: () => Error) {
    this.#idleMilliseconds = idleMilliseconds
    this.#failure = failure
    this.#timer = this.#start(firstTokenMilliseconds)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether this was the first token. */
  progress(): boolean {
    if (this.#hasBegun) {
      this.#timer.refresh()
      return false
    }
    this.#hasBegun = true
    clearTimeout(this.#timer)
    this.#timer = this.#start(this.#idleMilliseconds)
    return true
  }

  /** Must be called when the call is over. */
  clear(): void {
    clearTimeout(this.#timer)
  }

  #start(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(this.#failure()), milliseconds)
  }
}

interface ChatModel {
  endpoint: ModelEndpoint
  model: string
  fetch: typeof globalThis.fetch
  /** Changes the body before it is sent. */
  transform: (body: Record<string, unknown>) => Record<string, unknown>
}

/** The provider library for one model, loaded late because it takes longer to load than the server to start. */
async function openChatModel({ endpoint, model, fetch, transform }: ChatModel): Promise<LanguageModelV4> {
  try {
    // The library would quote a key that cannot be sent in its error.
    validateHeaderValue('authorization', `Bearer ${endpoint.apiKey ?? ''}`)
  } catch {
    throw failureOfEgress(endpoint, 'blocked')
  }
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

/** Any endpoint with OpenAI's chat completions API. */
class OpenAiLanguageModel implements LanguageModel {
  readonly name: string
  readonly #endpoint: ModelEndpoint
  readonly #shared: SharedEndpoint
  readonly #timeouts: StreamTimeouts
  readonly #clock: Clock
  readonly #fetch: typeof globalThis.fetch
  /** Signals of requests whose response ended with `[DONE]`: the library passes a signal to `fetch` unchanged. */
  readonly #done = new WeakSet<object>()
  #opening: Promise<LanguageModelV4> | undefined

  constructor(options: LanguageModelOptions) {
    const { egress, baseUrl, apiKey, model, trusted, labels, shared } = options
    this.name = model
    this.#endpoint = {
      ...(labels ?? endpointLabels(`Model "${model}"`, 'MODEL')),
      baseUrl,
      apiKey,
      isOfWorkspace: !trusted,
    }
    // Reports an invalid URL now, and not with the first call.
    endpointUrl(this.#endpoint, '')
    this.#shared = shared ?? new SharedEndpoint(options)
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts }
    this.#clock = options.clock ?? systemClock
    const { firstTokenMilliseconds, idleMilliseconds, totalMilliseconds } = this.#timeouts
    this.#fetch = modelFetch({
      egress,
      endpoint: this.#endpoint,
      clock: this.#clock,
      trusted,
      timeouts: {
        idleMilliseconds: Math.max(firstTokenMilliseconds, idleMilliseconds),
        totalMilliseconds,
      },
      onDone: signal => void this.#done.add(signal),
    })
  }

  async generate(request: ModelRequest, onText: OnText, signal: AbortSignal): Promise<ModelAnswer> {
    const learned = this.#shared.fallbacksOf(this.name)
    let hasWritten = false
    const onPiece = (piece: string): void => {
      hasWritten = true
      onText(piece)
    }
    for (;;) {
      const used = new Set(learned)
      try {
        return await this.#attempt(request, onPiece, signal)
      } catch (error) {
        // A rejection is free and comes before any text, so the request with a fallback is still the same attempt.
        const fallback = hasWritten ? undefined : fallbackFor(error, request, used)
        if (!fallback) throw error
        learned.add(fallback)
      }
    }
  }

  async #attempt(request: ModelRequest, onText: OnText, signal: AbortSignal): Promise<ModelAnswer> {
    const { health } = this.#shared
    await health.waitOutPause(this.#endpoint, this.#timeouts.maxRetryAfterMilliseconds, signal)
    health.enter(this.#endpoint)
    try {
      const answer = await this.#stream(request, onText, signal)
      health.succeeded()
      return answer
    } catch (error) {
      health.failed(error)
      throw error
    }
  }

  async #stream(request: ModelRequest, onText: OnText, signal: AbortSignal): Promise<ModelAnswer> {
    const model = await this.#open()
    const timer = new ProgressTimer(this.#timeouts, () => failureOfEgress(this.#endpoint, 'timed_out'))
    const abortSignal = AbortSignal.any([signal, timer.signal])
    const failure = (error: unknown): Error =>
      abortSignal.aborted ? abortSignal.reason : failureOfStream(this.#endpoint, this.#clock.now(), error)
    try {
      const { stream } = await Promise.resolve(
        model.doStream({ ...toCallOptions(request), abortSignal }),
      ).catch((error: unknown) => {
        throw failure(error)
      })
      return await readModelStream(stream, abortSignal, {
        onText,
        failure,
        onProgress: () => {
          if (timer.progress()) this.#shared.health.responds()
        },
        isDone: () => this.#done.has(abortSignal),
      })
    } finally {
      timer.clear()
    }
  }

  #open(): Promise<LanguageModelV4> {
    this.#opening ??= openChatModel({
      endpoint: this.#endpoint,
      model: this.name,
      fetch: this.#fetch,
      transform: body => applyFallbacks(body, this.#shared.fallbacksOf(this.name)),
    })
    return this.#opening
  }
}

export const createLanguageModel = (options: LanguageModelOptions): LanguageModel =>
  new OpenAiLanguageModel(options)
