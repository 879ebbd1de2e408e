import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ModelMessage, ModelPart, ToolCall } from '../../models/language-model.ts'

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content']

function userContent(parts: readonly ModelPart[]): UserContent {
  const texts = parts.filter(part => part.type === 'text')
  // Many servers know text as a string only, and lists only where there is an image.
  if (texts.length === parts.length)
    return [{ type: 'text', text: texts.map(part => part.text.toWellFormed()).join('\n\n') }]
  return parts.map(part =>
    part.type === 'text'
      ? { type: 'text', text: part.text.toWellFormed() }
      : { type: 'file', mediaType: part.mimeType, data: { type: 'data', data: part.bytes } },
  )
}

const toolCallPart = ({ id, name, arguments: given }: ToolCall) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: name,
  // A model that calls without arguments may write nothing, but no server takes nothing back.
  input: given.trim() === '' ? '{}' : given,
})

function toMessage(message: ModelMessage): LanguageModelV4Message {
  if (message.role === 'system') return { role: 'system', content: message.text.toWellFormed() }
  if (message.role === 'user') return { role: 'user', content: userContent(message.parts) }
  if (message.role === 'tool') {
    const output = { type: 'text' as const, value: message.text.toWellFormed() }
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: message.callId, toolName: message.name, output }],
    }
  }
  return {
    role: 'assistant',
    content: [{ type: 'text', text: message.text.toWellFormed() }, ...message.toolCalls.map(toolCallPart)],
  }
}

/** Messages in the form of the provider library. Half characters are mended: strict servers refuse them. */
export const toPrompt = (messages: readonly ModelMessage[]): LanguageModelV4Prompt => messages.map(toMessage)
