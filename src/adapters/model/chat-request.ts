import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { isRecord } from '../../kernel/is-record.ts'
import type { ModelMessage, ModelPart, ModelRequest, ToolCall } from '../../models/language-model.ts'

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content']

function userContent(parts: readonly ModelPart[]): UserContent {
  const texts = parts.filter(part => part.type === 'text')
  // Many servers accept a list of parts only where there is an image.
  if (texts.length === parts.length)
    return [{ type: 'text', text: texts.map(part => part.text.toWellFormed()).join('\n\n') }]
  return parts.map(part =>
    part.type === 'text'
      ? { type: 'text', text: part.text.toWellFormed() }
      : { type: 'file', mediaType: part.mimeType, data: { type: 'data', data: part.bytes } },
  )
}

const toolCallPart = ({ id, name, arguments: given, signature }: ToolCall) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: name,
  // A model may call a tool with empty arguments, but no server accepts them in the history.
  input: given.trim() === '' ? '{}' : given,
  ...(signature !== undefined && { providerOptions: { google: { thoughtSignature: signature } } }),
})

/** Texts are made well-formed: strict servers reject half of a surrogate pair. */
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
  const { text, reasoning = '', toolCalls } = message
  return {
    role: 'assistant',
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning.toWellFormed() } as const]),
      { type: 'text', text: text.toWellFormed() },
      ...toolCalls.map(toolCallPart),
    ],
  }
}

/** A key that a header can carry; any other is left out, because the call works without it. */
const sendableKey = /^[\x21-\x7e]{1,255}$/

/** `variant` tells bodies apart: a provider rejects an idempotency key that returns with another one. */
export function toCallOptions(request: ModelRequest, variant: string): LanguageModelV4CallOptions {
  const { messages, tools = [], jsonSchema } = request
  const idempotencyKey = variant.includes('1')
    ? `${request.idempotencyKey ?? ''}.${variant}`
    : request.idempotencyKey
  return {
    prompt: messages.map(toMessage),
    temperature: request.temperature,
    maxOutputTokens: request.maxTokens,
    topP: request.topP,
    frequencyPenalty: request.frequencyPenalty,
    presencePenalty: request.presencePenalty,
    stopSequences: request.stop && [...request.stop],
    seed: request.seed,
    headers:
      idempotencyKey !== undefined && sendableKey.test(idempotencyKey)
        ? { 'Idempotency-Key': idempotencyKey }
        : undefined,
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      inputSchema: parameters as JSONSchema7,
    })),
    toolChoice: { type: 'auto' },
    responseFormat: jsonSchema && { type: 'json', ...(jsonSchema as { name: string; schema: JSONSchema7 }) },
    providerOptions: {
      openaiCompatible: {
        ...(jsonSchema && { strictJsonSchema: isStrictSchema(jsonSchema.schema) }),
        ...(request.reasoningEffort !== undefined && { reasoningEffort: request.reasoningEffort }),
      },
    },
  }
}

function isClosedObject(schema: Record<string, unknown>): boolean {
  const { properties, required, additionalProperties } = schema
  if (properties === undefined && schema['type'] !== 'object') return true
  const names = isRecord(properties) ? Object.keys(properties) : []
  return (
    additionalProperties === false &&
    (names.length === 0 || (Array.isArray(required) && names.every(name => required.includes(name))))
  )
}

/** Strict mode rejects a schema whose objects are open or have optional members. */
function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema)
  if (!isRecord(schema)) return true
  return isClosedObject(schema) && Object.values(schema).every(isStrictSchema)
}
