import { ApiFailure } from '../../../api/api-failure.ts'
import type { ChatApi } from './chat-api.ts'
import { type ChatState, emptyState, isLive, type Outgoing } from './chat-state.ts'
import {
  afterEvent,
  type ChatTurn,
  failureIn,
  messagesOf,
  type Rating,
  turnsOf,
  withOlder,
} from './chat-turns.ts'
import { listenToTurn } from './listen-to-turn.ts'

const pageSize = 30

/** One conversation as it is shown and carried on. Turns that nobody listens to any more go on at the server. */
export class ChatSession {
  readonly #api: ChatApi
  readonly #listeners = new Set<() => void>()
  #state = emptyState()
  #left = new AbortController()
  #isLoadingOlder = false

  constructor(api: ChatApi) {
    this.#api = api
  }

  readonly read = (): ChatState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Shows a conversation; without an id, a new one that the first message makes. */
  async open(conversationId: string | undefined, { canTalk = true } = {}): Promise<void> {
    // A conversation that was just made here is shown already, with an answer under way.
    const { isLoading, loadError } = this.#state
    const isShown = conversationId !== undefined && conversationId === this.#state.conversationId
    if (isShown && !isLoading && loadError === undefined) return
    this.close()
    this.#left = new AbortController()
    this.#set(emptyState(conversationId))
    if (conversationId === undefined) return
    const { signal } = this.#left
    try {
      const found = await this.#api.retrieve(conversationId, pageSize, 0, signal)
      const turns = turnsOf(found)
      this.#set({ ...this.#state, turns, isLoading: false, hasOlder: found.length === pageSize })
      await this.#takeUp(turns.at(-1), canTalk, signal)
    } catch (error) {
      if (!signal.aborted) this.#set({ ...this.#state, isLoading: false, loadError: error })
    }
  }

  /** Stops listening; what runs goes on. */
  close(): void {
    this.#left.abort()
  }

  async loadOlder(): Promise<void> {
    const { conversationId, turns, hasOlder } = this.#state
    if (conversationId === undefined || !hasOlder || this.#isLoadingOlder) return
    this.#isLoadingOlder = true
    const { signal } = this.#left
    const offset = turns.flatMap(messagesOf).length
    try {
      const found = await this.#api.retrieve(conversationId, pageSize, offset, signal)
      const joined = withOlder(turnsOf(found), this.#state.turns)
      if (!signal.aborted) this.#set({ ...this.#state, turns: joined, hasOlder: found.length === pageSize })
    } finally {
      this.#isLoadingOlder = false
    }
  }

  /** Gives the id of the conversation, which may be new. */
  async send(outgoing: Outgoing): Promise<string | undefined> {
    if (isLive(this.#state.turns.at(-1))) return this.#state.conversationId
    const said = { ...outgoing, id: this.#api.newId('msg'), at: Date.now() }
    const turn: ChatTurn = {
      ...{ chatId: this.#api.newId('chat'), runId: undefined, said, replies: [] },
      phase: 'sending',
    }
    // A question is answered by whatever is said next.
    const turns = this.#state.turns.map(each => (each.options ? { ...each, options: undefined } : each))
    this.#set({ ...this.#state, turns: [...turns, turn] })
    return this.#carry(turn)
  }

  /** Says it once more: under the same id where the server kept nothing of it, else as a new turn. */
  async sendAgain(turn: ChatTurn): Promise<string | undefined> {
    const { said, failure } = turn
    if (!said) return undefined
    if (failure?.isRecorded)
      return this.send({ type: said.type, content: said.content, fileIds: said.fileIds })
    const again: ChatTurn = { ...turn, phase: 'sending', failure: undefined, replies: [] }
    this.#change(turn.chatId, () => again)
    return this.#carry(again)
  }

  /** Stops the answer; what was said so far stays. */
  async stop(): Promise<void> {
    const turn = this.#state.turns.at(-1)
    const { conversationId } = this.#state
    if (!turn || !isLive(turn) || conversationId === undefined) return
    const runId = turn.runId ?? (await this.#api.activeRun(conversationId))
    if (runId !== undefined) await this.#api.stop(runId)
  }

  async rate(messageId: string, rating: Rating | null, comment = ''): Promise<void> {
    const { conversationId } = this.#state
    if (conversationId === undefined) return
    await this.#api.rate(conversationId, messageId, rating, comment)
    const turns = this.#state.turns.map(turn => ({
      ...turn,
      replies: turn.replies.map(reply =>
        reply.id === messageId ? { ...reply, rating: rating ?? undefined } : reply,
      ),
    }))
    this.#set({ ...this.#state, turns })
  }

  /** Makes the conversation where there is none, sends the turn, and hears it in the background. */
  async #carry(turn: ChatTurn): Promise<string | undefined> {
    const { signal } = this.#left
    try {
      const conversationId = this.#state.conversationId ?? (await this.#api.create())
      if (signal.aborted) return undefined
      this.#set({ ...this.#state, conversationId })
      void this.#listen(conversationId, turn, signal)
      return conversationId
    } catch (error) {
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

  /** What the record of messages does not tell of the last turn: whether it still runs, waits or failed. */
  async #takeUp(turn: ChatTurn | undefined, canTalk: boolean, signal: AbortSignal): Promise<void> {
    const { conversationId } = this.#state
    if (turn?.runId === undefined || conversationId === undefined) return
    const run = await this.#api.run(turn.runId, signal)
    if (run?.chat_id !== turn.chatId || isLive(this.#state.turns.at(-1))) return
    if (run.status === 'waiting')
      this.#change(turn.chatId, before => ({ ...before, options: run.waiting?.options ?? [] }))
    else if (run.status === 'failed' && run.error) {
      const { reason, message } = run.error
      const failure = { reason, message, isRecorded: true }
      this.#change(turn.chatId, before => ({ ...before, phase: 'failed', failure }))
    } else if ((run.status === 'running' || run.status === 'queued') && canTalk && turn.said) {
      this.#change(turn.chatId, before => ({ ...before, phase: 'answering', replies: [] }))
      void this.#listen(conversationId, turn, signal)
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
