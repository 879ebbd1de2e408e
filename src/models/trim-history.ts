import { countTokens } from '../kernel/count-tokens.ts'
import type { ModelMessage, ModelRequest } from './language-model.ts'

/** Roughly the number of tokens that providers count for an image. */
const imageTokens = 1000
/** Tokens for the role and separators of a message. */
const messageTokens = 4
/** Room for the answer where a request sets no limit. */
const maxAnswerTokens = 1024

function tokensOf(message: ModelMessage): number {
  if (message.role === 'user')
    return message.parts.reduce(
      (sum, part) => sum + (part.type === 'text' ? countTokens(part.text) : imageTokens),
      messageTokens,
    )
  const calls = message.role === 'assistant' ? message.toolCalls : []
  return calls.reduce(
    (sum, call) => sum + countTokens(call.arguments),
    messageTokens + countTokens(message.text),
  )
}

/** An estimate of the tokens of a prompt, for calls whose provider did not report them. */
export const promptTokensOf = ({ messages, tools = [] }: ModelRequest): number =>
  messages.reduce((sum, message) => sum + tokensOf(message), countTokens(JSON.stringify(tools)))

/** The place of the last message of the user; a message right after the result of a tool holds images of that tool. */
export const lastQuestion = (messages: readonly ModelMessage[]): number =>
  messages.findLastIndex(({ role }, at) => role === 'user' && messages[at - 1]?.role !== 'tool')

/** Without the oldest turns. System messages and everything from the last user message on stay, even if too long. */
export function trimHistory<Request extends ModelRequest>(request: Request, contextLength: number): Request {
  const { messages, tools = [], maxTokens = Math.min(maxAnswerTokens, contextLength / 4) } = request
  const last = lastQuestion(messages)
  const sizes = messages.map(tokensOf)
  let excess =
    sizes.reduce((sum, size) => sum + size, maxTokens + countTokens(JSON.stringify(tools))) - contextLength
  if (excess <= 0) return request
  const dropped = new Set<number>()
  for (const [at, message] of messages.entries()) {
    // The history must begin with a message of the user: some providers reject one that begins with the assistant.
    if (at >= last || (excess <= 0 && message.role === 'user')) break
    if (message.role === 'system') continue
    dropped.add(at)
    excess -= sizes[at]!
  }
  return { ...request, messages: messages.filter((_, at) => !dropped.has(at)) }
}
