import { limits } from '../contract/limits.ts'
import type { FileService } from '../files/file-service.ts'
import type { HistoryEntry } from '../workflow/step.ts'
import type { Message } from './conversation.ts'
import type { ConversationStore } from './conversation-store.ts'

/** A turn rarely has more; so many are read at most, however long the conversation is. */
const messagesPerTurn = 4

/** Messages of the last turns, the newest first, while they fit. */
function newestTurns(messages: readonly Message[]): Message[] {
  const turns = new Set<string>()
  const kept: Message[] = []
  let length = 0
  for (const message of messages.toReversed()) {
    turns.add(message.chatId)
    length += message.content.length
    if (turns.size > limits.historyTurns || length > limits.historyLength) break
    // An action is an instruction to a machine, and says nothing to a model.
    if (message.dataType !== 'action') kept.push(message)
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
  const limit = limits.historyTurns * messagesPerTurn
  const before = await store.messages(workspaceId, conversationId, position - 1, limit)
  const kept = newestTurns(before)
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
