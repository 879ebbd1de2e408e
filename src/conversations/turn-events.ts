import type { RunEvent, RunEventFields } from '../workflow/run/run-event.ts'
import type { MessageType } from '../workflow/step.ts'
import type { TurnAnswer } from './turn-answer.ts'

/** What a client that listens to a turn is told. The numbers only grow. */
export type TurnEvent =
  /** A piece of a text; with `reset`, what came before of this message does not count. */
  | { id: number; event: 'delta'; messageId: string; text: string; reset: boolean; at: number }
  /** A whole message that is no text. */
  | { id: number; event: 'message'; message: WholeMessage }
  | { id: number; event: 'end'; answer: TurnAnswer }

export interface WholeMessage {
  id: string
  dataType: MessageType
  content: string
  fileIds: string[]
  at: number
}

/** With one of these the part of a run ends that belongs to one turn. */
export const endsTurn = ({ event }: RunEvent): boolean => event === 'run.finished' || event === 'run.waiting'

/** Turns the events of a run into those of a turn. */
export class TurnEvents {
  /** Messages of which pieces were handed on. */
  readonly #begun = new Set<string>()
  /** Whether the client has seen none of this turn yet. */
  readonly #isFromStart: boolean

  constructor(isFromStart: boolean) {
    this.#isFromStart = isFromStart
  }

  read(event: RunEvent): TurnEvent | undefined {
    if (event.event === 'node.delta') return this.#piece(event.seq, event.at, event.fields)
    return event.event === 'message' ? this.#whole(event.seq, event.fields) : undefined
  }

  #piece(id: number, at: number, fields: RunEventFields['node.delta']): TurnEvent | undefined {
    const { message_id: messageId, text, reset = false } = fields
    if (messageId === undefined || (text === '' && !reset)) return undefined
    this.#begun.add(messageId)
    return { id, event: 'delta', messageId, text, reset, at }
  }

  #whole(id: number, fields: RunEventFields['message']): TurnEvent | undefined {
    const { message_id: messageId, data_type: dataType, content, timestamp: at } = fields
    if (dataType !== 'text') {
      const fileIds = [...fields.file_list]
      return { id, event: 'message', message: { id: messageId, dataType, content, fileIds, at } }
    }
    // A text that came in pieces is known already; one that came whole is a single piece. A client that reconnects
    // may have received the pieces before, and gets the text with the end.
    if (!this.#isFromStart || this.#begun.has(messageId) || content === '') return undefined
    return { id, event: 'delta', messageId, text: content, reset: false, at }
  }
}
