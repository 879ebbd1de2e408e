import { hash } from 'node:crypto'
import type { Reason } from '../contract/error-codes.ts'
import type { Message, TurnError } from './conversation.ts'

const chinese = /\p{Script=Han}/u

/** Always the same for a turn, so that a reply which is told of twice is stored once. */
export const replyId = (runId: string, chatId: string, what: string): string =>
  `msg_${hash('sha256', JSON.stringify([runId, chatId, what]), 'base64url').slice(0, 22)}`

/** What they say is meant for whoever set the agent up: settings, addresses, nodes. */
const diagnostics: ReadonlySet<Reason> = new Set<Reason>([
  'model_failed',
  'not_configured',
  'search_failed',
  'step_failed',
  'workflow_not_runnable',
])

/** What somebody is told who came without a token: the record of the run keeps the rest for its owner. */
export function neutralError(runId: string | undefined, question: string, error: TurnError): TurnError {
  if (!diagnostics.has(error.reason)) return error
  const isChinese = chinese.test(question)
  const where = isChinese
    ? runId === undefined
      ? '其所有者用令牌与它对话即可看到原因'
      : `其所有者可在运行记录 ${runId} 中查到原因`
    : `its owner finds the reason ${runId === undefined ? 'by talking to it with a token' : `in run ${runId}`}`
  const message = isChinese ? `智能体现在无法回答；${where}` : `The agent cannot answer right now; ${where}`
  return { reason: error.reason, message }
}

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
