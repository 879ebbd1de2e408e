import { fillSchema } from './fill-schema.ts'

/** The response of the provider to one chat call. Omitted fields mean a normal response. */
export interface ChatPlan {
  /** The whole answer; cut into pieces of four characters unless `pieces` is given. */
  text?: string
  pieces?: string[]
  /** Milliseconds before every piece but the first. */
  pieceDelay?: number
  /** Awaited before every piece, so that a test decides when the provider continues. */
  beforePiece?: (index: number) => Promise<unknown> | undefined
  /** Sent before the text, in the reasoning field. */
  reasoning?: string
  /** Sent in place of text. Arguments that are not a string are sent as JSON, in pieces of three characters. */
  toolCalls?: { id?: string; name: string; arguments: unknown; extra_content?: object }[]
  usage?: { prompt_tokens: number; completion_tokens: number } | null
  /** `null` sends none. */
  finishReason?: string | null

  /** A response that contains an error object. */
  status?: number
  headers?: Record<string, string>
  message?: string
  code?: string | number
  /** The body of a response with a status, in place of an error object. */
  errorBody?: unknown
  /** The events of the stream, in place of all others; a string is sent as it is. */
  events?: readonly unknown[]
  /** Accepts the request and never responds. */
  hang?: boolean
  /** Closes the connection without a response. */
  drop?: boolean
  /** Stalls after that many pieces. */
  hangAfter?: number
  /** Sends everything but never ends the response. */
  neverClose?: boolean
  /** Closes the connection after that many pieces. */
  cutAfter?: number
  /** Closes the connection in the middle of the JSON of that piece. */
  cutInPiece?: number
  /** Ends the response properly in the middle of the JSON of that piece. */
  endInPiece?: number
  /** Splits the stream at these bytes; `every` sends each byte separately. */
  splitAt?: number[] | 'every'
  withoutDone?: boolean
  lineEnd?: '\n' | '\r\n' | '\r'
  byteOrderMark?: boolean
  /** A comment and an empty event before every piece, as gateways send to keep a connection open. */
  keepAlives?: boolean
  /** Events without choices among the pieces. */
  emptyChoices?: boolean
  /** Sends the event of that piece twice. */
  duplicatePiece?: number
  /** This many bytes in one line without an end, after the first piece. */
  hugeLine?: number
  /** A line that is not JSON after the first piece. */
  garbageLine?: boolean
  html?: boolean
  /** The response is a single JSON object although a stream was requested. */
  withoutStream?: boolean
  errorIn200?: string
  /** In place of the piece after that many. */
  errorInStream?: { after: number; message: string; code?: string | number }
}

export interface ChatBody {
  model: string
  messages: { role: string; content: unknown; [member: string]: unknown }[]
  stream?: boolean
  tools?: { type: string; function: { name: string; description?: string; parameters: object } }[]
  tool_choice?: unknown
  response_format?: {
    type: string
    json_schema?: { name: string; strict?: boolean; schema: Record<string, unknown> }
  }
  [member: string]: unknown
}

/** The text of a message; `[image]` represents every image. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? (content as { text?: string; type?: string }[]) : []
  return parts.map(part => part.text ?? (part.type === 'image_url' ? '[image]' : '')).join(' ')
}

export const lastUserText = ({ messages }: ChatBody): string =>
  textOfContent(messages.findLast(message => message.role === 'user')?.content)

export const allText = ({ messages }: ChatBody): string =>
  messages.map(message => textOfContent(message.content)).join('\n')

interface Answer {
  text: string
  toolCalls: { id: string; name: string; arguments: string; extra_content?: object }[]
  usage: object | null
  finishReason: string | null
}

function forcedCall(body: ChatBody): ChatPlan['toolCalls'] {
  const { tool_choice: choice, tools } = body
  const tool = tools?.[0]?.function
  if (!tool || choice === undefined || choice === 'auto' || choice === 'none') return undefined
  return [
    {
      name: tool.name,
      arguments: fillSchema(tool.parameters as Record<string, unknown>, lastUserText(body)),
    },
  ]
}

function textFor(body: ChatBody): string {
  const format = body.response_format
  if (format?.json_schema) return JSON.stringify(fillSchema(format.json_schema.schema, lastUserText(body)))
  return format?.type === 'json_object' ? '{}' : `echo: ${lastUserText(body)}`
}

function answerFor(body: ChatBody, plan: ChatPlan): Answer {
  const calls =
    plan.toolCalls ?? (plan.text === undefined && !plan.pieces ? forcedCall(body) : undefined) ?? []
  const text = plan.pieces?.join('') ?? plan.text ?? (calls.length > 0 ? '' : textFor(body))
  const tokens = (length: number): number => Math.ceil(length / 4)
  const usage =
    plan.usage === undefined
      ? { prompt_tokens: tokens(allText(body).length), completion_tokens: tokens(text.length) }
      : plan.usage
  return {
    text,
    usage,
    toolCalls: calls.map(({ id, name, arguments: given, extra_content }, index) => ({
      ...(extra_content && { extra_content }),
      id: id ?? `call_${index + 1}`,
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    finishReason:
      plan.finishReason === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : plan.finishReason,
  }
}

/** The response as a single object, for requests without streaming. */
export function wholeAnswer(body: ChatBody, plan: ChatPlan): object {
  const { text, toolCalls, usage, finishReason } = answerFor(body, plan)
  const calls = toolCalls.map(({ id, ...call }) => ({ id, type: 'function', function: call }))
  const message = {
    role: 'assistant',
    content: calls.length > 0 && !text ? null : text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: body.model,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage,
  }
}

