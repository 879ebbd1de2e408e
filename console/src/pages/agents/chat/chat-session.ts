import { ApiFailure } from '../../../api/api-failure.ts'
import type { ChatApi } from './chat-api.ts'
import { type ChatState, emptyState, isLive, type Outgoing } from './chat-state.ts'
import {
  afterEvent,
  type ChatTurn,
  failureIn,
  isUnstored,
  messagesOf,
  type Rating,
  turnsOf,
  withOlder,
} from './chat-turns.ts'
import { deliverTurn, listenToTurn } from './listen-to-turn.ts'

/** One conversation as it is shown and continued. Turns that are not watched any more continue on the server. */
export class ChatSession {
  readonly #api: ChatApi
  readonly #listeners = new Set<() => void>()
  #state = emptyState()
  #left = new AbortController()
  #isLoadingOlder = false
  /** Ratings that are being stored, by message; each resolves with the rating that is stored then. */
  readonly #ratings = new Map<string, Promise<Rating | undefined>>()

  constructor(api: ChatApi) {
    this.#api = api
  }

  readonly read = (): ChatState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Shows a conversation; without an id, a new one that the first message creates. */
  async open(conversationId: string | undefined, { canTalk = true } = {}): Promise<void> {
    // A conversation that was just created here is already shown, with an answer in progress.
    const { isLoading, loadError } = this.#state
    const isShown = conversationId !== undefined && conversationId === this.#state.conversationId
    if (isShown && !isLoading && loadError === undefined) return
    this.close()
    this.#left = new AbortController()
    this.#set(emptyState(conversationId))
    if (conversationId === undefined) return
    const { signal } = this.#left
    try {
      await this.#load(conversationId, signal)
      const turn = this.#state.turns.at(-1)
      if (turn && canTalk) void this.#suggest(conversationId, turn, signal)
      if (!turn || !isLive(turn)) return
      if (!canTalk || !turn.userMessage) return void this.#watch(conversationId, signal)
      // The answer is streamed again from its beginning.
      this.#change(turn.chatId, before => ({ ...before, replies: [] }))
      void this.#listen(conversationId, turn, signal)
    } catch (error) {
      if (!signal.aborted) this.#set({ ...this.#state, isLoading: false, loadError: error })
    }
  }

