import { hash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Cluster } from '../cluster/cluster.ts'
import type { Reason } from '../contract/error-codes.ts'
import type { Clock } from '../kernel/clock.ts'
import { unlessAborted } from '../kernel/unless-aborted.ts'
import type { Settled } from '../workflow/run/run-listener.ts'
import {
  type Message,
  type NewMessage,
  storableText,
  type Turn,
  type TurnError,
  type TurnKey,
} from './conversation.ts'
import type { TurnEnd, TurnStore } from './turn-store.ts'

interface EndedTurn extends Pick<TurnEnd, 'status' | 'error' | 'waitingRunId' | 'options'> {
  /** There is no run whose record holds the reason. */
  hasNoRun?: boolean
}

const statuses = { waiting: 'waiting', succeeded: 'done', failed: 'failed', stopped: 'stopped' } as const

const unknownError: TurnError = { reason: 'internal', message: 'The run failed for an unknown reason' }

type RunEnd = Pick<Settled, 'status' | 'error' | 'waiting'>

/** How a turn ends when its run ends or starts to wait. */
export const endOfRun = (runId: string, { status, error, waiting }: RunEnd): EndedTurn => {
  const waitingRunId = status === 'waiting' ? runId : null
  // The turn failed with its answer, and the next one can answer again.
  if (waiting?.failure) return { status: 'failed', waitingRunId, error: waiting.failure }
  return {
    ...{ status: statuses[status], waitingRunId, options: waiting?.options },
    ...(status === 'failed' && { error: error ?? unknownError }),
  }
}

const endedTopic = 'turns.ended'

/** Ends turns. It does not know runs, so the listener below them and the service above them can both use it. */
export class TurnLifecycle {
  readonly #turns: TurnStore
  readonly #clock: Clock
  readonly #cluster: Pick<Cluster, 'publish'>
  /** Emits the id of a conversation when its turn ends. */
  readonly #ends = new EventEmitter().setMaxListeners(0)

  /** Turns whose runs this process is starting. Their age does not matter: the clock may be set, or the process stall. */
  readonly #starting = new Set<string>()

  constructor(turns: TurnStore, clock: Clock, cluster: Pick<Cluster, 'publish' | 'subscribe'>) {
    this.#turns = turns
    this.#clock = clock
    this.#cluster = cluster
    cluster.subscribe(endedTopic, conversationId => this.#ends.emit(conversationId))
  }

  async whileStarting<Result>(turn: TurnKey, start: () => Promise<Result>): Promise<Result> {
    this.#starting.add(keyOf(turn))
    try {
      return await start()
    } finally {
      this.#starting.delete(keyOf(turn))
    }
  }

  isStarting(turn: TurnKey): boolean {
    return this.#starting.has(keyOf(turn))
  }

  /** Ends a turn, with a reply that reports the error if it failed. Ending it again changes nothing. */
  async end(key: TurnKey & { runId: string }, end: EndedTurn): Promise<void> {
    const turn = await this.#turns.find(key)
    if (turn?.status === 'active') await this.#end({ ...turn, runId: key.runId }, end)
    // Published even if the turn had ended before: the process that ended it may have crashed before it published.
    this.#cluster.publish(endedTopic, key.conversationId)
  }

  async #end(turn: Turn, { hasNoRun, error, ...end }: EndedTurn): Promise<void> {
    if (!error) {
      await this.#turns.end(turn, end)
      return
    }
    const [question] = await this.#turns.messages({ ...turn, lastPosition: turn.firstPosition })
    const isChinese = /\p{Script=Han}/u.test(question?.content ?? '')
    const shown = turn.isAnonymous ? publicError(error, hasNoRun ? undefined : turn.runId, isChinese) : error
    const stored = { reason: shown.reason, message: storableText(shown.message) }
    const reply = failureReply(turn, stored.message, isChinese, this.#clock.now())
    await this.#turns.end(turn, { ...end, error: stored, reply })
  }

  /** Removes an active turn, as if it had never been sent; see `TurnStore.undo`. */
  async undo(turn: TurnKey, waitingRunId?: string): Promise<boolean> {
    const isUndone = await this.#turns.undo(turn, waitingRunId)
    if (isUndone) this.#cluster.publish(endedTopic, turn.conversationId)
    return isUndone
  }

  /** Resolves when a turn of the conversation ends, or after the time; rejects with the signal's reason. */
  async waitForEnd(conversationId: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, milliseconds)
    this.#ends.once(conversationId, resolve)
    try {
      await unlessAborted(promise, signal)
    } finally {
      clearTimeout(timer)
      this.#ends.off(conversationId, resolve)
    }
  }
}

const keyOf = ({ workspaceId, conversationId, chatId }: TurnKey): string =>
  `${workspaceId} ${conversationId} ${chatId}`

/** Errors whose messages name settings, addresses and nodes, which only the owner of the agent may see. */
const internalReasons: ReadonlySet<Reason> = new Set<Reason>([
  'model_failed',
  'not_configured',
  'search_failed',
  'step_failed',
  'workflow_not_runnable',
])

/** The error as a user without a token sees it; the record of the run keeps the details for the owner. */
function publicError(error: TurnError, runId: string | undefined, isChinese: boolean): TurnError {
  if (!internalReasons.has(error.reason)) return error
  const where = isChinese
    ? runId === undefined
      ? '它的所有者用令牌与它对话即可看到原因'
      : `它的所有者可在运行记录 ${runId} 中查看原因`
    : `its owner can find the reason ${runId === undefined ? 'by chatting with it using a token' : `in run ${runId}`}`
  const message = isChinese ? `智能体暂时无法回答；${where}` : `The agent cannot answer right now; ${where}`
  return { reason: error.reason, message }
}

/** Lets later turns recognize messages of the server, which are not the agent's own. */
const failurePrefix = 'msg_failed_'

/** Whether a message reports why its turn failed. */
export const isFailureReply = ({ id, role }: Pick<Message, 'id' | 'role'>): boolean =>
  role === 1 && id.startsWith(failurePrefix)

/** The reply of a failed turn, in the language of the question. */
function failureReply({ runId, chatId }: Turn, message: string, isChinese: boolean, at: number): NewMessage {
  const content = isChinese ? `抱歉，这次没有完成：${message}` : `Sorry, this did not work: ${message}`
  // Deterministic, so that a reply that is reported twice is stored once.
  const name = hash('sha256', JSON.stringify([runId, chatId, 'failure']), 'base64url').slice(0, 22)
  return { id: failurePrefix + name, dataType: 'text', content, fileIds: [], at }
}
