import { hash } from 'node:crypto'
import type { Message, TurnError } from './conversation.ts'

const chinese = /\p{Script=Han}/u

/** Always the same for a turn, so that a reply which is told of twice is stored once. */
export const replyId = (runId: string, chatId: string, what: string): string =>
  `msg_${hash('sha256', JSON.stringify([runId, chatId, what]), 'base64url').slice(0, 22)}`

/** What the user reads when a turn did not work, in the language of the question. */
export function failureReply(
  { runId, chatId }: { runId: string; chatId: string },
  question: string,
  error: TurnError,
  at: number,
): Omit<Message, 'chatId' | 'role'> {
  const content = chinese.test(question)
    ? `抱歉，这次没有完成：${error.message}`
    : `Sorry, this did not work: ${error.message}`
  return { id: replyId(runId, chatId, 'failure'), dataType: 'text', content, fileIds: [], at }
}
