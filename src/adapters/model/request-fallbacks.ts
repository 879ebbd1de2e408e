import { hash } from 'node:crypto'
import type { ModelRequest } from '../../models/language-model.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { LearnedValues } from './learned-values.ts'

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
    fallback => !used.has(fallback) && fallback.pattern.test(error.message) && appliesTo(fallback, request),
  )
}

export const applyFallbacks = (body: Body, used: ReadonlySet<RequestFallback>): Body =>
  fallbacks.filter(each => used.has(each)).reduce((changed, each) => each.apply(changed), body)

/** The same for the same fallbacks. */
export const fallbackKey = (used: ReadonlySet<RequestFallback>): string =>
  fallbacks.map(each => (used.has(each) ? 1 : 0)).join('')

const appliesTo = ({ member }: RequestFallback, request: ModelRequest): boolean =>
  member === undefined || request[member] !== undefined

/** For the same value only: the provider may have rejected an invalid schema, and would accept another one. */
const keyOf = (fallback: RequestFallback, request: ModelRequest): string => {
  const value = fallback.member === undefined ? null : request[fallback.member]
  return `${fallbacks.indexOf(fallback)} ${hash('sha256', JSON.stringify(value))}`
}

/** The fallbacks that requests to a model needed to succeed. They are tried without again after a while. */
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

  /** The request has succeeded with these, which were not all known before. */
  add(request: ModelRequest, used: ReadonlySet<RequestFallback>): void {
    for (const fallback of used) this.#values.set(this.#key(fallback, request), true)
  }

  #key(fallback: RequestFallback, request: ModelRequest): string {
    return `${this.#model} ${keyOf(fallback, request)}`
  }
}
