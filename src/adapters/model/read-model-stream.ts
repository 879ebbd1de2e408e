import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelAnswer, ToolCall } from '../../models/language-model.ts'
import type { TokenUsage } from '../../models/token-usage.ts'

interface StreamHandlers {
  /** The model has written text, reasoning or part of a tool call. */
  onProgress(): void
  onText(piece: string): void
  /** Converts an error of the stream. */
  failure(error: unknown): Error
  /** Whether the stream ended with `[DONE]`. */
  isDone(): boolean
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

/** Parts that show progress without text. */
const progressParts = new Set(['reasoning-delta', 'tool-input-start', 'tool-input-delta'])

class Collected {
  text = ''
  readonly toolCalls: ToolCall[] = []
  usage: LanguageModelV4Usage | undefined
  reason: string | undefined

  add(part: LanguageModelV4StreamPart, { onProgress, onText, failure }: StreamHandlers): void {
    if (part.type === 'text-delta') {
      onProgress()
      this.text += part.delta
      onText(part.delta)
    } else if (progressParts.has(part.type)) onProgress()
    else if (part.type === 'tool-call')
      this.toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input })
    else if (part.type === 'finish') {
      this.usage = part.usage
      this.reason = part.finishReason.raw
    } else if (part.type === 'error' && !isMissingReason(part.error)) throw failure(part.error)
  }

  /** A finish reason or `[DONE]` is enough, since servers omit either, but `[DONE]` alone is not an answer. */
  isComplete(isDone: boolean): boolean {
    if (this.reason === undefined) return isDone && (this.text !== '' || this.toolCalls.length > 0)
    return this.reason !== 'error'
  }
}

/** Forwards every piece of text at once. Fails with the reason of the signal when that is aborted. */
export async function readModelStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
  handlers: StreamHandlers,
): Promise<ModelAnswer> {
  const reader = stream.getReader()
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  const collected = new Collected()
  const next = async (): Promise<LanguageModelV4StreamPart | undefined> => {
    try {
      return (await reader.read()).value
    } catch (error) {
      throw handlers.failure(error)
    }
  }
  try {
    for (let part = await next(); part; part = await next()) collected.add(part, handlers)
    signal.throwIfAborted()
    if (!collected.isComplete(handlers.isDone())) throw handlers.failure(undefined)
  } finally {
    signal.removeEventListener('abort', stop)
    void reader.cancel().catch(() => {})
  }
  const { text, toolCalls, usage } = collected
  return { text, toolCalls, usage: toUsage(usage) }
}
