import { noAgent } from '../agents/agent-service.ts'
import { limits } from '../contract/limits.ts'
import type { FileService } from '../files/file-service.ts'
import type { FileStore } from '../files/file-store.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { isBlank } from '../kernel/is-blank.ts'
import { nextTurn } from '../kernel/pause.ts'
import type { Runs } from '../workflow/run/run-service.ts'
import { noConversation } from './chat-turn.ts'
import type { Conversation, Message, Rating } from './conversation.ts'
import type { ConversationStore } from './conversation-store.ts'
import type { ConversationSweep } from './conversation-sweep.ts'

/** Messages per query, at first and at most. */
const messagesAtFirst = 4
const messagesAtOnce = 100
/** Reading and writing this many characters takes a few milliseconds. */
const batchLength = 1 << 18

/** An estimate of the length of stored steps. */
const lengthOf = (steps: Message['steps']): number =>
  steps ? steps.reasoning.length + 2 * limits.turnStepLength * steps.tools.length : 0

interface NewConversation {
  agentId: string
  userId?: string | undefined
  envType?: string
}

/** The part of the file service that removes files of deleted conversations. */
type SweptFiles = Pick<FileService, 'remove'> & { store: Pick<FileStore, 'leaveConversation'> }

export class ConversationService {
  /** For reads that need no further checks. */
  readonly store: ConversationStore
  readonly #sweep: ConversationSweep
  readonly #runs: Pick<Runs, 'stop'>
  readonly #files: SweptFiles
  readonly #clock: Clock

  constructor(
    store: ConversationStore,
    sweep: ConversationSweep,
    runs: Pick<Runs, 'stop'>,
    files: SweptFiles,
    clock: Clock,
  ) {
    this.store = store
    this.#sweep = sweep
    this.#runs = runs
    this.#files = files
    this.#clock = clock
  }

  readonly now = (): number => this.#clock.now()

  /** A new conversation that is not stored yet. */
  draft({ agentId, userId = '', envType = 'open_platform' }: NewConversation): Conversation {
    const now = this.#clock.now()
    return {
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
  }

  async create(workspaceId: string, request: NewConversation): Promise<Conversation> {
    const conversation = this.draft(request)
    if (!(await this.store.create(workspaceId, conversation))) throw noAgent(request.agentId)
    return conversation
  }

  /** With `agentId`, only if it belongs to that agent. */
  async get(workspaceId: string, id: string, agentId?: string): Promise<Conversation> {
    const conversation = await this.store.find(workspaceId, id)
    if (!conversation || (agentId !== undefined && conversation.agentId !== agentId)) throw noConversation(id)
    return conversation
  }

  /** `limit` messages before the `offset` latest ones, oldest first, in batches: messages may be long. */
  async *retrieve(
    workspaceId: string,
    conversation: Conversation,
    { limit, offset, withDetails = false }: { limit: number; offset: number; withDetails?: boolean },
  ): AsyncGenerator<Message[]> {
    const end = conversation.messageCount - offset
    let size = messagesAtFirst
    for (let from = Math.max(0, end - limit); from < end; ) {
      const last = Math.min(end, from + size)
      const batch = await (withDetails
        ? this.store.messagesWithDetails(workspaceId, conversation.id, last, last - from)
        : this.store.messages(workspaceId, conversation.id, last, last - from))
      yield batch
      from = last
      const length = batch.reduce((sum, { content, steps }) => sum + content.length + lengthOf(steps), 0)
      const fitting = Math.floor((batchLength * batch.length) / (length + 1))
      size = Math.max(1, Math.min(fitting, size * 5, messagesAtOnce))
    }
  }

  /** With an empty name, the conversation gets its name from the next message. */
  async rename(workspaceId: string, id: string, name: string): Promise<void> {
    if (!(await this.store.rename(workspaceId, id, isBlank(name) ? '' : name.trim())))
      throw noConversation(id)
  }

  /** Stops its runs as well: their messages could not be read any more. */
  async remove(workspaceId: string, id: string): Promise<void> {
    const removed = await this.store.remove(workspaceId, id, this.#clock.now())
    if (!removed) throw noConversation(id)
    const { activeRunId, waitingRunId } = removed
    // The run may have ended or been removed long ago; the conversation is removed either way.
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
    if (!(await this.store.rate(workspaceId, id, messageId, { rating, comment, at })))
      throw new AppError(
        'not_found',
        `There is no reply ${messageId} in this conversation; only replies can be rated`,
      )
  }

  /** Removes the rows of deleted agents and conversations in batches, and stops their runs. */
  async sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { isMore, orphans, files } = await this.#sweep.sweep()
      if (files) await this.#removeFiles(files.workspaceId, files.ids)
      await Promise.all(
        orphans.map(({ workspaceId, runId }) => this.#runs.stop(workspaceId, runId).catch(() => {})),
      )
      if (!isMore) return
      await nextTurn()
    }
  }

  /** The user who deletes a conversation must not delete documents of knowledge bases that were made from its files. */
  async #removeFiles(workspaceId: string, ids: string[]): Promise<void> {
    const { inUse } = await this.#files.remove(workspaceId, ids, false)
    if (inUse.length === 0) return
    await this.#files.store.leaveConversation(
      workspaceId,
      inUse.map(({ fileId }) => fileId),
    )
  }
}
