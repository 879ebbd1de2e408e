import type { Agent } from '../agents/agent.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { mintId } from '../kernel/ids.ts'
import type { ChatRequest } from './chat-request.ts'
import type { Conversation, Turn } from './conversation.ts'
import type { Begun, NewTurn } from './conversation-store.ts'
import { findRun, isAtWork, isGone, settledRun } from './find-run.ts'
import { type MessageReader, type ReadMessage, readMessage } from './read-message.ts'
import { reconcileTurn } from './reconcile-turn.ts'
import { type StartParts, startTurn } from './start-turn.ts'
import { type TurnAnswer, turnAnswer } from './turn-answer.ts'
import { endsTurn, type TurnEvent, TurnEvents } from './turn-events.ts'

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

/** A turn under way, or one of before. It goes on whether or not anybody waits for it. */
export interface ChatTurn {
  readonly chatId: string
  readonly runId: string
  /** Resolves when the turn has ended; rejects with the reason of an aborted signal. */
  answer(signal: AbortSignal): Promise<TurnAnswer>
  /** What is said, piece by piece, and the whole answer at the end. `after` is the last event that the client has. */
  events(after: number | undefined, signal: AbortSignal): AsyncIterable<TurnEvent>
}

/** Other processes end turns without waking anybody here. */
const lookMilliseconds = 250
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
    if (known) return this.#turn(workspaceId, known)
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
    return this.#turn(workspaceId, begun.turn)
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
      await this.#reconcileOld(workspaceId, begun.active)
    }
  }

  /** Asks for the run only where a crash is likely: every ordinary wait is shorter. */
  async #reconcileOld(workspaceId: string, turn: Turn): Promise<void> {
    if (turn.createdAt + limits.turnStartMilliseconds <= this.#parts.clock.now())
      await reconcileTurn(this.#parts, workspaceId, turn)
  }

  #turn(workspaceId: string, turn: Turn): ChatTurn {
    return {
      chatId: turn.chatId,
      runId: turn.runId,
      answer: async signal =>
        turnAnswer(this.#parts, workspaceId, await this.#ended(workspaceId, turn, signal), signal),
      events: (after, signal) => this.#events(workspaceId, turn, after, signal),
    }
  }

  async #ended(workspaceId: string, turn: Turn, signal: AbortSignal): Promise<Turn> {
    const { store, runs, waiters } = this.#parts
    for (;;) {
      signal.throwIfAborted()
      const now = await store.findTurn(workspaceId, turn.conversationId, turn.chatId)
      if (!now) throw noConversation(turn.conversationId)
      if (now.status !== 'active') return now
      const run = await findRun(runs, workspaceId, now.runId)
      // A run that waits has not been handed this turn yet.
      if (run && isAtWork(run)) await settledRun(runs, workspaceId, now.runId, signal)
      else await waiters.wait(turn.conversationId, lookMilliseconds, signal)
      await this.#reconcileOld(workspaceId, now)
    }
  }

  async *#events(
    workspaceId: string,
    begun: Turn,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent> {
    const { store, clock } = this.#parts
    const turn = (await store.findTurn(workspaceId, begun.conversationId, begun.chatId)) ?? begun
    const reader = new TurnEvents(after === undefined, () => clock.now())
    let last = Math.max(after ?? 0, turn.eventsAfter)
    let end: number | undefined
    if (after === undefined || (await this.#isLatest(workspaceId, turn)))
      for await (const event of this.#runEvents(workspaceId, turn, last, signal)) {
        if (endsTurn(event)) {
          end = event.seq
          break
        }
        last = event.seq
        const told = reader.read(event)
        if (told) yield told
      }
    if (signal.aborted) return
    const ended = await this.#ended(workspaceId, turn, signal)
    const answer = await turnAnswer(this.#parts, workspaceId, ended, signal)
    yield { id: end ?? last + 1, event: 'end', answer }
  }

  /** Whether the run still stands where this turn left it: what comes later belongs to other turns. */
  async #isLatest(workspaceId: string, turn: Turn): Promise<boolean> {
    if (turn.status === 'active') return true
    return (await findRun(this.#parts.runs, workspaceId, turn.runId))?.chatId === turn.chatId
  }

  /** Nothing where there is no run: it never began, or was forgotten. The record answers then. */
  async *#runEvents(workspaceId: string, turn: Turn, after: number, signal: AbortSignal) {
    try {
      yield* this.#parts.runs.events(workspaceId, turn.runId, after, signal)
    } catch (error) {
      if (!isGone(error) && !signal.aborted) throw error
    }
  }
}

export const noConversation = (id: string): AppError =>
  new AppError('not_found', `There is no conversation ${id} with this agent`)

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
