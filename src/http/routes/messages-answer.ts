import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Message } from '../../conversations/conversation.ts'
import { messagesAtOnce } from '../../conversations/conversation-service.ts'
import { Answer, jsonType } from '../answer.ts'
import { messageOnWire } from './conversation-on-wire.ts'

/** As much as goes out in one piece. */
const pieceLength = 64 << 10

async function* pieces(
  head: string,
  first: Message[],
  rest: AsyncIterable<Message[]>,
): AsyncGenerator<string> {
  let piece = head
  let isFirst = true
  async function* all(): AsyncGenerator<Message> {
    yield* first
    for await (const part of rest) yield* part
  }
  for await (const message of all()) {
    piece += (isFirst ? '' : ',') + JSON.stringify(messageOnWire(message))
    isFirst = false
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
    // A client that takes everything at once must not keep all others waiting.
    await setImmediate()
  }
  yield `${piece}]}`
}

/**
 * A page of messages, written while it is read: all of it may be far more than fits into one text. The first part is
 * read before the answer begins, so that what fails there is still told with a code.
 */
export async function messagesAnswer(
  conversationId: string,
  parts: AsyncGenerator<Message[]>,
): Promise<Answer> {
  const first: Message[] = (await parts.next()).value ?? []
  const head = `{"code":0,"msg":"success","conversation_id":${JSON.stringify(conversationId)},"retrieve_data":[`
  const headers = { 'content-type': jsonType, 'cache-control': 'no-store' }
  const isShort = first.reduce((length, { content }) => length + content.length, 0) < pieceLength
  if (isShort && first.length < messagesAtOnce)
    return new Answer(
      200,
      headers,
      `${head}${first.map(message => JSON.stringify(messageOnWire(message))).join(',')}]}`,
    )
  const body = Readable.from(pieces(head, first, parts), { objectMode: false })
  return new Answer(200, headers, body)
}
