import type { Agent } from '../../../agents/agent.ts'
import type { ChatTarget } from '../../../conversations/chat-request.ts'
import type { ChatTurn } from '../../../conversations/chat-turn.ts'
import type { Conversation } from '../../../conversations/conversation.ts'
import type { EarlierMessage } from '../../../conversations/locked-conversation.ts'
import { reusedKey } from '../../../idempotency/idempotency-service.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { mintId } from '../../../kernel/ids.ts'
import { callerWith, userOf } from '../agent-access.ts'
import { conversationFor, sourceOf } from '../conversation-access.ts'
import {
  asFieldError,
  type Exchange,
  instructed,
  latestOf,
  maxEarlier,
  notComplete,
  type OpenaiParts,
  type Question,
  type ReferenceScope,
  reachedConversation,
  referredMessage,
} from './exchange.ts'
import { messageTypeOf, storeFiles } from './files.ts'
import type { SentInput } from './input.ts'
import { idPart, referenceOf } from './item-ids.ts'

/** Sends the message to an agent. Resolves when the turn has started. */
export async function startTurn(
  parts: OpenaiParts,
  question: Question,
  { workspaceId, agent }: { workspaceId: string; agent: Agent },
  signal: AbortSignal,
): Promise<Exchange> {
  const { token, input, inputs, keyed } = question
  const userId = userOf(callerWith(token), question.userId, 'user')
  const where = { workspaceId, agent, userId }
  const planned = await placeOf(parts, question, where)
  // The lookup comes second: if the first request stored its message between the two, `placeOf` would take it for another
  // message.
  const place = (await replayedPlace(parts, question, where)) ?? planned
  const { conversation } = place
  const files = await storeFiles(parts, token, input.message.files, conversation.id)
  const target = { ...sourceOf(parts, callerWith(token), workspaceId), agent, ...place }
  const request = {
    ...{ dataType: messageTypeOf(files), content: input.message.text, fileIds: files.map(({ id }) => id) },
    ...{ userId, inputs, turnInputs: instructed({}, input), fingerprint: keyed?.fingerprint ?? '' },
    ...{ chatId: keyed?.chatId, messageId: undefined, timestamp: undefined },
    ...(keyed && { keyField: 'header/Idempotency-Key' }),
  }
  const turn = await parts.chats.chat(target, request, signal).catch(async (error: unknown) => {
    // A turn that could not start is undone, and its new conversation is removed. With a key a retry may follow, so the
    // conversation stays.
    if (place.earlier && !keyed)
      await parts.conversations.remove(workspaceId, conversation.id).catch(() => {})
    throw atContent(error, input.pointer)
  })
  return turnExchange(conversation.id, turn)
}

export const turnExchange = (conversationId: string, turn: ChatTurn): Exchange => ({
  id: idPart(conversationId) + idPart(turn.chatId),
  ...{ workspaceId: turn.workspaceId, runId: turn.runId, conversationId, isReplay: turn.wasSeen },
  events: (gone, withRun) => turn.events(undefined, gone, withRun),
  answer: gone => turn.answer(gone),
  usage: gone => turn.usage(gone),
})

const messageField = /^\/(content|file_list|data_type)(\/\d+)?/

/** Conversations report errors by their own field names; this names the field of the request instead. */
const atContent = (error: unknown, path: string): unknown =>
  error instanceof AppError && error.errors.some(each => messageField.test(each.path))
    ? new AppError(error.reason, error.message.replace(messageField, path), {
        errors: error.errors.map(({ message }) => ({ path, message })),
      })
    : error

type Place = Pick<ChatTarget, 'conversation' | 'earlier' | 'inherited' | 'after'>
interface NewPlace {
  workspaceId: string
  agent: Agent
  userId: string | undefined
}

