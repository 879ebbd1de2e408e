import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import type { Runs } from '../workflow/run/runs.ts'
import { noConversation } from './chat-turn.ts'
import type { Conversation, Message, Rating } from './conversation.ts'
import type { ConversationFilter, ConversationStore } from './conversation-store.ts'

/** So many messages are in memory at a time. */
const messagesAtOnce = 100

export class ConversationService {
  readonly #store: ConversationStore
  readonly #runs: Pick<Runs, 'stop'>
  readonly #clock: Clock

  constructor(store: ConversationStore, runs: Pick<Runs, 'stop'>, clock: Clock) {
    this.#store = store
    this.#runs = runs
    this.#clock = clock
  }

  async create(
    workspaceId: string,
    { agentId, userId = '', envType = '' }: { agentId: string; userId?: string; envType?: string },
  ): Promise<Conversation> {
    const now = this.#clock.now()
    const conversation: Conversation = {
      id: mintId('conv'),
      agentId,
      userId,
      envType,
      name: '',
      messageCount: 0,
      activeChatId: undefined,
      waitingRunId: undefined,
      createdAt: now,
      updatedAt: now,
    }
    if (!(await this.#store.create(workspaceId, conversation)))
      throw new AppError('not_found', `There is no agent ${agentId}`)
    return conversation
  }

  /** With `agentId`, only where it belongs to that agent. */
  async get(workspaceId: string, id: string, agentId?: string): Promise<Conversation> {
    const conversation = await this.#store.find(workspaceId, id)
    if (!conversation || (agentId !== undefined && conversation.agentId !== agentId)) throw noConversation(id)
    return conversation
  }

  /** `limit` messages, behind the `offset` newest ones, oldest first, a part at a time: messages may be long. */
  async *retrieve(
    workspaceId: string,
    conversation: Conversation,
    { limit, offset, withDetails = false }: { limit: number; offset: number; withDetails?: boolean },
  ): AsyncGenerator<Message[]> {
    const end = conversation.messageCount - offset
    for (let from = Math.max(0, end - limit); from < end; from += messagesAtOnce) {
      const last = Math.min(end, from + messagesAtOnce)
      yield await this.#store.messages(workspaceId, conversation.id, last, last - from, withDetails)
    }
  }

  list(workspaceId: string, filter: ConversationFilter, page: PageRequest): Promise<Page<Conversation>> {
    return this.#store.list(workspaceId, filter, page)
  }

  async rename(workspaceId: string, id: string, name: string): Promise<void> {
    if (!(await this.#store.rename(workspaceId, id, name))) throw noConversation(id)
  }

  /** Its runs end too: nobody could read what they say. */
  async remove(workspaceId: string, id: string): Promise<void> {
    const removed = await this.#store.remove(workspaceId, id, this.#clock.now())
    if (!removed) throw noConversation(id)
    const { activeRunId, waitingRunId } = removed
    // It may have ended or been forgotten long ago; the conversation is gone either way.
    for (const runId of new Set([activeRunId, waitingRunId]))
      if (runId !== undefined) await this.#runs.stop(workspaceId, runId).catch(() => {})
  }

  async rate(
    workspaceId: string,
    id: string,
    messageId: string,
    { rating, comment }: { rating: Rating | null; comment: string },
  ): Promise<void> {
    const at = this.#clock.now()
    if (!(await this.#store.rate(workspaceId, id, messageId, { rating, comment, at })))
      throw new AppError('not_found', `There is no message ${messageId} in this conversation`)
  }

  /** Removes what deleted agents and conversations left behind, a few rows at a time, and stops what works for them. */
  async sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { isMore, orphans } = await this.#store.sweep()
      await Promise.all(
        orphans.map(({ workspaceId, runId }) => this.#runs.stop(workspaceId, runId).catch(() => {})),
      )
      if (!isMore) return
      await new Promise(resolve => setImmediate(resolve))
    }
  }
}
