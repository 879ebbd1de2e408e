import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelAnswer, OnText, TokenUsage, ToolCall } from '../../models/language-model.ts'
import { ThinkSplitter } from './think-splitter.ts'

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
export async function readModelStream(
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
