import type { Agent } from '../agents/agent.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { mintId } from '../kernel/ids.ts'
import type { ChatRequest } from './chat-request.ts'
import { ChatTurn, lookMilliseconds, noConversation } from './chat-turn.ts'
import type { Conversation } from './conversation.ts'
import type { Begun, NewTurn } from './conversation-store.ts'
import { type MessageReader, type ReadMessage, readMessage } from './read-message.ts'
import { reconcileOld, reconcileTurn } from './reconcile-turn.ts'
import { type StartParts, startTurn } from './start-turn.ts'

export interface ChatParts extends StartParts, MessageReader {
  /** How long a turn waits for another one of its conversation. */
  turnWaitMilliseconds?: number
}

/** Who is talked to, and where. The conversation belongs to the agent. */
export interface ChatPlace {
  workspaceId: string
  agent: Agent
  conversation: Conversation
}

const dayMilliseconds = 86_400_000
const nameLength = 50
const idForm = /^[A-Za-z0-9_-]{1,64}$/
const stuckBatch = 100

/** The first words make the name of a conversation. */
const nameFrom = (content: string): string =>
  [...content.replace(/\s+/g, ' ').trim()].slice(0, nameLength).join('')

export class ChatService {
  readonly #parts: ChatParts
  readonly #turnWait: number

  constructor(parts: ChatParts) {
    this.#parts = parts
    this.#turnWait = parts.turnWaitMilliseconds ?? limits.turnWaitMilliseconds
  }

  /** Resolves when the turn is stored and its run has begun, or when it turns out to be one of before. */
  async chat(place: ChatPlace, request: ChatRequest, signal: AbortSignal): Promise<ChatTurn> {
    const { workspaceId, conversation } = place
    const { store, clock } = this.#parts
    const known =
      request.chatId === undefined
        ? undefined
        : await store.findTurn(workspaceId, conversation.id, request.chatId)
    if (known) return new ChatTurn(this.#parts, workspaceId, known)
    const now = clock.now()
    if (request.timestamp !== undefined && request.timestamp > now + dayMilliseconds)
      throw invalidField('/timestamp', 'lies in the future; it is in milliseconds since 1970')
    const message = await readMessage(this.#parts, workspaceId, request, signal)
    const begun = await this.#begin(workspaceId, newTurn(conversation.id, request, message, now), signal)
    if (begun.outcome === 'begun') {
      const userId = request.userId ?? conversation.userId
      const started = { agent: place.agent, turn: begun.turn, userId, dataType: request.dataType, message }
      await startTurn(this.#parts, workspaceId, started, begun.waitingRunId)
      // It may have got another run than the one that waited.
      if (begun.waitingRunId !== undefined)
        begun.turn = (await store.findTurn(workspaceId, conversation.id, begun.turn.chatId)) ?? begun.turn
    }
    return new ChatTurn(this.#parts, workspaceId, begun.turn)
  }

  /** Ends turns that a crash left without a run, so that their conversations do not look busy for ever. */
  async endInterrupted(): Promise<void> {
    const before = this.#parts.clock.now() - limits.turnStartMilliseconds
    for (const { workspaceId, turn } of await this.#parts.store.activeTurns(before, stuckBatch))
      await reconcileTurn(this.#parts, workspaceId, turn)
  }

  /** Waits until no other turn of the conversation runs. */
  async #begin(
    workspaceId: string,
    turn: NewTurn,
    signal: AbortSignal,
  ): Promise<Extract<Begun, { outcome: 'begun' | 'seen' }>> {
    const { store, waiters } = this.#parts
    const giveUpAt = performance.now() + this.#turnWait
    for (;;) {
      const begun = await store.beginTurn(workspaceId, turn)
      if (begun.outcome === 'gone') throw noConversation(turn.conversationId)
      if (begun.outcome !== 'busy') return begun
      const left = giveUpAt - performance.now()
      if (left <= 0)
        throw new AppError(
          'version_conflict',
          'Another turn of this conversation is still running; wait for its end and try again',
          { data: { chat_id: turn.chatId, running_chat_id: begun.active.chatId } },
        )
      await waiters.wait(turn.conversationId, Math.min(left, lookMilliseconds), signal)
      await reconcileOld(this.#parts, workspaceId, begun.active)
    }
  }
}

function newTurn(
  conversationId: string,
  request: ChatRequest,
  { content }: ReadMessage,
  now: number,
): NewTurn {
  const spareId = mintId('msg')
  const { messageId } = request
  return {
    conversationId,
    chatId: request.chatId ?? mintId('chat'),
    runId: mintId('run'),
    message: {
      id: messageId !== undefined && idForm.test(messageId) ? messageId : spareId,
      dataType: request.dataType,
      content,
      fileIds: request.fileIds,
      at: request.timestamp ?? now,
    },
    spareId: messageId === undefined ? spareId : mintId('msg'),
    name: request.dataType === 'action' ? '' : nameFrom(content),
    at: now,
  }
}
