/** Where a response or an item of one is stored. Items of a run without a message id were made by earlier versions. */
export type TurnReference = { conversationId: string; id: string } | { runId: string; messageId?: string }

const part = '([A-Za-z0-9_-]{22})'
const ofTurn = new RegExp(`^(resp|msg)_${part}${part}$`)
const ofRun = new RegExp(`^(resp|msg)_${part}$`)
const ofRunMessage = new RegExp(`^msg_${part}_${part}$`)

export const idPart = (id: string): string => id.slice(id.indexOf('_') + 1)

/** Ids of responses and items name the conversation and its turn or message, or the run, so they need no table. */
export function referenceOf(prefix: 'resp' | 'msg', id: string): TurnReference | undefined {
  const [, kind, conversation, other] = ofTurn.exec(id) ?? []
  if (kind === prefix) return { conversationId: `conv_${conversation}`, id: other! }
  const [, kindOfRun, run] = ofRun.exec(id) ?? []
  if (kindOfRun === prefix) return { runId: `run_${run}` }
  const [, messageRun, message] = (prefix === 'msg' && ofRunMessage.exec(id)) || []
  return messageRun ? { runId: `run_${messageRun}`, messageId: `msg_${message}` } : undefined
}
