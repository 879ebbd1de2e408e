import type { CallData } from '../../../api/operations.ts'
import type { ServerEvent } from '../../../api/stream.ts'

type WireMessage = CallData<'POST /api/v1/conversation/retrieve'>['retrieve_data'][number]

export type DataType = WireMessage['data_type']
export type Rating = 'like' | 'dislike'

export interface ChatMessage {
  id: string
  type: DataType
  content: string
  fileIds: readonly string[]
  at: number
  rating?: Rating | undefined
  /** Values of input variables that are sent with the message. */
  inputs?: Readonly<Record<string, unknown>> | undefined
}

interface TurnFailure {
  reason: string
  message: string
  /** The server has stored the failed turn: sending again creates a new one. */
  isRecorded: boolean
}

/** A call of a tool. Visitors get neither its input nor its result. */
export interface ToolCall {
  call: string
  tool: string
  status: 'running' | 'done' | 'failed'
  input?: unknown
  result?: string | undefined
}

/** A user's message and all replies to it. */
export interface ChatTurn {
  /** Calls of tools so far; undefined if they are not known. */
  tools?: readonly ToolCall[] | undefined
  /** The reasoning of the model before the answer; undefined if it is not known. */
  reasoning?: { text: string; milliseconds: number | undefined } | undefined
  /** The annotation that gave the answer. */
  annotationId?: string | undefined
  /** Questions that the user may ask next. */
  suggestions?: readonly string[] | undefined
  /** How many turns have been at this place. */
  version?: number | undefined
  chatId: string
  runId: string | undefined
  /** Undefined if the page of messages starts in the middle of the turn. */
  userMessage: ChatMessage | undefined
  replies: readonly ChatMessage[]
  phase: 'sending' | 'answering' | 'ended' | 'failed'
  failure?: TurnFailure | undefined
  /** Whether the turn was stopped before the answer was complete. */
  isStopped?: boolean | undefined
  /** The turn that it replaces, with all turns after that one. */
  replaces?: string | undefined
  /** Set if the last reply is a question; empty if any answer is allowed. */
  options?: readonly string[] | undefined
}

interface UserMessage {
  message_id: string
  data_type: DataType
  content: string
  file_list: string[]
  timestamp: number
  rating?: Rating
}

const messageOf = (userMessage: UserMessage): ChatMessage => ({
  id: userMessage.message_id,
  type: userMessage.data_type,
  content: userMessage.content,
  fileIds: userMessage.file_list,
  at: userMessage.timestamp,
  ...(userMessage.rating && { rating: userMessage.rating }),
})

/** Groups messages of one page, oldest first, into turns. */
export function turnsOf(messages: readonly WireMessage[]): ChatTurn[] {
  const turns: ChatTurn[] = []
  for (const message of messages) {
    let turn = turns.at(-1)
    if (turn?.chatId !== message.chat_id) {
      turn = {
        chatId: message.chat_id,
        runId: message.run_id,
        userMessage: undefined,
        replies: [],
        phase: 'ended',
        ...(message.version !== undefined && { version: message.version }),
      }
      turns.push(turn)
    }
    if (message.role === 0) turn.userMessage = messageOf(message)
    else turn.replies = [...turn.replies, messageOf(message)]
    if (message.stopped) turn.isStopped = true
    Object.assign(turn, storedSteps(message))
  }
  return turns
}

/** Tools, reasoning and origin of an answer as the server stored them, with the first reply. */
function storedSteps({ tools, reasoning, reasoning_ms, suggestions, annotation_id }: WireMessage) {
  return {
    ...(tools && {
      tools: tools.map(({ arguments: input, ...call }, at) => ({ ...call, call: String(at), input })),
    }),
    ...(reasoning !== undefined && { reasoning: { text: reasoning, milliseconds: reasoning_ms } }),
    ...(suggestions && { suggestions }),
    ...(annotation_id !== undefined && { annotationId: annotation_id }),
  }
}

/** Prepends an older page; a turn that was split between pages is joined. */
export function withOlder(older: readonly ChatTurn[], turns: readonly ChatTurn[]): ChatTurn[] {
  const known = new Set(turns.flatMap(turn => messagesOf(turn).map(({ id }) => id)))
  const fresh = older.flatMap(turn => {
    const userMessage = turn.userMessage && !known.has(turn.userMessage.id) ? turn.userMessage : undefined
    const replies = turn.replies.filter(({ id }) => !known.has(id))
    return userMessage || replies.length > 0 ? [{ ...turn, userMessage, replies }] : []
  })
  const [first, ...rest] = turns
  const last = fresh.at(-1)
  if (!first || last?.chatId !== first.chatId) return [...fresh, ...turns]
  const whole = {
    ...{ ...last, ...first },
    userMessage: last.userMessage ?? first.userMessage,
    replies: [...last.replies, ...first.replies],
  }
  return [...fresh.slice(0, -1), whole, ...rest]
}

