import { AppError } from '../kernel/app-error.ts'
import type { RunEvent } from '../workflow/run/run-event.ts'
import type { Runs } from '../workflow/run/runs.ts'
import type { Turn } from './conversation.ts'
import type { TurnParts } from './end-turn.ts'
import { findRun, isAtWork, isGone, settledRun } from './find-run.ts'
import { reconcileOld } from './reconcile-turn.ts'
import { type TurnAnswer, turnAnswer } from './turn-answer.ts'
import { endsTurn, type TurnEvent, TurnEvents } from './turn-events.ts'

/** Other processes end turns without waking anybody here. */
export const lookMilliseconds = 250

export const noConversation = (id: string): AppError =>
  new AppError('not_found', `There is no conversation ${id} with this agent`)

/** A turn under way, or one of before. It goes on whether or not anybody waits for it. */
export class ChatTurn {
  readonly #parts: TurnParts & { runs: Runs }
  readonly #workspaceId: string
  readonly #turn: Turn

  /** Whether it was there before this request. */
  readonly wasSeen: boolean

  constructor(parts: TurnParts & { runs: Runs }, workspaceId: string, turn: Turn, wasSeen: boolean) {
    this.#parts = parts
    this.#workspaceId = workspaceId
    this.#turn = turn
    this.wasSeen = wasSeen
  }

  get chatId(): string {
    return this.#turn.chatId
  }

  get runId(): string {
    return this.#turn.runId
  }

  /** Resolves when the turn has ended; rejects with the reason of an aborted signal. */
  async answer(signal: AbortSignal): Promise<TurnAnswer> {
    return turnAnswer(this.#parts, this.#workspaceId, await this.#ended(signal), signal)
  }

  /** What is said, piece by piece, and the whole answer at the end. `after` is the last event that the client has. */
  async *events(after: number | undefined, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    const turn = (await this.#look()) ?? this.#turn
    const reader = new TurnEvents(after === undefined)
    let last = Math.max(after ?? 0, turn.eventsAfter)
    let end: number | undefined
    if (after === undefined || (await this.#isLatest(turn)))
      for await (const event of this.#runEvents(turn, last, signal)) {
        if (endsTurn(event)) {
          end = event.seq
          break
        }
        last = event.seq
        const told = reader.read(event)
        if (told) yield told
      }
    if (signal.aborted) return
    const answer = await this.answer(signal)
    yield { id: end ?? (await this.#behind(answer.runId, last)), event: 'end', answer }
  }

  /** The number behind the last one, but none that the run never came to: a client may name any number. */
  async #behind(runId: string, last: number): Promise<number> {
    const run = await findRun(this.#parts.runs, this.#workspaceId, runId)
    return Math.min(last, run?.sequence ?? last) + 1
  }

  #look(): Promise<Turn | undefined> {
    const { conversationId, chatId } = this.#turn
    return this.#parts.store.findTurn(this.#workspaceId, conversationId, chatId)
  }

  async #ended(signal: AbortSignal): Promise<Turn> {
    const { runs, waiters } = this.#parts
    const { conversationId } = this.#turn
    for (;;) {
      signal.throwIfAborted()
      const turn = await this.#look()
      if (!turn) throw await this.#goneError()
      if (turn.status !== 'active') return turn
      const run = await findRun(runs, this.#workspaceId, turn.runId)
      // A run that waits has not been handed this turn yet.
      if (run && isAtWork(run)) await settledRun(runs, this.#workspaceId, turn.runId, signal)
      else await waiters.wait(conversationId, lookMilliseconds, signal)
      await reconcileOld(this.#parts, this.#workspaceId, turn)
    }
  }

  /** Deleted with its conversation, or taken back because it could not begin. */
  async #goneError(): Promise<AppError> {
    const { conversationId, chatId } = this.#turn
    if (!(await this.#parts.store.find(this.#workspaceId, conversationId)))
      return noConversation(conversationId)
    const words = 'The turn could not begin; send it again in a moment'
    return new AppError('unavailable', words, { data: { chat_id: chatId } })
  }

  /** Whether the run still stands where this turn left it: what comes later belongs to other turns. */
  async #isLatest({ status, runId, chatId }: Turn): Promise<boolean> {
    if (status === 'active') return true
    return (await findRun(this.#parts.runs, this.#workspaceId, runId))?.chatId === chatId
  }

  /** Nothing where there is no run: it never began, or was forgotten. The record answers then. */
  async *#runEvents({ runId }: Turn, after: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    try {
      yield* this.#parts.runs.events(this.#workspaceId, runId, after, signal)
    } catch (error) {
      if (!isGone(error) && !signal.aborted) throw error
    }
  }
}
