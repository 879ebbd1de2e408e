import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { isRecord } from '../../kernel/is-record.ts'
import type { ModelMessage, ModelPart, ModelRequest, ToolCall } from '../../models/language-model.ts'
import { ModelFailure } from '../../models/model-failure.ts'

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

const toolCallPart = ({ id, name, arguments: given }: ToolCall) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: name,
  // A model may call a tool with empty arguments, but no server accepts them in the history.
  input: given.trim() === '' ? '{}' : given,
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
  return {
    role: 'assistant',
    content: [{ type: 'text', text: message.text.toWellFormed() }, ...message.toolCalls.map(toolCallPart)],
  }
}

/** A key that a header can carry; any other is left out, because the call works without it. */
const sendableKey = /^[\x21-\x7e]{1,255}$/

/** A request in the form of the provider library. */
export function toCallOptions(request: ModelRequest): LanguageModelV4CallOptions {
  const { messages, temperature, maxTokens, tools = [], jsonSchema, idempotencyKey = '' } = request
  return {
    prompt: messages.map(toMessage),
    temperature,
    maxOutputTokens: maxTokens,
    headers: sendableKey.test(idempotencyKey) ? { 'Idempotency-Key': idempotencyKey } : undefined,
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      inputSchema: parameters as JSONSchema7,
    })),
    toolChoice: { type: 'auto' },
    responseFormat: jsonSchema && { type: 'json', ...(jsonSchema as { name: string; schema: JSONSchema7 }) },
    providerOptions: jsonSchema && {
      openaiCompatible: { strictJsonSchema: isStrictSchema(jsonSchema.schema) },
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

type Body = Record<string, unknown>

/** A feature that not every provider supports, and how to send the request without it. */
export interface RequestFallback {
  /** The part of a request that it is about, if it is not sent with every request. */
  member?: keyof ModelRequest
  /** What the message of a rejection says. */
  pattern: RegExp
  apply(body: Body): Body
}

const schemaOf = (body: Body): unknown => {
  const format = body['response_format'] as { json_schema?: { schema?: unknown } } | undefined
  return format?.json_schema?.schema
}

/** The schema becomes part of the prompt where the provider does not accept it. */
function withSchemaInPrompt(body: Body, schema: unknown): Body {
  const instruction = `Answer with JSON only, without any text around it. It must be valid by this JSON Schema:\n${JSON.stringify(schema)}`
  const messages = body['messages'] as { role: string; content: unknown }[]
  const [first, ...rest] = messages
  if (first?.role === 'system' && typeof first.content === 'string')
    return { ...body, messages: [{ ...first, content: `${first.content}\n\n${instruction}` }, ...rest] }
  return { ...body, messages: [{ role: 'system', content: instruction }, ...messages] }
}

const without = (body: Body, member: string): Body => ({ ...body, [member]: undefined })

/** In the order in which they are tried, and applied. */
const fallbacks: readonly RequestFallback[] = [
  {
    member: 'jsonSchema',
    pattern: /response[_ ]?format|json[_ ]?schema|structured[_ ]?output/i,
    apply: body => {
      const schema = schemaOf(body)
      if (schema === undefined) return body
      return withSchemaInPrompt({ ...body, response_format: { type: 'json_object' } }, schema)
    },
  },
  {
    member: 'jsonSchema',
    pattern: /response[_ ]?format|json[_ ]?(object|mode)/i,
    apply: body => without(body, 'response_format'),
  },
  {
    member: 'maxTokens',
    pattern: /max_completion_tokens/,
    apply: body => ({ ...without(body, 'max_tokens'), max_completion_tokens: body['max_tokens'] }),
  },
  {
    member: 'temperature',
    pattern: /^(?=.*temperature)(?=.*(support|only the default))/is,
    apply: body => without(body, 'temperature'),
  },
  { pattern: /stream_options|include_usage/i, apply: body => without(body, 'stream_options') },
]

/** The fallback for this rejection; `undefined` when it is about something else. */
export function fallbackFor(
  error: unknown,
  request: ModelRequest,
  used: ReadonlySet<RequestFallback>,
): RequestFallback | undefined {
  if (!(error instanceof ModelFailure) || (error.status !== 400 && error.status !== 422)) return undefined
  return fallbacks.find(
    fallback =>
      !used.has(fallback) &&
      fallback.pattern.test(error.message) &&
      (!fallback.member || request[fallback.member] !== undefined),
  )
}

export const applyFallbacks = (body: Body, used: ReadonlySet<RequestFallback>): Body =>
  fallbacks.filter(each => used.has(each)).reduce((changed, each) => each.apply(changed), body)