export const messagesOf = ({ userMessage, replies }: ChatTurn): ChatMessage[] => [
  ...(userMessage ? [userMessage] : []),
  ...replies,
]

/** Applies an event of its stream to a turn. */
export function afterEvent(turn: ChatTurn, { event, data }: ServerEvent): ChatTurn {
  const runId = typeof data['run_id'] === 'string' ? data['run_id'] : turn.runId
  const userMessage = (Array.isArray(data['feedback']) ? data['feedback'] : []) as UserMessage[]
  if (event === 'tool') return { ...turn, runId, tools: withTool(turn.tools ?? [], data) }
  if (event === 'suggestions') return { ...turn, suggestions: data['questions'] as string[] }
  if (event === 'end') return { ...ended(turn, data, userMessage), runId }
  const first = userMessage[0]
  if (!first) return { ...turn, runId }
  const replies =
    event === 'delta' ? withPiece(turn.replies, first, data['reset'] === true) : whole(turn, first)
  return { ...turn, runId, phase: 'answering', replies }
}

function withTool(tools: readonly ToolCall[], data: Readonly<Record<string, unknown>>): ToolCall[] {
  const { call, tool, status, arguments: input, result } = data as Record<string, string>
  const before = tools.find(each => each.call === call)
  const next = {
    ...before,
    ...{ call: call!, tool: tool!, status: status as ToolCall['status'] },
    ...(input !== undefined && { input }),
    ...(result !== undefined && { result }),
  }
  return before ? tools.map(each => (each === before ? next : each)) : [...tools, next]
}

function withPiece(replies: readonly ChatMessage[], piece: UserMessage, isReset: boolean): ChatMessage[] {
  const at = replies.findIndex(({ id }) => id === piece.message_id)
  const before = replies[at]
  if (!before) return [...replies, messageOf(piece)]
  return replies.with(at, { ...before, content: isReset ? piece.content : before.content + piece.content })
}

const whole = ({ replies }: ChatTurn, userMessage: UserMessage): ChatMessage[] => [
  ...replies.filter(({ id }) => id !== userMessage.message_id),
  messageOf(userMessage),
]

function ended(
  turn: ChatTurn,
  data: Readonly<Record<string, unknown>>,
  userMessage: UserMessage[],
): ChatTurn {
  const replies = userMessage.map(messageOf)
  if (data['code'] !== 0) {
    const failure = failureIn(data)
    return { ...turn, phase: 'failed', failure, replies: userMessage.length > 0 ? replies : turn.replies }
  }
  const options = data['waiting'] === true ? ((data['options'] ?? []) as string[]) : undefined
  return {
    ...turn,
    phase: 'ended',
    replies,
    options,
    isStopped: data['stopped'] === true,
    failure: undefined,
    ...(typeof data['annotation_id'] === 'string' && { annotationId: data['annotation_id'] }),
  }
}

/** The error of a failed response. It includes a reply if the turn was stored. */
export const failureIn = (data: Readonly<Record<string, unknown>>): TurnFailure => ({
  reason: String(data['reason'] ?? 'unknown'),
  message: String(data['msg'] ?? data['message'] ?? ''),
  isRecorded: Array.isArray(data['feedback']) && data['feedback'].length > 0,
})

/** Replies without the one that only repeats why the turn failed: that is shown as an error. */
export function repliesShown({ replies, failure }: ChatTurn): readonly ChatMessage[] {
  if (!failure?.isRecorded || failure.message === '') return replies
  return replies.at(-1)?.content.endsWith(failure.message) ? replies.slice(0, -1) : replies
}

export const isUnstored = ({ phase, failure }: ChatTurn): boolean =>
  phase === 'failed' && failure?.isRecorded === false

/** Whether the next message must bring the input variables: the first one, or one that was refused without them. */
export function needsInputs(turns: readonly ChatTurn[]): boolean {
  const last = turns.at(-1)
  const isRefused = last !== undefined && isUnstored(last) && /^inputs\./.test(last.failure?.message ?? '')
  // A turn with a run is stored, although the rest of its answer could not be received.
  return isRefused || turns.every(turn => isUnstored(turn) && turn.runId === undefined)
}
