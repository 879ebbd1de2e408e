import type { ModelRequest } from '../../models/language-model.ts'
import { ModelFailure } from '../../models/model-failure.ts'

type Body = Record<string, unknown>

/** Something in a request that not every provider takes, and how to go without it. */
export interface Concession {
  readonly name: string
  /** Whether a refusal in these words is about it. */
  isMeant(words: string, request: ModelRequest): boolean
  apply(body: Body): Body
}

const schemaOf = (body: Body): unknown => {
  const format = body['response_format'] as { json_schema?: { schema?: unknown } } | undefined
  return format?.json_schema?.schema
}

/** The model is told in words what the provider could not be told. */
function withSchemaInWords(body: Body, schema: unknown): Body {
  const words = `Answer with JSON only, without any text around it. It must be valid by this JSON Schema:\n${JSON.stringify(schema)}`
  const messages = body['messages'] as { role: string; content: unknown }[]
  const [first, ...rest] = messages
  if (first?.role === 'system' && typeof first.content === 'string')
    return { ...body, messages: [{ ...first, content: `${first.content}\n\n${words}` }, ...rest] }
  return { ...body, messages: [{ role: 'system', content: words }, ...messages] }
}

const without = (body: Body, member: string): Body => ({ ...body, [member]: undefined })

/** In the order in which they are tried, and applied. */
const concessions: readonly Concession[] = [
  {
    name: 'json_object in place of json_schema',
    isMeant: (words, { jsonSchema }) =>
      jsonSchema !== undefined && /response[_ ]?format|json[_ ]?schema|structured[_ ]?output/i.test(words),
    apply: body => {
      const schema = schemaOf(body)
      if (schema === undefined) return body
      return withSchemaInWords({ ...body, response_format: { type: 'json_object' } }, schema)
    },
  },
  {
    name: 'no response_format',
    isMeant: (words, { jsonSchema }) =>
      jsonSchema !== undefined && /response[_ ]?format|json[_ ]?(object|mode)/i.test(words),
    apply: body => without(body, 'response_format'),
  },
  {
    name: 'max_completion_tokens in place of max_tokens',
    isMeant: (words, { maxTokens }) => maxTokens !== undefined && /max_completion_tokens/.test(words),
    apply: body => ({ ...without(body, 'max_tokens'), max_completion_tokens: body['max_tokens'] }),
  },
  {
    name: 'no temperature',
    isMeant: (words, { temperature }) =>
      temperature !== undefined && /temperature/i.test(words) && /support|only the default/i.test(words),
    apply: body => without(body, 'temperature'),
  },
  {
    name: 'no stream_options',
    isMeant: words => /stream_options|include_usage/i.test(words),
    apply: body => without(body, 'stream_options'),
  },
]

/** What to go without after this failure; `undefined` when that is not what the provider minds. */
export function concessionFor(
  error: unknown,
  request: ModelRequest,
  made: ReadonlySet<Concession>,
): Concession | undefined {
  if (!(error instanceof ModelFailure) || (error.status !== 400 && error.status !== 422)) return undefined
  return concessions.find(each => !made.has(each) && each.isMeant(error.message, request))
}

export const applyConcessions = (body: Body, made: ReadonlySet<Concession>): Body =>
  concessions.filter(each => made.has(each)).reduce((changed, each) => each.apply(changed), body)