/** Where an earlier request with the same Idempotency-Key stored the message, perhaps in a continued conversation. */
async function replayedPlace(
  parts: OpenaiParts,
  { token, keyed, continues }: Question,
  { workspaceId, agent }: NewPlace,
): Promise<Place | undefined> {
  if (!keyed) return undefined
  const { chatId } = keyed
  const ids = [keyed.conversationId, continuedConversation(continues)].filter(id => id !== undefined)
  for (const conversationId of ids) {
    const turn = await parts.chats.findTurn({ workspaceId, conversationId, chatId })
    if (!turn) continue
    if (turn.fingerprint !== keyed.fingerprint) throw reusedKey()
    const key = { workspaceId, id: conversationId, agentId: agent.id }
    return { conversation: await conversationFor(parts, callerWith(token), key) }
  }
  return undefined
}

function continuedConversation(continues: Question['continues']): string | undefined {
  if (!continues) return undefined
  if ('conversationId' in continues) return continues.conversationId
  const reference = referenceOf('resp', continues.responseId)
  return reference && 'conversationId' in reference ? reference.conversationId : undefined
}

/** An existing conversation, or a new one that begins with the messages that the client sent or refers to. */
async function placeOf(parts: OpenaiParts, question: Question, where: NewPlace): Promise<Place> {
  const { token, continues, input } = question
  const { workspaceId, agent, userId } = where
  if (continues && 'conversationId' in continues) {
    const key = { workspaceId, id: continues.conversationId, agentId: agent.id }
    return {
      conversation: await conversationFor(parts, callerWith(token), key).catch(
        asFieldError(continues.pointer),
      ),
    }
  }
  const scope = { token, workspaceId, agentId: agent.id }
  const earlier = await earlierMessages(parts, input, scope)
  const draft = parts.conversations.draft({ agentId: agent.id, userId, envType: 'openai' })
  const conversation = { ...draft, id: question.keyed?.conversationId ?? draft.id }
  const previous = continues && (await previousTurn(parts, scope, continues.responseId))
  if (!previous) return { conversation, earlier: latestOf(earlier) }
  const { last } = previous
  const isLatest = previous.conversation.messageCount === last && previous.conversation.agentId === agent.id
  if (isLatest && input.earlier.length === 0) return { conversation: previous.conversation, after: last }
  // Another message already follows the response, or another agent continues: in both cases a copy is continued.
  const before = await parts.conversations.store.messages(
    workspaceId,
    previous.conversation.id,
    last,
    maxEarlier,
  )
  const inherited = await parts.conversations.store.inputs(workspaceId, previous.conversation.id)
  return { conversation, earlier: latestOf([...before, ...earlier]), inherited }
}

const noResponse = (id: string): AppError =>
  new AppError('not_found', `There is no response ${id}`, {
    errors: [{ path: '/previous_response_id', message: 'does not exist' }],
  })

/** The conversation of an earlier response, if the caller may see it, and the position of its last message. */
async function previousTurn(
  parts: OpenaiParts,
  scope: ReferenceScope,
  responseId: string,
): Promise<{ conversation: Conversation; last: number }> {
  const reference = referenceOf('resp', responseId)
  if (!reference || !('conversationId' in reference)) throw noResponse(responseId)
  const { conversationId, id: chatId } = reference
  const { workspaceId } = scope
  const conversation = await reachedConversation(parts, scope, conversationId).catch(
    asFieldError('/previous_response_id'),
  )
  const turn = await parts.chats.findTurn({ workspaceId, conversationId, chatId: `chat_${chatId}` })
  if (!turn) throw noResponse(responseId)
  if (turn.status === 'active') throw notComplete(responseId)
  return { conversation, last: turn.lastPosition }
}

/** The messages that the client sent before the new one. Every message of the user begins a turn. */
async function earlierMessages(
  parts: OpenaiParts,
  input: SentInput,
  scope: ReferenceScope,
): Promise<EarlierMessage[]> {
  const messages: EarlierMessage[] = []
  const at = Date.now()
  let chatId = mintId('chat')
  for (const sent of input.earlier.slice(-maxEarlier)) {
    const found = 'reference' in sent ? await referredMessage(parts, scope, sent) : sent
    if (found.role === 'user') chatId = mintId('chat')
    const files = await storeFiles(parts, scope.token, found.files)
    messages.push({
      ...{ id: mintId('msg'), chatId, role: found.role === 'user' ? 0 : 1, at },
      ...{ dataType: messageTypeOf(files), content: found.text, fileIds: files.map(({ id }) => id) },
    })
  }
  return messages
}