  /**
   * Uses a conversation that was just created, such as for a file: there is nothing to load, and the shown messages
   * stay.
   */
  begin(conversationId: string): void {
    if (this.#state.conversationId === undefined) this.#set({ ...this.#state, conversationId })
  }

  /** Loads the questions after the newest answer, if the page was left before they were written. */
  async #suggest(conversationId: string, turn: ChatTurn, signal: AbortSignal): Promise<void> {
    const { chatId, phase, suggestions, options, replies } = turn
    const at = replies.at(-1)?.at ?? 0
    if (phase !== 'ended' || suggestions || options || turn.isStopped || Date.now() - at > recentMilliseconds)
      return
    const found = await this.#api.suggestions?.(conversationId, chatId).catch(() => [])
    if (found && !signal.aborted && this.#state.turns.at(-1)?.chatId === chatId)
      this.#change(chatId, before => ({ ...before, suggestions: found }))
  }

  /** Stops listening; runs continue. */
  close(): void {
    this.#left.abort()
  }

  async loadOlder(): Promise<void> {
    const { conversationId, turns, hasOlder } = this.#state
    if (conversationId === undefined || !hasOlder || this.#isLoadingOlder) return
    this.#isLoadingOlder = true
    const { signal } = this.#left
    // Messages that the server has not stored must not count for the offset of the page; duplicates are shown once.
    const stored = turns.filter(turn => !isLive(turn) && !isUnstored(turn))
    const offset = stored.flatMap(messagesOf).length
    try {
      const older = await turnsBefore(this.#api, conversationId, offset, signal)
      const joined = withOlder(older.turns, this.#state.turns)
      if (!signal.aborted) this.#set({ ...this.#state, turns: joined, hasOlder: older.isFull })
    } finally {
      this.#isLoadingOlder = false
    }
  }

  /** Resolves with the id of the conversation, which may be new. */
  send(outgoing: Outgoing): Promise<string | undefined> {
    // If a question is open, the next message answers it.
    const turns = this.#state.turns.map(each =>
      each.options || each.suggestions ? { ...each, options: undefined, suggestions: undefined } : each,
    )
    return this.#begin(outgoing, turns)
  }

  /** Sends a message in place of a turn and all turns after it: edited, or the same to get another answer. */
  replace(chatId: string, outgoing: Outgoing): Promise<string | undefined> {
    const { turns } = this.#state
    const at = turns.findIndex(turn => turn.chatId === chatId)
    const replaced = turns[at]
    if (!replaced) return Promise.resolve(undefined)
    return this.#begin(outgoing, turns.slice(0, at), { chatId, version: (replaced.version ?? 1) + 1 })
  }

  async #begin(
    outgoing: Outgoing,
    before: readonly ChatTurn[],
    place?: { chatId: string; version: number },
  ): Promise<string | undefined> {
    // A conversation that is loading may have a running turn.
    if (this.#state.isLoading || isLive(this.#state.turns.at(-1))) return this.#state.conversationId
    const userMessage = { ...outgoing, id: this.#api.newId('msg'), at: Date.now() }
    const turn: ChatTurn = {
      ...{ chatId: this.#api.newId('chat'), runId: undefined, userMessage, replies: [] },
      phase: 'sending',
      replaces: place?.chatId,
      version: place?.version,
    }
    this.#set({ ...this.#state, turns: [...before, turn] })
    return this.#carry(turn)
  }

  /** Sends the message again: under the same id if the server stored nothing of it, else as a new turn. */
  async sendAgain(turn: ChatTurn): Promise<string | undefined> {
    const { userMessage, failure } = turn
    if (!userMessage) return undefined
    if (failure?.isRecorded)
      return this.send({ type: userMessage.type, content: userMessage.content, fileIds: userMessage.fileIds })
    const again: ChatTurn = { ...turn, phase: 'sending', failure: undefined, replies: [] }
    this.#change(turn.chatId, () => again)
    return this.#carry(again)
  }

  /** Stops the answer; messages so far are kept. */
  async stop(): Promise<void> {
    const turn = this.#state.turns.at(-1)
    const { conversationId } = this.#state
    if (!turn || !isLive(turn) || conversationId === undefined) return
    const runId = turn.runId ?? (await this.#api.activeRun(conversationId))
    if (runId !== undefined) await this.#api.stop(runId, conversationId)
  }

  /** Shows a rating at once. Ratings of one message are stored one after the other, so that the last one stays. */
  async rate(messageId: string, rating: Rating | null, comment = ''): Promise<void> {
    const { conversationId, turns } = this.#state
    if (conversationId === undefined) return
    const reply = turns.flatMap(({ replies }) => replies).find(({ id }) => id === messageId)
    const before = this.#ratings.get(messageId) ?? Promise.resolve(reply?.rating)
    this.#showRating(messageId, rating ?? undefined)
    const store = async (stored: Rating | undefined): Promise<Rating | undefined> => {
      try {
        await this.#api.rate(conversationId, messageId, rating, comment)
        return rating ?? undefined
      } catch (error) {
        failure = error
        return stored
      }
    }
    let failure: unknown
    const storing = before.then(store)
    this.#ratings.set(messageId, storing)
    const stored = await storing
    if (this.#ratings.get(messageId) === storing) {
      this.#ratings.delete(messageId)
      this.#showRating(messageId, stored)
    }
    if (failure !== undefined) throw failure
  }

  #showRating(messageId: string, rating: Rating | undefined): void {
    const turns = this.#state.turns.map(turn =>
      turn.replies.some(({ id }) => id === messageId)
        ? { ...turn, replies: turn.replies.map(each => (each.id === messageId ? { ...each, rating } : each)) }
        : turn,
    )
    this.#set({ ...this.#state, turns })
  }

  /** An earlier version of a turn, with the turns that followed it. */
  async version(chatId: string, version: number): Promise<readonly ChatTurn[]> {
    const { conversationId } = this.#state
    return conversationId === undefined
      ? []
      : turnsOf(await this.#api.version(conversationId, chatId, version))
  }

  /** Creates the conversation if there is none, sends the turn, and streams it in the background. */
  async #carry(turn: ChatTurn): Promise<string | undefined> {
    const { signal } = this.#left
    try {
      const conversationId = this.#state.conversationId ?? (await this.#api.create())
      if (signal.aborted) {
        // The user has switched to another conversation; the message is sent anyway.
        const open = (begun: AbortSignal) => this.#api.chat(conversationId, turn, undefined, begun)
        await deliverTurn(open, this.#api.pause)
        return undefined
      }
      this.#set({ ...this.#state, conversationId })
      void this.#listen(conversationId, turn, signal)
      return conversationId
    } catch (error) {
      // The turn is no longer shown.
      if (signal.aborted) throw error
      this.#fail(turn.chatId, error, signal)
      return undefined
    }
  }

  async #listen(conversationId: string, turn: ChatTurn, signal: AbortSignal): Promise<void> {
    try {
      await listenToTurn({
        open: lastEventId => this.#api.chat(conversationId, turn, lastEventId, signal),
        onEvent: event => this.#change(turn.chatId, before => afterEvent(before, event)),
        pause: breaks => this.#api.pause(breaks),
        signal,
      })
    } catch (error) {
      this.#fail(turn.chatId, error, signal)
    }
  }

  #fail(chatId: string, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    const failure =
      error instanceof ApiFailure
        ? { ...failureIn(error.details), reason: error.reason, message: error.message }
        : { reason: 'unknown', message: String(error), isRecorded: false }
    this.#change(chatId, turn => ({ ...turn, phase: 'failed', failure }))
  }

  async #load(conversationId: string, signal: AbortSignal): Promise<void> {
    const { turns, isFull } = await newestTurns(this.#api, conversationId, signal, !this.#state.isLoading)
    signal.throwIfAborted()
    const { turns: known, isLoading, hasOlder } = this.#state
    this.#set({
      ...this.#state,
      turns: withOlder(known, turns),
      isLoading: false,
      hasOlder: isLoading ? isFull : hasOlder,
    })
  }

  /** Read-only users cannot stream: polls until the answer has ended. */
  async #watch(conversationId: string, signal: AbortSignal): Promise<void> {
    for (let looks = 2; isLive(this.#state.turns.at(-1)) && !signal.aborted; looks += 1) {
      await this.#api.pause(looks)
      // A failed poll may succeed next time.
      if (!signal.aborted) await this.#load(conversationId, signal).catch(() => undefined)
    }
  }

  #change(chatId: string, change: (turn: ChatTurn) => ChatTurn): void {
    const turns = this.#state.turns.map(turn => (turn.chatId === chatId ? change(turn) : turn))
    this.#set({ ...this.#state, turns })
  }

