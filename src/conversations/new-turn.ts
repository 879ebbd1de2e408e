import { mintId } from '../kernel/ids.ts'
import type { ChatRequest } from './chat-request.ts'
import type { NewTurn } from './conversation-store.ts'
import type { ReadMessage } from './read-message.ts'

const nameLength = 50

/** The first words make the name of a conversation. */
const nameFrom = (content: string): string =>
  [...content.replace(/\s+/g, ' ').trim()].slice(0, nameLength).join('')

/** What a request asks to be stored. */
export function newTurn(
  conversationId: string,
  request: ChatRequest,
  { content }: ReadMessage,
  now: number,
): Omit<NewTurn, 'isAnonymous' | 'begunAgain'> {
  return {
    conversationId,
    chatId: request.chatId ?? mintId('chat'),
    runId: mintId('run'),
    message: {
      id: request.messageId ?? mintId('msg'),
      dataType: request.dataType,
      content,
      fileIds: request.fileIds,
      at: request.timestamp ?? now,
    },
    spareId: mintId('msg'),
    name: request.dataType === 'action' ? '' : nameFrom(content),
    fingerprint: request.fingerprint,
    at: now,
  }
}
