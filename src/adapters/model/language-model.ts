import { validateHeaderValue } from 'node:http'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { limits } from '../../contract/limits.ts'
import { followSignal } from '../../kernel/follow-signal.ts'
import {
  type LanguageModel,
  type ModelAnswer,
  type ModelFeatures,
  type ModelRequest,
  type OnText,
  withOwnKey,
} from '../../models/language-model.ts'
import { trimHistory } from '../../models/trim-history.ts'
import { toCallOptions } from './chat-request.ts'
import {
  type EndpointOptions,
  endpointLabels,
  endpointOf,
  type ModelEndpoint,
  operationUrl,
  type TimeoutOptions,
} from './endpoint.ts'
import { failureOfEgress, failureOfStream } from './endpoint-failure.ts'
import { EndpointHealth } from './endpoint-health.ts'
import { LearnedValues } from './learned-values.ts'
import { modelFetch } from './model-fetch.ts'
import { readModelStream } from './read-model-stream.ts'
import {
  applyFallbacks,
  fallbackFor,
  fallbackKey,
  LearnedFallbacks,
  missingFeatures,
  type RequestFallback,
} from './request-fallbacks.ts'
import { shortenedFor } from './shorten-request.ts'

/** A streamed call is one attempt. */
interface StreamTimeouts extends Omit<TimeoutOptions, 'attemptMilliseconds'> {
  /** Limit until the first token, of text or reasoning. */
  firstTokenMilliseconds: number
  /** Longest silence of the model after that. */
  idleMilliseconds: number
}

export interface LanguageModelOptions extends Omit<EndpointOptions, keyof TimeoutOptions> {
  model: string
  /** Always given, because a workspace may have set the URL. */
  trusted: boolean
  /** Shared by the models of the workspace behind this URL and key; by default the model has its own. */
  health?: EndpointHealth
  /** The fallbacks that this model needed before, in this workspace; none by default. */
  learned?: LearnedFallbacks
  /** Tokens of prompt and answer together; older turns are left out of a longer prompt. */
  contextLength?: number | undefined
  /** Features that the model is known to support or lack; unknown ones are tried. */
  supports?: ModelFeatures | undefined
  timeouts?: Partial<StreamTimeouts>
}

const defaultTimeouts: StreamTimeouts = {
  firstTokenMilliseconds: 60_000,
  idleMilliseconds: 60_000,
  totalMilliseconds: 600_000,
  maxRetryAfterMilliseconds: 60_000,
}

/** Aborts when a model is silent for too long: before its first token, and between tokens. `clear` ends it. */
function progressTimer(
  { firstTokenMilliseconds, idleMilliseconds }: StreamTimeouts,
  caller: AbortSignal,
  failure: () => Error,
) {
  const { controller, release } = followSignal(caller)
  const abort = (): void => controller.abort(failure())
  let timer = setTimeout(abort, firstTokenMilliseconds)
  let hasBegun = false
  return {
    signal: controller.signal,
    progress: (onFirst: () => void): void => {
      if (hasBegun) return void timer.refresh()
      hasBegun = true
      clearTimeout(timer)
      timer = setTimeout(abort, idleMilliseconds)
      onFirst()
    },
    clear: () => {
      clearTimeout(timer)
      release()
    },
  }
}

interface ChatModel {
  endpoint: ModelEndpoint
  model: string
  fetch: typeof globalThis.fetch
  transform: (body: Record<string, unknown>) => Record<string, unknown>
}