  #set(state: ChatState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

const pageSize = 30
/** Suggested questions are of no use once an answer is old. */
const recentMilliseconds = 3_600_000

interface TurnsPage {
  turns: ChatTurn[]
  /** Whether there may be an earlier page. */
  isFull: boolean
}

async function turnsBefore(
  api: ChatApi,
  conversationId: string,
  offset: number,
  signal: AbortSignal,
): Promise<TurnsPage> {
  const found = await api.retrieve(conversationId, pageSize, offset, signal)
  return { turns: turnsOf(found), isFull: found.length === pageSize }
}

/**
 * The newest turns; the last one with what its messages do not contain: whether it is running, waiting or
 * failed. If its run cannot be loaded it counts as ended, unless `needsRun`: showing the messages matters
 * more.
 */
async function newestTurns(
  api: ChatApi,
  conversationId: string,
  signal: AbortSignal,
  needsRun: boolean,
): Promise<TurnsPage> {
  const { turns, isFull } = await turnsBefore(api, conversationId, 0, signal)
  const last = turns.at(-1)
  if (last?.runId === undefined) return { turns, isFull }
  const run = await api.run(last.runId, signal, { conversationId, chatId: last.chatId }).catch(error => {
    if (needsRun) throw error
    return undefined
  })
  return { turns: turns.with(-1, afterRun(last, run)), isFull }
}

function afterRun(turn: ChatTurn, run: Awaited<ReturnType<ChatApi['run']>>): ChatTurn {
  // A run that continued with a later turn says nothing about this one.
  if (run?.chat_id !== turn.chatId) return turn
  if (run.status === 'waiting') return { ...turn, options: run.waiting?.options ?? [] }
  if (run.status === 'failed' && run.error) {
    const { reason, message } = run.error
    return { ...turn, phase: 'failed', failure: { reason, message, isRecorded: true } }
  }
  if (run.status === 'stopped') return { ...turn, isStopped: true }
  return run.status === 'running' || run.status === 'queued' ? { ...turn, phase: 'answering' } : turn
}
