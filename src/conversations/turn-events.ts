import type { RunEvent, RunEventFields } from '../workflow/run/run-event.ts'
import type { TokenUsage } from '../workflow/step.ts'
import type { Message, NewMessage, TurnError } from './conversation.ts'

/** The whole answer to a turn. Requested again, it is the same. */
export interface TurnAnswer {
  conversationId: string
  chatId: string
  runId: string
  /** Id of the user's message. */
  messageId: string
  replies: readonly Message[]
  error: TurnError | undefined
  /** The annotation that gave the answer. */
  annotationId?: string | undefined
  /** Set when the last reply is a question that the next turn answers. */
  waiting: { options: readonly string[] } | undefined
  /** Whether it was stopped before its answer was complete. */
  isStopped: boolean
}

/** The events of a streamed turn. Their ids increase. */
export type TurnEvent =
  /** A part of a text; with `reset`, the text of this message so far is discarded. */
  | { id: number; event: 'delta'; messageId: string; text: string; reset: boolean; at: number }
  /** A complete message that is not a text. */
  | { id: number; event: 'message'; message: NewMessage }
  | { id: number; event: 'run'; run: RunEvent }
  | { id: number; event: 'end'; answer: TurnAnswer }

/** The events of a run after one of these belong to the next turn. */
export const endsTurn = ({ event }: RunEvent): boolean => event === 'run.finished' || event === 'run.waiting'

/** What the run has used up to an event that ends a turn. */
export function usageAt(event: RunEvent): TokenUsage | undefined {
  const usage =
    event.event === 'run.finished' || event.event === 'run.waiting' ? event.fields.usage : undefined
  return usage && { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens }
}

/**
 * Maps the events of a run to those of a turn. `isFromStart`: the client has seen nothing of this turn yet. `withRun`
 * adds the other events of the run, except its texts.
 */
export function turnEventMapper(
  isFromStart: boolean,
  withRun: boolean,
): (event: RunEvent) => TurnEvent | undefined {
  /** Messages of which deltas were emitted. */
  const streamed = new Set<string>()

  function mapDelta(id: number, at: number, fields: RunEventFields['node.delta']): TurnEvent | undefined {
    const { message_id: messageId, text, reset = false } = fields
    if (messageId === undefined || (text === '' && !reset)) return undefined
    streamed.add(messageId)
    return { id, event: 'delta', messageId, text, reset, at }
  }

  function mapMessage(id: number, fields: RunEventFields['message']): TurnEvent | undefined {
    const { message_id: messageId, data_type: dataType, content, timestamp: at } = fields
    if (dataType !== 'text') {
      const fileIds = [...fields.file_list]
      return { id, event: 'message', message: { id: messageId, dataType, content, fileIds, at } }
    }
    // A streamed text was sent already; one that was not streamed is sent as a single delta. A client that reconnects
    // may have received the deltas before, and gets the text with the end.
    if (!isFromStart || streamed.has(messageId) || content === '') return undefined
    return { id, event: 'delta', messageId, text: content, reset: false, at }
  }

  return event => {
    if (event.event === 'node.delta') return mapDelta(event.seq, event.at, event.fields)
    const message = event.event === 'message' ? mapMessage(event.seq, event.fields) : undefined
    return message ?? (withRun ? { id: event.seq, event: 'run', run: event } : undefined)
  }
}
