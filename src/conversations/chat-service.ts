import type { Agent } from '../agents/agent.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { ChatRequest } from './chat-request.ts'
import { ChatTurn, lookMilliseconds, noConversation } from './chat-turn.ts'
import type { Conversation, Turn } from './conversation.ts'
import type { ActiveTurn, Begun, NewTurn } from './conversation-store.ts'
import { findRun } from './find-run.ts'
import { newTurn } from './new-turn.ts'
import { type MessageReader, type ReadMessage, readMessage } from './read-message.ts'
import { reconcileOld, reconcileTurn } from './reconcile-turn.ts'
import { type StartParts, startTurn } from './start-turn.ts'
import { Strangers } from './strangers.ts'

export interface ChatParts extends StartParts, MessageReader {
  /** How long a turn waits for another one of its conversation. */
  turnWaitMilliseconds?: number
  /** Most turns without a token at the same time. */
  anonymousTurns?: number
}

/** Who is talked to, and where. The conversation belongs to the agent. */
export interface ChatPlace {
  workspaceId: string
  agent: Agent
  conversation: Conversation
  /** Nobody sent a token. */
  isAnonymous: boolean
}

interface MadeTurn {
  turn: ChatTurn
  /** Resolves when nobody works on it any more. */
  settled: Promise<unknown>
}

const dayMilliseconds = 86_400_000
const stuckBatch = 100

const noActions = (): AppError =>
  new AppError('unsupported_media_type', 'This agent has no workflow that takes actions', {
    errors: [{ path: '/data_type', message: 'an action needs an agent with a workflow' }],
  })

export class ChatService {
  readonly #parts: ChatParts
  readonly #turnWait: number
  readonly #strangers: Strangers

  constructor(parts: ChatParts) {
    this.#parts = parts
    this.#turnWait = parts.turnWaitMilliseconds ?? limits.turnWaitMilliseconds
    this.#strangers = new Strangers(parts.anonymousTurns ?? limits.anonymousTurns)
  }

  /** Resolves when the turn is stored and its run has begun, or when it turns out to be one of before. */
  async chat(place: ChatPlace, request: ChatRequest, signal: AbortSignal): Promise<ChatTurn> {
    const { workspaceId, conversation } = place
    const known =
      request.chatId === undefined
        ? undefined
        : await this.#parts.store.findTurn(workspaceId, conversation.id, request.chatId)
    if (known) refuseOther(known, request)
    const begunAgain = known !== undefined && (await this.#neverRan(workspaceId, known))
    if (known && !begunAgain) return new ChatTurn(this.#parts, workspaceId, known, true)
    if (!place.isAnonymous) return (await this.#make(place, request, begunAgain, signal)).turn
    return this.#strangers.count(() => this.#make(place, request, begunAgain, signal))
  }

  /** A crash left it without a run: sent again, it gets one. */
  async #neverRan(workspaceId: string, { status, error, runId }: Turn): Promise<boolean> {
    if (status !== 'failed' || error?.reason !== 'unavailable') return false
    return (await findRun(this.#parts.runs, workspaceId, runId)) === undefined
  }

  async #make(
    place: ChatPlace,
    request: ChatRequest,
    begunAgain: boolean,
    signal: AbortSignal,
  ): Promise<MadeTurn> {
    const { workspaceId, agent, conversation, isAnonymous } = place
    const { store, clock } = this.#parts
    const now = clock.now()
    if (request.timestamp !== undefined && request.timestamp > now + dayMilliseconds)
      throw invalidField('/timestamp', 'lies in the future; it is in milliseconds since 1970')
    const message = await this.#read(place, request, signal)
    if (request.dataType === 'action' && !agent.config.workflow_id) throw noActions()
    const wish = { ...newTurn(conversation.id, request, message, now), isAnonymous, begunAgain }
    const begun = await this.#begin(workspaceId, wish, signal)
    if (begun.outcome === 'seen') {
      refuseOther(begun.turn, request)
      const turn = new ChatTurn(this.#parts, workspaceId, begun.turn, true)
      return { turn, settled: Promise.resolve() }
    }
    const userId = request.userId ?? conversation.userId
    const started = { agent, turn: begun.turn, userId, dataType: request.dataType, message }
    const { settled } = await startTurn(this.#parts, workspaceId, started, begun.waitingRunId)
    // It may have got another run than the one that waited.
    if (begun.waitingRunId !== undefined)
      begun.turn = (await store.findTurn(workspaceId, conversation.id, begun.turn.chatId)) ?? begun.turn
    return { turn: new ChatTurn(this.#parts, workspaceId, begun.turn, false), settled }
  }

  /** What a service said that failed is not for strangers, here either. */
  async #read(place: ChatPlace, request: ChatRequest, signal: AbortSignal): Promise<ReadMessage> {
    try {
      return await readMessage(this.#parts, place.workspaceId, request, signal)
    } catch (error) {
      if (!place.isAnonymous || !(error instanceof AppError) || error.reason !== 'model_failed') throw error
      throw new AppError('model_failed', 'The speech could not be read', { cause: error })
    }
  }

  /**
   * Ends turns that a crash left without a run, so that their conversations do not look busy for ever. `before`: no
   * process is left that could still be about to start the run of a turn from before that time.
   */
  async endInterrupted({ before }: { before?: number } = {}): Promise<void> {
    const begunBefore = before ?? this.#parts.clock.now() - limits.turnStartMilliseconds
    const patience = before === undefined ? {} : { patience: 0 }
    for (let last: ActiveTurn | undefined; ; ) {
      const found = await this.#parts.store.activeTurns(begunBefore, stuckBatch, last)
      for (const { workspaceId, turn } of found) await reconcileTurn(this.#parts, workspaceId, turn, patience)
      last = found.at(-1)
      if (found.length < stuckBatch) return
    }
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

/** A turn of before that was sent with the same key must have been the same. */
function refuseOther(turn: Turn, { fingerprint }: ChatRequest): void {
  if (fingerprint === '' || turn.fingerprint === fingerprint) return
  throw new AppError(
    'version_conflict',
    'This Idempotency-Key was used with another message; take a fresh one',
    { errors: [{ path: 'header/Idempotency-Key', message: 'was used with another request' }] },
  )
}
