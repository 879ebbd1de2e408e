import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from '../../models/language-model.ts'
import type { Egress } from '../egress/egress.ts'
import { applyConcessions, concessionFor } from './concessions.ts'
import type { Surroundings } from './endpoint-health.ts'
import { failureOfEgress } from './failure-of-egress.ts'
import { failureOfStream } from './failure-of-stream.ts'
import { endpointUrl, type ModelEndpoint, settingNames } from './model-endpoint.ts'
import { modelFetch } from './model-fetch.ts'
import { openChatModel } from './open-chat-model.ts'
import { ProgressTimer } from './progress-timer.ts'
import { readModelStream } from './read-model-stream.ts'
import { SharedEndpoint } from './shared-endpoint.ts'
import { toCallOptions } from './to-call-options.ts'

interface Patience {
  /** Until the model begins to write or to think. */
  firstPieceMilliseconds: number
  /** Longest silence of the model after that. */
  idleMilliseconds: number
  totalMilliseconds: number
  /** Longest pause that is waited out; for longer ones the caller is told instead. */
  pauseMilliseconds: number
}

export interface LanguageModelOptions extends Surroundings {
  egress: Egress
  /** Up to but not including `/chat/completions`. */
  baseUrl: string
  apiKey?: string | undefined
  model: string
  /** Whether the operator has set the address, which then may be private. */
  trusted: boolean
  /** What messages call it, and what they name for its address and key: those of the settings unless told. */
  words?: Partial<Pick<ModelEndpoint, 'name' | 'urlSetting' | 'keySetting'>>
  /** Shared by all models behind this address and key; its own unless told. */
  shared?: SharedEndpoint
  patience?: Partial<Patience>
}

const usualPatience: Patience = {
  firstPieceMilliseconds: 60_000,
  idleMilliseconds: 60_000,
  totalMilliseconds: 600_000,
  pauseMilliseconds: 60_000,
}

type OnText = (piece: string) => void

/** Any endpoint that speaks OpenAI's chat interface. */
class OpenAiLanguageModel implements LanguageModel {
  readonly name: string
  readonly #endpoint: ModelEndpoint
  readonly #shared: SharedEndpoint
  readonly #patience: Patience
  readonly #clock: Clock
  readonly #fetch: typeof globalThis.fetch
  /** Signals of requests whose answer was whole: a signal is what the library hands to `fetch` as it is. */
  readonly #whole = new WeakSet<object>()
  #opening: Promise<LanguageModelV4> | undefined

  constructor(options: LanguageModelOptions) {
    const { egress, baseUrl, apiKey, trusted, words, shared } = options
    this.name = options.model
    this.#endpoint = {
      name: 'language model',
      ...settingNames('MODEL'),
      ...words,
      baseUrl,
      apiKey,
      isOfWorkspace: !trusted,
    }
    // Tells of a URL that cannot be used now, and not at the first call.
    endpointUrl(this.#endpoint, '')
    this.#shared = shared ?? new SharedEndpoint(options)
    this.#patience = { ...usualPatience, ...options.patience }
    this.#clock = options.clock ?? systemClock
    const { firstPieceMilliseconds, idleMilliseconds, totalMilliseconds } = this.#patience
    this.#fetch = modelFetch({
      egress,
      endpoint: this.#endpoint,
      clock: this.#clock,
      trusted,
      timeouts: {
        idleMilliseconds: Math.max(firstPieceMilliseconds, idleMilliseconds),
        totalMilliseconds,
      },
      onWhole: signal => void this.#whole.add(signal),
    })
  }

  async generate(request: ModelRequest, onText: OnText, signal: AbortSignal): Promise<ModelAnswer> {
    const learned = this.#shared.concessionsOf(this.name)
    let hasWritten = false
    const onPiece = (piece: string): void => {
      hasWritten = true
      onText(piece)
    }
    for (;;) {
      const made = new Set(learned)
      try {
        return await this.#attempt(request, onPiece, signal)
      } catch (error) {
        // A refusal costs nothing and comes before any word, so that going without is still the same attempt.
        const concession = hasWritten ? undefined : concessionFor(error, request, made)
        if (!concession) throw error
        learned.add(concession)
      }
    }
  }

  async #attempt(request: ModelRequest, onText: OnText, signal: AbortSignal): Promise<ModelAnswer> {
    const { health } = this.#shared
    await health.waitOutPause(this.#endpoint, this.#patience.pauseMilliseconds, signal)
    health.enter(this.#endpoint)
    try {
      const answer = await this.#ask(request, onText, signal)
      health.succeeded()
      return answer
    } catch (error) {
      health.failed(error)
      throw error
    }
  }

  async #ask(request: ModelRequest, onText: OnText, signal: AbortSignal): Promise<ModelAnswer> {
    const model = await this.#open()
    const { firstPieceMilliseconds, idleMilliseconds } = this.#patience
    const timer = new ProgressTimer(firstPieceMilliseconds, idleMilliseconds, () =>
      failureOfEgress(this.#endpoint, { kind: 'timed_out' }),
    )
    const abortSignal = AbortSignal.any([signal, timer.signal])
    const failure = (error: unknown): Error =>
      abortSignal.aborted ? abortSignal.reason : failureOfStream(this.#endpoint, this.#clock, error)
    try {
      const { stream } = await this.#send(model, { ...toCallOptions(request), abortSignal }, failure)
      return await readModelStream(stream, abortSignal, {
        onText,
        failure,
        onProgress: () => timer.progress() && this.#shared.health.answers(),
        isWhole: () => this.#whole.has(abortSignal),
      })
    } finally {
      timer.end()
    }
  }

  async #send(
    model: LanguageModelV4,
    options: LanguageModelV4CallOptions,
    failure: (error: unknown) => Error,
  ): Promise<LanguageModelV4StreamResult> {
    try {
      return await model.doStream(options)
    } catch (error) {
      throw failure(error)
    }
  }

  #open(): Promise<LanguageModelV4> {
    this.#opening ??= openChatModel({
      endpoint: this.#endpoint,
      model: this.name,
      fetch: this.#fetch,
      transform: body => applyConcessions(body, this.#shared.concessionsOf(this.name)),
    })
    return this.#opening
  }
}

export const createLanguageModel = (options: LanguageModelOptions): LanguageModel =>
  new OpenAiLanguageModel(options)
