import { AppError } from '../kernel/app-error.ts'
import { isActive } from '../workflow/run/store/run-records.ts'
import type { TokenUsage } from '../workflow/step.ts'
import type { ChatParts } from './chat-request.ts'
import type { Turn } from './conversation.ts'
import { endsTurn, type TurnAnswer, type TurnEvent, turnEventMapper, usageAt } from './turn-events.ts'
import { isNotFound, recoverOldTurn, settledRun } from './turn-run.ts'

/** How often to look whether a turn has ended: another process may have crashed before it sent its message. */
export const pollMilliseconds = 250

const noTokens: TokenUsage = { promptTokens: 0, completionTokens: 0 }

export const noConversation = (id: string): AppError =>
  new AppError('not_found', `There is no conversation ${id} with this agent`)

/** A turn in progress, or an earlier one. It continues whether or not a client waits for it. */
export class ChatTurn {
  readonly #parts: ChatParts
  readonly #turn: Turn
  readonly workspaceId: string
  readonly chatId: string
  readonly runId: string
  /** Whether it existed before this request. */
  readonly wasSeen: boolean
  /** The tokens that the run had used before this turn, if it waited for the turn. */
  readonly #spentBefore: TokenUsage

  constructor(parts: ChatParts, turn: Turn, wasSeen: boolean, spentBefore: TokenUsage = noTokens) {
    this.#parts = parts
    this.#turn = turn
    this.workspaceId = turn.workspaceId
    this.chatId = turn.chatId
    this.runId = turn.runId
    this.wasSeen = wasSeen
    this.#spentBefore = spentBefore
  }

  /** Resolves when the turn has ended; rejects with the reason of an aborted signal. */
  async answer(signal: AbortSignal): Promise<TurnAnswer> {
    const turn = await this.#ended(signal)
    const messages = await this.#parts.turns.messages(turn)
    return {
      conversationId: turn.conversationId,
      chatId: turn.chatId,
      runId: turn.runId,
      messageId: messages.find(({ role }) => role === 0)?.id ?? '',
      replies: messages.filter(({ role }) => role === 1),
      error: turn.error,
      annotationId: turn.annotationId,
      waiting: turn.status === 'waiting' ? { options: turn.options ?? [] } : undefined,
      isStopped: turn.status === 'stopped',
    }
  }

  /** The tokens of the turn, which are known once its run has settled. */
  async usage(signal: AbortSignal): Promise<TokenUsage> {
    const run = await settledRun(this.#parts.runs, this, signal)
    // It never started, or was removed.
    if (!run) return noTokens
    const { before = this.#spentBefore, after = run } = this.wasSeen ? await this.#spentAround(signal) : {}
    return {
      promptTokens: after.promptTokens - before.promptTokens,
      completionTokens: after.completionTokens - before.completionTokens,
    }
  }

  /** What the run had used before and after this turn, as far as its events say: it may have continued since then. */
  async #spentAround(signal: AbortSignal): Promise<{ before?: TokenUsage; after?: TokenUsage }> {
    const { workspaceId, runId } = this
    const { eventsAfter } = (await this.#parts.turns.find(this.#turn)) ?? this.#turn
    const spent: { before?: TokenUsage; after?: TokenUsage } = {}
    const first = Math.max(eventsAfter - 1, 0)
    for await (const event of this.#parts.runs.events(workspaceId, runId, first, signal)) {
      const usage = usageAt(event)
      if (usage) spent[event.seq <= eventsAfter ? 'before' : 'after'] = usage
      if (endsTurn(event) && event.seq > eventsAfter) break
    }
    return spent
  }

  /** `after` is the last event that the client has. `withRun` adds the events of the run, except its texts. */
  async *events(after: number | undefined, signal: AbortSignal, withRun = false): AsyncGenerator<TurnEvent> {
    const { runs } = this.#parts
    const turn = await this.#untilBegun(signal)
    const toTurnEvent = turnEventMapper(after === undefined, withRun)
    let last = Math.max(after ?? 0, turn.eventsAfter)
    let end: number | undefined
    const isLateReconnect = after !== undefined && turn.status !== 'active'
    try {
      // Later events of a run that has continued belong to other turns.
      if (!isLateReconnect || (await runs.find(turn.workspaceId, turn.runId))?.chatId === turn.chatId)
        for await (const event of runs.events(turn.workspaceId, turn.runId, last, signal)) {
          if (endsTurn(event)) {
            end = event.seq
            break
          }
          last = event.seq
          const mapped = toTurnEvent(event)
          if (mapped) yield mapped
        }
    } catch (error) {
      // Without a run, because it never started or was removed, the stored answer is complete.
      if (!isNotFound(error) && !signal.aborted) throw error
    }
    if (signal.aborted) return
    const answer = await this.answer(signal)
    yield { id: end ?? (await this.#nextId(answer.runId, last)), event: 'end', answer }
  }

  /** Waits until the run works on the turn: the request that created it may be about to start or resume the run. */
  async #untilBegun(signal: AbortSignal): Promise<Turn> {
    const { turns, runs, lifecycle } = this.#parts
    for (;;) {
      const turn = await turns.find(this.#turn)
      if (!turn) return this.#turn
      if (!this.wasSeen || turn.status !== 'active' || signal.aborted) return turn
      const run = await runs.find(turn.workspaceId, turn.runId)
      if (run && isActive(run.status)) return turn
      await lifecycle.waitForEnd(turn.conversationId, pollMilliseconds, signal).catch(() => {})
      await recoverOldTurn(this.#parts, turn)
    }
  }

  /** The id after the last one, but not beyond the run's own sequence: a client may send any Last-Event-ID. */
  async #nextId(runId: string, last: number): Promise<number> {
    const run = await this.#parts.runs.find(this.#turn.workspaceId, runId)
    return Math.min(last, run?.sequence ?? last) + 1
  }

  async #ended(signal: AbortSignal): Promise<Turn> {
    const { turns, runs, lifecycle } = this.#parts
    for (;;) {
      signal.throwIfAborted()
      const turn = await turns.find(this.#turn)
      if (!turn) throw await this.#goneError()
      if (turn.status !== 'active') return turn
      const run = await runs.find(turn.workspaceId, turn.runId)
      // A waiting run has not got this turn yet.
      if (run && isActive(run.status)) await settledRun(runs, turn, signal)
      else await lifecycle.waitForEnd(turn.conversationId, pollMilliseconds, signal)
      await recoverOldTurn(this.#parts, turn)
    }
  }

  /** The conversation was deleted, or the turn was undone because its run could not start. */
  async #goneError(): Promise<AppError> {
    const { workspaceId, conversationId, chatId } = this.#turn
    if (!(await this.#parts.conversations.find(workspaceId, conversationId)))
      return noConversation(conversationId)
    const message = 'The turn could not start; send it again in a moment'
    return new AppError('unavailable', message, { data: { chat_id: chatId } })
  }
}
