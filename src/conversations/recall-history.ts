import { limits } from '../contract/limits.ts'
import type { FileService } from '../files/file-service.ts'
import type { HistoryEntry } from '../workflow/step.ts'
import type { Message } from './conversation.ts'
import type { ConversationStore } from './conversation-store.ts'

/** Read so many at a time: messages may be long, and what is read is mostly what is kept. */
const messagesAtOnce = 40
/** A turn rarely has more; so many are looked at at most, however long the conversation is. */
const messagesPerTurn = 4

/** Messages of the last turns before a position, the newest first, while they fit. */
async function newestMessages(
  store: ConversationStore,
  workspaceId: string,
  conversationId: string,
  position: number,
): Promise<Message[]> {
  const turns = new Set<string>()
  const kept: Message[] = []
  let length = 0
  const oldest = Math.max(0, position - 1 - limits.historyTurns * messagesPerTurn)
  for (let last = position - 1; last > oldest; last -= messagesAtOnce) {
    const page = await store.messages(workspaceId, conversationId, last, messagesAtOnce)
    for (const message of page.toReversed()) {
      turns.add(message.chatId)
      length += message.content.length
      if (turns.size > limits.historyTurns || length > limits.historyLength) return kept
      // An action is an instruction to a machine, and says nothing to a model.
      if (message.dataType !== 'action') kept.push(message)
    }
  }
  return kept
}

/** What was said before the message at this position, oldest first. Files stand as their names. */
export async function recallHistory(
  { store, files }: { store: ConversationStore; files: Pick<FileService, 'info'> },
  workspaceId: string,
  conversationId: string,
  position: number,
): Promise<HistoryEntry[]> {
  const kept = await newestMessages(store, workspaceId, conversationId, position)
  const ids = kept.flatMap(message => message.fileIds)
  const { items } = ids.length > 0 ? await files.info(workspaceId, ids) : { items: [] }
  const names = new Map(items.map(file => [file.id, file.name]))
  return kept.toReversed().map(({ role, content, fileIds }) => ({
    role: role === 0 ? 'user' : 'assistant',
    content: [...fileIds.map(id => `[${names.get(id) ?? 'a file that was deleted'}]`), content]
      .filter(Boolean)
      .join('\n'),
  }))
}
