import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelAnswer, ToolCall } from '../../models/language-model.ts'
import type { TokenUsage } from '../../models/token-usage.ts'

interface Listener {
  /** The model has begun to write or to think. */
  onProgress(): unknown
  onText(piece: string): void
  /** What broke the stream, as a failure in our words. */
  failure(error: unknown): Error
  /** Whether the stream said that it is whole. */
  isWhole(): boolean
}

/** What the library says when a stream ends without a reason; some servers send none, and end properly. */
const isMissingReason = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AI_InvalidResponseDataError'

/** More than any model reads or writes in one call. */
const mostTokens = 1e9

/** A provider may count in halves, or backwards. */
const tokens = (count: number | undefined): number =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0 ? Math.min(count, mostTokens) : 0

const toUsage = (usage: LanguageModelV4Usage | undefined): TokenUsage => ({
  promptTokens: tokens(usage?.inputTokens.total),
  completionTokens: tokens(usage?.outputTokens.total),
})

/** Signs of life that are not text. */
const progressing = new Set(['reasoning-delta', 'tool-input-start', 'tool-input-delta'])

class Collected {
  text = ''
  readonly toolCalls: ToolCall[] = []
  usage: LanguageModelV4Usage | undefined
  reason: string | undefined
}

function take(part: LanguageModelV4StreamPart, collected: Collected, listener: Listener): void {
  if (part.type === 'text-delta') {
    listener.onProgress()
    collected.text += part.delta
    listener.onText(part.delta)
  } else if (progressing.has(part.type)) listener.onProgress()
  else if (part.type === 'tool-call')
    collected.toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input })
  else if (part.type === 'finish') {
    collected.usage = part.usage
    collected.reason = part.finishReason.raw
  } else if (part.type === 'error' && !isMissingReason(part.error)) throw listener.failure(part.error)
}

/** A reason or `[DONE]` will do, since servers forget the one or the other, but `[DONE]` alone is no answer. */
function isAnswer({ reason, text, toolCalls }: Collected, isWhole: boolean): boolean {
  if (reason === undefined) return isWhole && (text !== '' || toolCalls.length > 0)
  return reason !== 'error'
}

/** Hands every piece on in the turn in which it comes. Ends with the reason of the signal when that is aborted. */
export async function readModelStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
  listener: Listener,
): Promise<ModelAnswer> {
  const reader = stream.getReader()
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  const collected = new Collected()
  const next = async (): Promise<LanguageModelV4StreamPart | undefined> => {
    try {
      return (await reader.read()).value
    } catch (error) {
      throw listener.failure(error)
    }
  }
  try {
    for (let part = await next(); part; part = await next()) take(part, collected, listener)
    signal.throwIfAborted()
    if (!isAnswer(collected, listener.isWhole())) throw listener.failure(undefined)
  } finally {
    signal.removeEventListener('abort', stop)
    void reader.cancel().catch(() => {})
  }
  const { text, toolCalls, usage } = collected
  return { text, toolCalls, usage: toUsage(usage) }
}
