import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelAnswer, TokenUsage, ToolCall } from '../../models/language-model.ts'

interface StreamHandlers {
  /** The model has written text, reasoning or part of a tool call. */
  onProgress(): void
  onText(piece: string): void
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

const progressParts = new Set(['text-delta', 'reasoning-delta', 'tool-input-start', 'tool-input-delta'])

/** Forwards every piece of text at once. Undefined when the stream ended before the answer was complete. */
export async function readModelStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { onProgress, onText, isDone }: StreamHandlers,
): Promise<ModelAnswer | undefined> {
  let text = ''
  const toolCalls: ToolCall[] = []
  let usage: LanguageModelV4Usage | undefined
  let reason: string | undefined
  // Iterating over the stream itself would take one more promise for every part.
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const part = next.value
      if (progressParts.has(part.type)) onProgress()
      if (part.type === 'text-delta') {
        text += part.delta
        onText(part.delta)
      } else if (part.type === 'tool-call')
        toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input })
      else if (part.type === 'finish') {
        usage = part.usage
        reason = part.finishReason.raw
      } else if (part.type === 'error' && !isMissingReason(part.error)) throw part.error
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
  // A finish reason or `[DONE]` is enough, since servers omit either, but `[DONE]` alone is not an answer.
  const isComplete =
    reason === undefined ? isDone() && (text !== '' || toolCalls.length > 0) : reason !== 'error'
  return isComplete ? { text, toolCalls, usage: toUsage(usage) } : undefined
}
