import { isJsonRecord, ownValue } from '../workflow/json-record.ts'
import type { RunEvent } from '../workflow/run/run-event.ts'
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

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Milliseconds, whichever way a time was written. */
function timeOf(value: unknown, otherwise: number): number {
  const time = typeof value === 'string' ? Date.parse(value) : value
  return typeof time === 'number' && Number.isFinite(time) ? Math.trunc(time) : otherwise
}

/** When an event was told: what is read while the run works must say the same as what is read later. */
const timeIn = (line: string): string | undefined => /"at":"([^"]{1,40})"/.exec(line.slice(0, 300))?.[1]

/** With one of these the part of a run ends that belongs to one turn. */
export const endsTurn = ({ event }: RunEvent): boolean => event === 'run.finished' || event === 'run.waiting'

/** Turns the events of a run into those of a turn. */
export class TurnEvents {
  /** Messages of which pieces were handed on. */
  readonly #begun = new Set<string>()
  readonly #now: () => number
  /** Whether the client has seen none of this turn yet. */
  readonly #isFromStart: boolean

  constructor(isFromStart: boolean, now: () => number) {
    this.#isFromStart = isFromStart
    this.#now = now
  }

  read(event: RunEvent): TurnEvent | undefined {
    if (event.event !== 'node.delta' && event.event !== 'message') return undefined
    const read: unknown = event.fields ?? JSON.parse(event.line)
    if (!isJsonRecord(read)) return undefined
    const messageId = textOf(ownValue(read, 'message_id'))
    if (messageId === '') return undefined
    const at = timeOf(ownValue(read, 'at') ?? timeIn(event.line), this.#now())
    return event.event === 'node.delta'
      ? this.#piece(event.seq, messageId, read, at)
      : this.#whole(event.seq, messageId, read, at)
  }

  #piece(
    id: number,
    messageId: string,
    fields: Readonly<Record<string, unknown>>,
    at: number,
  ): TurnEvent | undefined {
    const text = textOf(ownValue(fields, 'text'))
    const reset = ownValue(fields, 'reset') === true
    if (text === '' && !reset) return undefined
    this.#begun.add(messageId)
    return { id, event: 'delta', messageId, text, reset, at }
  }

  #whole(
    id: number,
    messageId: string,
    fields: Readonly<Record<string, unknown>>,
    toldAt: number,
  ): TurnEvent | undefined {
    const at = timeOf(ownValue(fields, 'timestamp'), toldAt)
    const dataType = textOf(ownValue(fields, 'data_type')) as MessageType
    const content = textOf(ownValue(fields, 'content'))
    if (dataType !== 'text') {
      const list = ownValue(fields, 'file_list')
      const fileIds = Array.isArray(list) ? list.map(String) : []
      return { id, event: 'message', message: { id: messageId, dataType, content, fileIds, at } }
    }
    // A text that came in pieces is known already; one that came whole is a single piece. A client that came back
    // may have had the pieces before, and gets the text with the end.
    if (!this.#isFromStart || this.#begun.has(messageId) || content === '') return undefined
    return { id, event: 'delta', messageId, text: content, reset: false, at }
  }
}
