import { hash } from 'node:crypto'
import type { ModelFeatures, ModelParameters, ModelRequest } from '../../models/language-model.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { LearnedValues } from './learned-values.ts'
import { plainSchema } from './plain-schema.ts'

type Body = Record<string, unknown>

/** A feature that not every provider supports, and how to send the request without it. */
export interface RequestFallback {
  /** Whether the request uses the feature; if this is missing, every request does. */
  isIn?(request: ModelRequest): boolean
  /** A rejection counts only for this value: the provider may accept another schema, for example. */
  valueIn?(request: ModelRequest): unknown
  /** Matches the message of a rejection. */
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

const without = (body: Body, ...members: string[]): Body => ({
  ...body,
  ...Object.fromEntries(members.map(member => [member, undefined])),
})

const mapMessages = (body: Body, change: (message: Body) => Body): Body => ({
  ...body,
  messages: (body['messages'] as Body[]).map(change),
})

/** Matches a message that a parameter is not supported, but not that its value is wrong. */
const rejects = (name: string): RegExp =>
  new RegExp(
    `^(?=.*\\b${name}\\b)(?=.*(support|only the default|unknown|unrecogni[sz]ed|unexpected|extra|(not|n't) (allowed|permitted)|cannot))`,
    'is',
  )

/** A member of the request, and of the body, that is left out. */
const parameter = (member: keyof ModelParameters, name: string): RequestFallback => ({
  isIn: request => request[member] !== undefined,
  valueIn: request => request[member],
  pattern: rejects(name),
  apply: body => without(body, name),
})

const asksForJson: Pick<RequestFallback, 'isIn' | 'valueIn'> = {
  isIn: ({ jsonSchema }) => jsonSchema !== undefined,
  valueIn: ({ jsonSchema }) => jsonSchema,
}

/** The results of tools that were called before become part of the conversation. */
function withoutToolMessage({ tool_calls: calls, ...message }: Body): Body {
  if (message['role'] === 'tool')
    return { role: 'user', content: `Result of a tool:\n${String(message['content'])}` }
  return calls === undefined ? message : { ...message, content: message['content'] ?? '(called tools)' }
}

const unseen = { type: 'text', text: '(An image is attached that this model cannot see.)' }

function withoutImages({ content, ...message }: Body): Body {
  if (!Array.isArray(content)) return { ...message, content }
  const parts = content.map((part: Body) => (part['type'] === 'image_url' ? unseen : part))
  return { ...message, content: parts.map(part => String(part['text'])).join('\n\n') }
}

function withPlainSchemas(body: Body): Body {
  const tools = (body['tools'] as { function: Body }[] | undefined)?.map(tool => ({
    ...tool,
    function: { ...tool.function, parameters: plainSchema(tool.function['parameters']) },
  }))
  const format = body['response_format'] as { json_schema?: Body } | undefined
  if (!format?.json_schema) return { ...body, tools }
  const schema = plainSchema(format.json_schema['schema'])
  // Strict mode needs the closed objects that are gone now.
  return {
    ...body,
    tools,
    response_format: { ...format, json_schema: { ...format.json_schema, schema, strict: false } },
  }
}

const hasTools = ({ tools = [], messages }: ModelRequest): boolean =>
  tools.length > 0 || messages.some(message => message.role === 'tool')

/** Images that can be left out. */
const hasImages = ({ messages, requiresImages = false }: ModelRequest): boolean =>
  !requiresImages &&
  messages.some(message => message.role === 'user' && message.parts.some(part => part.type === 'image'))

const withoutTools: RequestFallback = {
  isIn: hasTools,
  pattern:
    /(not|n't) support[^.]*\b(tool|function)|\b(tool|function)[^.]*(not|n't) (be )?support|support tool use|tool-call-parser|auto-tool-choice/i,
  apply: body => mapMessages(without(body, 'tools', 'tool_choice'), withoutToolMessage),
}
const withoutVision: RequestFallback = {
  isIn: hasImages,
  pattern:
    /(not|n't) support[^.]*\b(image|vision)|\b(image|vision)[^.]*(not|n't) (be )?(support|enabled)|image_url is only supported|support image input|required for image input|not a multimodal|unknown variant .?image_url/i,
  apply: body => mapMessages(body, withoutImages),
}
const withoutJsonSchema: RequestFallback = {
  ...asksForJson,
  pattern: /response[_ ]?format|json[_ ]?schema|structured[_ ]?output/i,
  apply: body => {
    const schema = schemaOf(body)
    if (schema === undefined) return body
    return withSchemaInPrompt({ ...body, response_format: { type: 'json_object' } }, schema)
  },
}

const withoutReasoning: RequestFallback = {
  isIn: ({ messages }) => messages.some(message => message.role === 'assistant' && message.reasoning),
  // DeepSeek also names it when it is missing.
  pattern: /^(?!.*must be (passed|provided)).*reasoning_content/is,
  apply: body =>
    without(
      mapMessages(body, ({ reasoning_content: _, ...message }) => message),
      'reasoning_effort',
    ),
}

const isPlain = (message: Body | undefined): message is Body =>
  message?.['role'] === 'user' || (message?.['role'] === 'assistant' && message['tool_calls'] === undefined)

const partsOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [{ type: 'text', text: content }]

const joined = (one: unknown, other: unknown): unknown =>
  typeof one === 'string' && typeof other === 'string'
    ? `${one}\n\n${other}`
    : [...partsOf(one), ...partsOf(other)]

/** Templates of Gemma, Mistral and others accept only alternating questions and answers. */
function inTurns(body: Body): Body {
  const messages: Body[] = []
  for (const message of body['messages'] as Body[]) {
    const last = messages.at(-1)
    if (isPlain(last) && isPlain(message) && last['role'] === message['role'])
      messages[messages.length - 1] = { ...last, content: joined(last['content'], message['content']) }
    else if (message['role'] !== 'assistant' || (last && last['role'] !== 'system')) messages.push(message)
  }
  return { ...body, messages }
}

const alternating: RequestFallback = { pattern: /\balternat/i, apply: inTurns }

/** Fallbacks in the order in which they are tried and applied. */
const fallbacks: readonly RequestFallback[] = [
  {
    isIn: request => hasTools(request) || request.jsonSchema !== undefined,
    pattern: /additional_?properties|\$ref|\$defs|\$schema|unknown name|invalid schema/i,
    apply: withPlainSchemas,
  },
  withoutJsonSchema,
  {
    ...asksForJson,
    pattern: /response[_ ]?format|json[_ ]?(object|mode)/i,
    apply: body => without(body, 'response_format'),
  },
  {
    isIn: ({ maxTokens }) => maxTokens !== undefined,
    valueIn: ({ maxTokens }) => maxTokens,
    pattern: /max_completion_tokens/,
    apply: body => ({ ...without(body, 'max_tokens'), max_completion_tokens: body['max_tokens'] }),
  },
  parameter('temperature', 'temperature'),
  parameter('topP', 'top_p'),
  parameter('frequencyPenalty', 'frequency_penalty'),
  parameter('presencePenalty', 'presence_penalty'),
  parameter('stop', 'stop'),
  parameter('seed', 'seed'),
  parameter('reasoningEffort', 'reasoning_effort'),
  { pattern: /stream_options|include_usage/i, apply: body => without(body, 'stream_options') },
  withoutReasoning,
  withoutVision,
  withoutTools,
  alternating,
  // Zhipu and others reject a format that they do not know without naming it.
  {
    ...asksForJson,
    pattern: /param|argument|参数/i,
    apply: withoutJsonSchema.apply,
  },
]

/** The fallbacks for features that a model lacks according to its settings. */
export function missingFeatures({ tools, vision, json_schema, reasoning }: ModelFeatures = {}) {
  const missing: RequestFallback[] = []
  if (tools === false) missing.push(withoutTools)
  if (vision === false) missing.push(withoutVision)
  if (json_schema === false) missing.push(withoutJsonSchema)
  if (reasoning === false) missing.push(withoutReasoning)
  return missing
}

/** OpenRouter reports with 404 that no provider of a model supports a feature. */
const rejections = new Set([400, 404, 422])

/** The fallback for this rejection; `undefined` when it is about something else. */
export function fallbackFor(
  error: unknown,
  request: ModelRequest,
  used: ReadonlySet<RequestFallback>,
): RequestFallback | undefined {
  if (!(error instanceof ModelFailure)) return undefined
  const { status = 0, detail } = error
  // llama.cpp reports errors of a template with 500.
  if (!rejections.has(status) && !(status === 500 && alternating.pattern.test(detail))) return undefined
  return fallbacks.find(
    fallback => !used.has(fallback) && fallback.pattern.test(detail) && appliesTo(fallback, request),
  )
}

export const applyFallbacks = (body: Body, used: ReadonlySet<RequestFallback>): Body =>
  fallbacks.filter(each => used.has(each)).reduce((changed, each) => each.apply(changed), body)

/** A key that is equal for equal sets of fallbacks. */
export const fallbackKey = (used: ReadonlySet<RequestFallback>): string =>
  fallbacks.map(each => (used.has(each) ? 1 : 0)).join('')

const appliesTo = ({ isIn }: RequestFallback, request: ModelRequest): boolean => isIn?.(request) ?? true

const keyOf = (fallback: RequestFallback, request: ModelRequest): string => {
  const value = fallback.valueIn?.(request) ?? null
  return `${fallbacks.indexOf(fallback)} ${hash('sha256', JSON.stringify(value))}`
}

/** The fallbacks that requests to a model needed to succeed. After a while, requests are tried without them again. */
export class LearnedFallbacks {
  readonly #values: LearnedValues<true>
  readonly #model: string

  /** `model` is the key of the model in the values. */
  constructor(values: LearnedValues<true>, model: string) {
    this.#values = values
    this.#model = model
  }

  of(request: ModelRequest): Set<RequestFallback> {
    return new Set(
      fallbacks.filter(each => appliesTo(each, request) && this.#values.get(this.#key(each, request))),
    )
  }

  /** Records that a request succeeded with these fallbacks, which were not all known before. */
  add(request: ModelRequest, used: ReadonlySet<RequestFallback>): void {
    for (const fallback of used) this.#values.set(this.#key(fallback, request), true)
  }

  #key(fallback: RequestFallback, request: ModelRequest): string {
    return `${this.#model} ${keyOf(fallback, request)}`
  }
}
