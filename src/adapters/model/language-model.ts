import { validateHeaderValue } from 'node:http'
import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { limits } from '../../contract/limits.ts'
import { followSignal } from '../../kernel/follow-signal.ts'
import {
  type LanguageModel,
  type ModelAnswer,
  type ModelFeatures,
  type ModelRequest,
  type OnText,
  type TokenUsage,
  type ToolCall,
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
import {
  applyFallbacks,
  fallbackFor,
  fallbackKey,
  LearnedFallbacks,
  missingFeatures,
  type RequestFallback,
} from './request-fallbacks.ts'
import { shortenedFor } from './shorten-request.ts'
import { ThinkSplitter } from './think-splitter.ts'

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

/** Any endpoint with OpenAI's chat completions API. It learns what the provider rejects, per workspace. */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { egress, model, labels = endpointLabels(`Model "${model}"`, 'MODEL') } = options
  const { health = new EndpointHealth(options), extraBody, contextLength, supports } = options
  const endpoint = endpointOf(labels, options)
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  /** Signals of requests whose response ended with `[DONE]`: the library passes a signal to `fetch` unchanged. */
  const done = new WeakSet<AbortSignal>()
  /** The images of responses, by the signals of their requests; gateways repeat some in the last event. */
  const images = new WeakMap<AbortSignal, Set<string>>()
  const { learned = new LearnedFallbacks(new LearnedValues(endpoint.timing.clock), '') } = options
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

  async function stream(
    request: ModelRequest,
    used: ReadonlySet<RequestFallback>,
    onText: OnText,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    const chat = await open(used)
    const timer = progressTimer(timeouts, signal, () => failureOfEgress(endpoint, 'timed_out'))
    const abortSignal = timer.signal
    try {
      const { stream } = await chat.doStream({ ...toCallOptions(request, fallbackKey(used)), abortSignal })
      const answer = await readModelStream(stream, {
        onText,
        onProgress: () => timer.progress(() => health.responds()),
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

interface StreamHandlers {
  /** The model has written text, reasoning or part of a tool call. */
  onProgress(): void
  onText: OnText
  /** Whether the stream ended with `[DONE]`. */
  isDone(): boolean
  images(): ReadonlySet<string>
}

/** The library's error for a stream without a finish reason; some servers send none, and end properly. */
const isMissingReason = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AI_InvalidResponseDataError'

/** More than any model reads or writes in one call. */
const maxTokens = 1e9

/** Providers have been seen to send fractions and negative numbers. */
const tokens = (count: number | undefined): number =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0 ? Math.min(count, maxTokens) : 0

const toUsage = (usage: LanguageModelV4Usage | undefined): TokenUsage => ({
  promptTokens: tokens(usage?.inputTokens.total),
  completionTokens: tokens(usage?.outputTokens.total),
})

/** OpenAI's names, those of Mistral and Zhipu, and those of Gemini behind gateways. */
const cutReasons: readonly (readonly [names: RegExp, NonNullable<ModelAnswer['cutBy']>])[] = [
  [/^((model_)?length|max_tokens)$/i, 'length'],
  [
    /^(content_filter|sensitive|blocklist|spii|(image_)?(safety|recitation|prohibited_content))$/i,
    'content_filter',
  ],
]

/** The provider failed before the answer was complete; the last two are names of Zhipu and DeepSeek. */
const failureReasons = /^(error|network_error|insufficient_system_resource)$/i

const progressParts = new Set(['text-delta', 'reasoning-delta', 'tool-input-start', 'tool-input-delta'])

function toolCallOf(part: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>): ToolCall {
  const { toolCallId: id, toolName: name, input, providerMetadata = {} } = part
  const signature = Object.values(providerMetadata)[0]?.['thoughtSignature']
  return { id, name, arguments: input, ...(typeof signature === 'string' && { signature }) }
}

const isData = (url: string): boolean => url.startsWith('data:')

/** Markdown for images on other servers, which are not fetched. */
const linksIn = (images: ReadonlySet<string>, text: string): string =>
  [...images]
    .filter(url => /^https?:\/\/[^\s()<>"]+$/.test(url) && !text.includes(url))
    .map((url, at) => `${text === '' && at === 0 ? '' : '\n\n'}![](${url})`)
    .join('')

/** Forwards every piece of text at once. Undefined when the stream ended before the answer was complete. */
async function readModelStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { onProgress, onText, isDone, images }: StreamHandlers,
): Promise<ModelAnswer | undefined> {
  let text = ''
  let reasoning = ''
  const toolCalls: ToolCall[] = []
  let usage: LanguageModelV4Usage | undefined
  let reason: string | undefined
  const onReasoning = (piece: string): void => {
    reasoning += piece
  }
  const splitter = new ThinkSplitter((piece, restarts) => {
    text = restarts ? piece : text + piece
    onText(piece, restarts)
  }, onReasoning)
  // Iterating over the stream itself would take one more promise for every part.
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const part = next.value
      if (progressParts.has(part.type)) onProgress()
      if (part.type === 'text-delta') splitter.write(part.delta)
      else if (part.type === 'reasoning-delta') onReasoning(part.delta)
      else if (part.type === 'tool-call') toolCalls.push(toolCallOf(part))
      else if (part.type === 'finish') {
        usage = part.usage
        reason = part.finishReason.raw
      } else if (part.type === 'error' && !isMissingReason(part.error)) throw part.error
    }
    splitter.end()
    const links = linksIn(images(), text)
    text += links
    if (links !== '') onText(links, false)
  } finally {
    void reader.cancel().catch(() => {})
  }
  // A finish reason or `[DONE]` is enough, since servers omit either, but `[DONE]` alone is not an answer.
  const made = [...images()].filter(isData)
  const hasAnswer = text !== '' || toolCalls.length > 0 || made.length > 0
  const isComplete = reason === undefined ? isDone() && hasAnswer : !failureReasons.test(reason)
  if (!isComplete) return undefined
  const cutBy = cutReasons.find(([names]) => names.test(reason ?? ''))?.[1]
  return {
    text,
    toolCalls,
    usage: toUsage(usage),
    ...(made.length > 0 && { images: made }),
    ...(reasoning.trim() !== '' && { reasoning: reasoning.trim() }),
    ...(cutBy && { cutBy }),
  }
}