/** Part of a stream; those with a piece of the text are numbered. */
export interface Frame {
  text: string
  piece?: number
}

function deltas(answer: Answer, plan: ChatPlan): { delta: object; piece?: number }[] {
  const found: { delta: object; piece?: number }[] = [{ delta: { role: 'assistant', content: '' } }]
  if (plan.reasoning !== undefined) found.push({ delta: { reasoning_content: plan.reasoning } })
  const pieces = plan.pieces ?? answer.text.match(/[\s\S]{1,4}/gu) ?? []
  for (const [piece, content] of pieces.entries()) found.push({ delta: { content }, piece })
  for (const [index, call] of answer.toolCalls.entries()) {
    const named = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
    found.push({ delta: { tool_calls: [{ ...named, extra_content: call.extra_content }] } })
    for (const part of call.arguments.match(/[\s\S]{1,3}/gu) ?? [])
      found.push({ delta: { tool_calls: [{ index, function: { arguments: part } }] } })
  }
  return found
}

function disturbance(plan: ChatPlan, piece: number): string[] {
  const found: string[] = []
  if (plan.keepAlives) found.push(': keep-alive\n\n: keep-alive\n\n')
  if (plan.emptyChoices) found.push('data: {"id":"c","object":"chat.completion.chunk","choices":[]}\n\n')
  if (plan.garbageLine && piece === 1) found.push('data: {"choices":[{"delta":\n\n')
  if (plan.hugeLine && piece === 1) found.push(`data: {"x":"${'x'.repeat(plan.hugeLine)}`)
  if (plan.errorInStream?.after === piece) {
    const { message, code = null } = plan.errorInStream
    found.push(`data: ${JSON.stringify({ error: { message, type: 'server_error', code } })}\n\n`)
  }
  return found
}

/** The events of a stream, in order. */
export function streamFrames(body: ChatBody, plan: ChatPlan): Frame[] {
  if (plan.events)
    return plan.events.map(event => ({
      text: typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`,
    }))
  const answer = answerFor(body, plan)
  const event = (rest: object): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: body.model, ...rest })}\n\n`
  const choice = (delta: object, reason: string | null = null): string =>
    event({ choices: [{ index: 0, delta, finish_reason: reason }] })
  const frames: Frame[] = plan.byteOrderMark ? [{ text: '\ufeff' }] : []
  for (const { delta, piece } of deltas(answer, plan)) {
    const text = choice(delta)
    if (piece === undefined) {
      frames.push({ text })
      continue
    }
    frames.push(...disturbance(plan, piece).map(each => ({ text: each })), { text, piece })
    if (plan.duplicatePiece === piece) frames.push({ text })
    if (plan.errorInStream && plan.errorInStream.after === piece) return frames.slice(0, -1)
  }
  if (answer.finishReason !== null) frames.push({ text: choice({}, answer.finishReason) })
  if (answer.usage) frames.push({ text: event({ choices: [], usage: answer.usage }) })
  if (!plan.withoutDone) frames.push({ text: 'data: [DONE]\n\n' })
  const lineEnd = plan.lineEnd ?? '\n'
  return frames.map(frame => ({ ...frame, text: frame.text.replaceAll('\n', lineEnd) }))
}
