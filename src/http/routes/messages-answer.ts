import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Message } from '../../conversations/conversation.ts'
import { Answer, jsonType } from '../answer.ts'
import { messageOnWire } from './conversation-on-wire.ts'

/** As much as goes out in one piece; nearly every page is no longer than that. */
const pieceLength = 256 << 10

async function* pieces(head: string, parts: AsyncIterable<Message[]>): AsyncGenerator<string, void> {
  let piece = head
  let separator = ''
  for await (const part of parts)
    for (const message of part) {
      piece += separator + JSON.stringify(messageOnWire(message))
      separator = ','
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
      // A client that takes everything at once must not keep all others waiting.
      await setImmediate()
    }
  yield `${piece}]}`
}

async function* following(
  first: string,
  second: string,
  rest: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield first
  yield second
  yield* rest
}

/**
 * A page of messages, written while it is read: all of it may be far more than fits into one text. Its beginning is
 * read before the answer begins, so that what fails there is still told with a code.
 */
export async function messagesAnswer(
  conversationId: string,
  parts: AsyncIterable<Message[]>,
): Promise<Answer> {
  const head = `{"code":0,"msg":"success","conversation_id":${JSON.stringify(conversationId)},"retrieve_data":[`
  const headers = { 'content-type': jsonType, 'cache-control': 'no-store' }
  const writing = pieces(head, parts)
  const first = String((await writing.next()).value)
  const second = await writing.next()
  return new Answer(
    200,
    headers,
    second.done ? first : Readable.from(following(first, second.value, writing), { objectMode: false }),
  )
}