/** The provider library for one model, loaded late because it takes longer to load than the server to start. */
async function openChatModel({ endpoint, model, fetch, transform }: ChatModel): Promise<LanguageModelV4> {
  const { apiKey, headers } = endpoint
  const url = operationUrl(endpoint, '')
  try {
    // The library would quote a key that cannot be sent in its error.
    validateHeaderValue('authorization', `Bearer ${apiKey ?? ''}`)
  } catch {
    throw failureOfEgress(endpoint, 'blocked')
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({
    name: 'banyan',
    baseURL: `${url.origin}${url.pathname}`,
    queryParams: Object.fromEntries(url.searchParams),
    apiKey: apiKey || undefined,
    headers,
    includeUsage: true,
    supportsStructuredOutputs: true,
    transformRequestBody: transform,
    fetch,
  })
  return provider.chatModel(model)
}

type StreamCall = (
  request: ModelRequest,
  used: ReadonlySet<RequestFallback>,
  onText: OnText,
  signal: AbortSignal,
) => Promise<ModelAnswer>

/**
 * Makes one attempt of a call: sends the request with the given fallbacks, and reads the stream of the answer. `onFirst`
 * is called at the first token.
 */
function createStreamCall(
  { egress, model, extraBody, ...options }: LanguageModelOptions,
  endpoint: ModelEndpoint,
  onFirst: () => void,
): StreamCall {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  /** Signals of requests whose response ended with `[DONE]`: the library passes a signal to `fetch` unchanged. */
  const done = new WeakSet<AbortSignal>()
  /** The images of responses, by the signals of their requests; gateways repeat some in the last event. */
  const images = new WeakMap<AbortSignal, Set<string>>()
  const fetch = modelFetch({
    egress,
    endpoint,
    timeouts: {
      idleMilliseconds: Math.max(timeouts.firstTokenMilliseconds, timeouts.idleMilliseconds),
      totalMilliseconds: timeouts.totalMilliseconds,
    },
    onDone: signal => void done.add(signal),
    onImage: (signal, url) => {
      const found = images.get(signal) ?? new Set<string>()
      if (found.size < limits.messageFiles) images.set(signal, found.add(url))
    },
  })

  /** Opened models by their fallbacks, because opening one takes half a millisecond. */
  const opened = new Map<string, Promise<LanguageModelV4>>()
  const open = (used: ReadonlySet<RequestFallback>): Promise<LanguageModelV4> => {
    const key = fallbackKey(used)
    const known = opened.get(key)
    if (known) return known
    // A copy: the request adds to its set when it is rejected again.
    const fallbacks = new Set(used)
    const transform: ChatModel['transform'] = body => applyFallbacks({ ...body, ...extraBody }, fallbacks)
    const chat = openChatModel({ endpoint, model, fetch, transform })
    opened.set(key, chat)
    return chat
  }

  return async (request, used, onText, signal) => {
    const chat = await open(used)
    const timer = progressTimer(timeouts, signal, () => failureOfEgress(endpoint, 'timed_out'))
    const abortSignal = timer.signal
    try {
      const { stream } = await chat.doStream({ ...toCallOptions(request, fallbackKey(used)), abortSignal })
      const answer = await readModelStream(stream, {
        onText,
        onProgress: () => timer.progress(onFirst),
        isDone: () => done.has(abortSignal),
        images: () => images.get(abortSignal) ?? new Set(),
      })
      abortSignal.throwIfAborted()
      if (!answer) throw failureOfStream(endpoint, undefined)
      return answer
    } catch (error) {
      throw abortSignal.aborted ? abortSignal.reason : failureOfStream(endpoint, error)
    } finally {
      timer.clear()
    }
  }
}

/** Any endpoint with OpenAI's chat completions API. It learns what the provider rejects, per workspace. */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { model, labels = endpointLabels(`Model "${model}"`, 'MODEL') } = options
  const { health = new EndpointHealth(options), contextLength, supports } = options
  const endpoint = endpointOf(labels, options)
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const { learned = new LearnedFallbacks(new LearnedValues(endpoint.timing.clock), '') } = options
  const stream = createStreamCall(options, endpoint, () => health.responds())
  return {
    name: model,
    generate: async (given, onText, signal) => {
      let hasWritten = false
      const onPiece: OnText = (piece, restarts) => {
        hasWritten = true
        onText(piece, restarts)
      }
      let request = contextLength === undefined ? given : trimHistory(given, contextLength)
      const used = new Set([...learned.of(request), ...missingFeatures(supports)])
      const maxPause = given.skipsPause ? 0 : timeouts.maxRetryAfterMilliseconds
      for (let isNew = false; ; ) {
        await health.waitOutPause(endpoint, maxPause, signal)
        try {
          const answer = await health.attempt(endpoint, () => stream(request, used, onPiece, signal))
          if (isNew) learned.add(request, used)
          return answer
        } catch (error) {
          // A rejection is free and comes before any text, so the changed request is still the same attempt.
          if (hasWritten) throw error
          const shorter = shortenedFor(error, request)
          const fallback = shorter ? undefined : fallbackFor(error, request, used)
          if (shorter) request = withOwnKey(shorter, shorter.messages.length)
          else if (fallback) {
            used.add(fallback)
            isNew = true
          } else throw error
        }
      }
    },
  }
}
