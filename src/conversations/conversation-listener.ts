import type { AgentStore } from '../agents/agent-store.ts'
import { limits } from '../contract/limits.ts'
import type { FileService } from '../files/file-service.ts'
import { runFileOf } from '../workflow/run/run-inputs.ts'
import type { ObservedRun, RunListener, RunMessage, Settled } from '../workflow/run/run-listener.ts'
import type { HistoryEntry } from '../workflow/step.ts'
import type { ChatParts } from './chat-request.ts'
import { limitedReply, type Message, storableText, type Turn } from './conversation.ts'
import type { ConversationStore } from './conversation-store.ts'
import { endOfRun, isFailureReply } from './turn-lifecycle.ts'

/** Longer keys do not fit into an index of every database. */
const maxMemoryKeyLength = 200

interface ListenerParts extends Pick<ChatParts, 'conversations' | 'turns' | 'lifecycle' | 'clock'> {
  agents: Pick<AgentStore, 'find'>
  files: Pick<FileService, 'info'>
}

/**
 * Stores the messages of runs in their conversations. Every notification may be repeated after a crash, so each step is
 * idempotent. Conversations that were deleted meanwhile are ignored. The engine notifies this class, which must not call
 * runs itself; the chat service does.
 */
export class ConversationListener implements RunListener {
  readonly #parts: ListenerParts

  constructor(parts: ListenerParts) {
    this.#parts = parts
  }

  async recall(run: ObservedRun): Promise<{ history: HistoryEntry[]; memory: Record<string, unknown> }> {
    const { workspaceId, conversationId } = run
    if (conversationId === '') return { history: [], memory: await this.#defaults(run) }
    const { conversations, turns } = this.#parts
    const turn = await turns.find(run)
    const stored = await conversations.memory(workspaceId, conversationId, run.userId)
    return {
      history: turn ? await readHistory(this.#parts, turn) : [],
      memory: Object.fromEntries([...Object.entries(await this.#defaults(run)), ...stored]),
    }
  }

  async #defaults({ workspaceId, agentId }: ObservedRun): Promise<Record<string, unknown>> {
    const agent = agentId === '' ? undefined : await this.#parts.agents.find(workspaceId, agentId)
    const entries = Object.entries(agent?.memory ?? {}).map(
      ([key, entry]) => [key, entry.default ?? null] as const,
    )
    // Without a default here, that of the workflow applies.
    return Object.fromEntries(entries.filter(([, value]) => value !== null))
  }

  async remember(run: ObservedRun, values: Readonly<Record<string, unknown>>): Promise<void> {
    const kept = new Map(
      Object.entries(values)
        .map(([key, value]) => [storableText(key), value] as const)
        .filter(([key]) => key !== '' && key.length <= maxMemoryKeyLength),
    )
    if (run.conversationId === '' || kept.size === 0) return
    await this.#parts.turns.remember(run, run.userId, kept, this.#parts.clock.now())
  }

  async messageSent(run: ObservedRun, message: RunMessage): Promise<void> {
    if (run.conversationId === '') return
    const { id, dataType, content, fileIds, at } = message
    const reply = { id, dataType, content: limitedReply(storableText(content)), fileIds, at }
    await this.#parts.turns.addReply(run, reply)
  }

  async settled(run: ObservedRun, end: Settled): Promise<void> {
    if (run.conversationId === '') return
    await this.#parts.lifecycle.end({ ...run, runId: run.id }, endOfRun(run.id, end))
  }
}

/** Messages per query. The first query is small: if messages are long, it returns the whole history. */
const historyPages = { first: 4, next: 40 }
/** Turns rarely have more messages; the number limits how far back the history is read. */
const messagesPerTurn = 4

/** The messages before a turn, oldest first, up to the limits. Recent files of the user are attached. */
async function readHistory(parts: ListenerParts, turn: Turn): Promise<HistoryEntry[]> {
  const kept = await latestMessages(parts.conversations, turn)
  const ids = kept.flatMap(message => message.fileIds)
  const { items } = ids.length > 0 ? await parts.files.info(turn.workspaceId, ids) : { items: [] }
  const found = new Map(items.map(file => [file.id, file]))
  const recent = recentFiles(kept)
  return kept.toReversed().map(message => {
    const { role, dataType, content, fileIds } = message
    const transcript = dataType === 'voice' && content !== '' && { transcript: content }
    const files = (recent.get(message) ?? []).flatMap(id => found.get(id) ?? [])
    return {
      role: role === 0 ? 'user' : 'assistant',
      content: [...fileIds.map(id => `[${found.get(id)?.name ?? 'a file that was deleted'}]`), content]
        .filter(Boolean)
        .join('\n'),
      ...(files.length > 0 && { files: files.map(file => ({ ...runFileOf(file), ...transcript })) }),
    }
  })
}

/** The recent files of the user by their message; each file only in its latest message. */
function recentFiles(latestFirst: readonly Message[]): Map<Message, string[]> {
  const recent = new Map<Message, string[]>()
  const turns = new Set<string>()
  const seen = new Set<string>()
  for (const message of latestFirst) {
    turns.add(message.chatId)
    if (turns.size > limits.historyFileTurns) break
    if (message.role !== 0) continue
    const ids = message.fileIds.filter(id => !seen.has(id)).slice(0, limits.historyFiles - seen.size)
    for (const id of ids) seen.add(id)
    recent.set(message, ids)
  }
  return recent
}

/** Latest first. */
async function latestMessages(conversations: ConversationStore, turn: Turn): Promise<Message[]> {
  const { workspaceId, conversationId, firstPosition } = turn
  const turns = new Set<string>()
  const kept: Message[] = []
  let length = 0
  const oldest = Math.max(0, firstPosition - 1 - limits.historyTurns * messagesPerTurn)
  let size = historyPages.first
  for (let last = firstPosition - 1; last > oldest; last -= size, size = historyPages.next) {
    const page = await conversations.messages(workspaceId, conversationId, last, size)
    for (const message of page.toReversed()) {
      turns.add(message.chatId)
      length += message.content.length
      if (turns.size > limits.historyTurns || length > limits.historyLength) return kept
      // An action is an instruction to a client and means nothing to a model; a failure is not what the agent said.
      if (message.dataType !== 'action' && !isFailureReply(message)) kept.push(message)
    }
  }
  return kept
}
