import type { Agent } from '../agents/agent.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { dayMilliseconds } from '../kernel/clock.ts'
import { FairShare } from '../kernel/fair-share.ts'
import { mintId } from '../kernel/ids.ts'
import { inSlices } from '../kernel/slices.ts'
import { citationMark, citationsIn, citingSteps } from '../workflow/citations.ts'
import { keptSteps } from './answer-steps.ts'
import {
  type ChatParts,
  type ChatRequest,
  type ChatTarget,
  checkAgent,
  readInput,
  visibleFiles,
} from './chat-request.ts'
import { ChatTurn, noConversation, pollMilliseconds } from './chat-turn.ts'
import type { Conversation, Turn, TurnKey } from './conversation.ts'
import { conversationInputs } from './conversation-inputs.ts'
import type { NewTurn } from './locked-conversation.ts'
import { generateTitle, suggestQuestions } from './small-tasks.ts'
import { titleFrom } from './title.ts'
import {
  isNotFound,
  recoverOldTurn,
  recoverTurn,
  startTurn,
  stillRunning,
  waitMilliseconds,
} from './turn-run.ts'

interface CreatedTurn {
  turn: ChatTurn
  /** Resolves when no process works on it any more. */
  settled: Promise<unknown>
}

const recoveryBatch = 100

const tooManyAnonymous = (): AppError =>
  new AppError(
    'rate_limited',
    'Too many conversations without a token are active; try again in a few seconds',
    {
      headers: { 'retry-after': '2' },
    },
  )

export class ChatService {
  readonly #parts: ChatParts
  /** Turns without a token, by workspace. */
  readonly #anonymous: FairShare

  /** Requests of suggestions in progress, by turn. */
  readonly #suggesting = new Map<string, Promise<readonly string[]>>()

  constructor(parts: ChatParts) {
    this.#parts = parts
    this.#anonymous = new FairShare(parts.anonymousTurns ?? limits.anonymousTurns)
  }

  /** Resolves when the turn is stored and its run has started, or when it turns out to be an earlier one. */
  async chat(target: ChatTarget, request: ChatRequest, signal: AbortSignal): Promise<ChatTurn> {
    const { workspaceId, conversation, isAnonymous } = target
    const { chatId } = request
    const known =
      chatId !== undefined &&
      (await this.#parts.turns.find({ workspaceId, conversationId: conversation.id, chatId }))
    if (known) {
      await this.#refuseOther(known, request)
      if (!(await this.#neverRan(known))) return new ChatTurn(this.#parts, known, true)
    }
    const create = () => this.#create(target, request, Boolean(known), signal)
    return isAnonymous ? this.#limited(workspaceId, create) : (await create()).turn
  }

  findTurn(key: TurnKey): Promise<Turn | undefined> {
    return this.#parts.turns.find(key)
  }

  earlierTurn(turn: Turn): ChatTurn {
    return new ChatTurn(this.#parts, turn, true)
  }

  /** Limits concurrent turns without a token, so that others have capacity, too. A turn counts until it has settled. */
  async #limited(workspaceId: string, create: () => Promise<CreatedTurn>): Promise<ChatTurn> {
    if (!this.#anonymous.take(workspaceId, 1)) throw tooManyAnonymous()
    const release = (): void => this.#anonymous.give(workspaceId, 1)
    try {
      const { turn, settled } = await create()
      settled.then(release, release)
      return turn
    } catch (error) {
      release()
      throw error
    }
  }

  /** A client that has only read the conversation knows its message as stored: without inputs, with a transcript. */
  async #refuseOther(turn: Turn, request: ChatRequest): Promise<void> {
    const { fingerprint, keyField = '/chat_id', dataType, content, fileIds } = request
    if (fingerprint === '' || turn.fingerprint === '' || turn.fingerprint === fingerprint) return
    if (keyField === '/chat_id' && !request.inputs) {
      const [stored] = await this.#parts.turns.messages({ ...turn, lastPosition: turn.firstPosition })
      const isSame = stored?.dataType === dataType && stored.content === content
      if (isSame && stored.fileIds.join() === fileIds.join()) return
    }
    const name = keyField.split('/').at(-1)
    throw new AppError(
      'version_conflict',
      `This ${name} was used with another message; use a new one for each message`,
      { errors: [{ path: keyField, message: 'was used with another message' }] },
    )
  }

  /** Whether a crash kept the turn from its run, new or waiting for an answer; it gets one when it is sent again. */
  async #neverRan(turn: Turn): Promise<boolean> {
    if (turn.status !== 'failed' || turn.error?.reason !== 'unavailable') return false
    return (await this.#parts.runs.find(turn.workspaceId, turn.runId))?.chatId !== turn.chatId
  }

  async #create(target: ChatTarget, request: ChatRequest, reopen: boolean, signal: AbortSignal) {
    const { workspaceId, agent, conversation, isAnonymous } = target
    const { dataType, fileIds, fingerprint, timestamp } = request
    await target.admit()
    const now = this.#parts.clock.now()
    if (timestamp !== undefined && timestamp > now + dayMilliseconds)
      throw invalidField('/timestamp', 'is in the future; send milliseconds since 1970')
    const input = await readInput(this.#parts, target, request, signal)
    await checkAgent(this.#parts, target, agent, dataType)
    const keepInputs = await conversationInputs(this.#parts, target, request)
    const { content } = input
    const name = dataType === 'action' ? '' : titleFrom(content)
    const newTurn: NewTurn = {
      ...{ workspaceId, conversationId: conversation.id, chatId: request.chatId ?? mintId('chat') },
      ...{ runId: mintId('run'), isAnonymous, fingerprint, reopen, at: now, replaces: request.replaces },
      message: { id: request.messageId ?? mintId('msg'), dataType, content, fileIds, at: timestamp ?? now },
      fallbackId: mintId('msg'),
      ...{ name, after: target.after, keepInputs },
      // The name is set here, because setting it later would index it a second time.
      opening: target.earlier && { conversation: { ...conversation, name }, earlier: target.earlier },
    }
    const created = await this.#waitAndCreate(newTurn, signal)
    if (created.outcome === 'existing') {
      await this.#refuseOther(created.turn, request)
      return { turn: new ChatTurn(this.#parts, created.turn, true), settled: Promise.resolve() }
    }
    const { abandonedRunId } = created
    const userId = request.userId ?? conversation.userId
    const inputs = { ...created.inputs, ...request.inputs, ...request.turnInputs }
    const files = visibleFiles(this.#parts.files, target)
    // Only a plain question: a file or an action means more than its text.
    const isQuestion =
      (dataType === 'text' || dataType === 'voice') && fileIds.length === (dataType === 'voice' ? 1 : 0)
    const annotation =
      isQuestion &&
      created.waitingRunId === undefined &&
      (await this.#parts.annotations.match(workspaceId, agent, content))
    const started = {
      ...{ agent, turn: created.turn, userId, dataType, input, inputs, files },
      annotation: annotation || undefined,
      abandonedRunId,
    }
    // It may get another run than the one that waited.
    const { runId, settled, spentBefore } = await this.#parts.lifecycle.whileStarting(created.turn, () =>
      startTurn(this.#parts, started, created.waitingRunId),
    )
    // Only now: a turn that could not start is undone, and that run goes on waiting.
    if (abandonedRunId !== undefined) await this.#parts.runs.stop(workspaceId, abandonedRunId).catch(() => {})
    void settled.then(() => this.#keepSteps(created.turn))
    if (created.turn.firstPosition === 1) void settled.then(() => this.#title(agent, created.turn, name))
    return { turn: new ChatTurn(this.#parts, { ...created.turn, runId }, false, spentBefore), settled }
  }

  /** Stores how the answer came about: the chat shows it longer than the run is kept. */
  async #keepSteps({ workspaceId, conversationId, chatId }: Turn): Promise<void> {
    try {
      const turn = await this.#parts.turns.find({ workspaceId, conversationId, chatId })
      if (!turn) return
      // A run that waited has steps of earlier turns.
      const since = turn.eventsAfter === 0 ? 0 : turn.createdAt
      const outputs = await this.#parts.runs.thoughtOutputs(workspaceId, turn.runId, since)
      const steps = outputs.length > 0 ? keptSteps(outputs) : undefined
      if (steps) await this.#parts.turns.set(turn, { steps })
    } catch {
      // The answer is complete without them, and the trace has them for a while.
    }
  }

  /** Lets the small model name a conversation after its first answer, unless a user has renamed it meanwhile. */
  async #title(agent: Agent, { workspaceId, conversationId, chatId }: Turn, name: string): Promise<void> {
    try {
      const turn = await this.#parts.turns.find({ workspaceId, conversationId, chatId })
      if (turn?.status !== 'done') return
      const title = await generateTitle(this.#parts, agent, turn, await this.#parts.turns.messages(turn))
      if (title) await this.#parts.conversations.rename(workspaceId, conversationId, title, name)
    } catch {
      // The start of the first message stays its name.
    }
  }

  /** Waits until no other turn of the conversation is active. */
  async #waitAndCreate(turn: NewTurn, signal: AbortSignal) {
    const { turns, lifecycle } = this.#parts
    const deadline = performance.now() + waitMilliseconds(this.#parts)
    for (;;) {
      const created = await turns.create(turn)
      if (created.outcome === 'gone') throw noConversation(turn.conversationId)
      if (created.outcome === 'moved')
        throw new AppError('version_conflict', 'Another message was sent meanwhile; send the request again')
      if (created.outcome === 'irreplaceable')
        throw invalidField(
          '/replaces',
          created.startedBy === undefined
            ? `must be the chat_id of a turn among the newest ${limits.replacedMessages} messages of this conversation`
            : `is the answer to a question, and the run has gone on with it; replace the turn that started the run, ${created.startedBy}`,
        )
      if (created.outcome !== 'busy') return created
      const left = deadline - performance.now()
      if (left <= 0) throw stillRunning(turn, created.active.chatId)
      await lifecycle.waitForEnd(turn.conversationId, Math.min(left, pollMilliseconds), signal)
      await recoverOldTurn(this.#parts, created.active)
    }
  }

  /** A turn with its messages so far, and what its replies cite. */
  async turn(workspaceId: string, conversationId: string, chatId: string) {
    const turn = await this.#parts.turns.find({ workspaceId, conversationId, chatId })
    if (!turn) throw new AppError('not_found', `There is no turn ${chatId} in this conversation`)
    const replies = (await this.#parts.turns.messages(turn)).filter(({ role }) => role === 1)
    const isCited = replies.some(({ content }) => content.search(citationMark) >= 0)
    // A run is removed after its retention, and its passages with it.
    const steps = isCited ? await this.#parts.runs.steps(workspaceId, turn.runId).catch(() => []) : []
    const citing = await inSlices(citingSteps(steps))
    const citations = replies.flatMap(({ id: messageId, content }) => {
      const cited = new Map(citationsIn(content, citing).map(citation => [citation.index, citation]))
      return [...cited.values()].map(({ index, fileName, sourceUrl, content, page, lastPage }) => ({
        ...{ messageId, index, fileName, sourceUrl, content, page, lastPage },
      }))
    })
    return { turn, replies, citations }
  }

  /** A model writes them at the first request; two processes may both ask it, which does no harm. */
  async suggestions(agent: Agent, key: TurnKey): Promise<readonly string[]> {
    const turn = await this.#parts.turns.find(key)
    if (!turn) throw new AppError('not_found', `There is no turn ${key.chatId} in this conversation`)
    if (agent.config.suggest_questions !== true || turn.status !== 'done') return []
    if (turn.suggestions) return turn.suggestions
    const name = JSON.stringify([key.workspaceId, key.conversationId, key.chatId])
    const pending = this.#suggesting.get(name) ?? this.#suggest(agent, turn)
    this.#suggesting.set(name, pending)
    return pending.finally(() => this.#suggesting.delete(name))
  }

  async #suggest(agent: Agent, turn: Turn): Promise<readonly string[]> {
    const messages = await this.#parts.turns.messages(turn)
    const questions = await suggestQuestions(this.#parts, agent, turn, messages)
    await this.#parts.turns.set(turn, { suggestions: questions })
    return questions
  }

  /** An earlier version of a turn: one that it replaced. */
  async version(key: TurnKey, version: number) {
    const turn = await this.#parts.turns.find(key)
    const found = turn && (await this.#parts.turns.version(turn, version))
    if (!found)
      throw new AppError('not_found', `There is no earlier version ${version} of the turn ${key.chatId}`)
    return { chatId: found.turn.chatId, versions: turn.version, messages: found.messages }
  }

  /** Stops the turn in progress, if its run has started. */
  async stop(workspaceId: string, { id, activeChatId: chatId }: Conversation): Promise<boolean> {
    const key = { workspaceId, conversationId: id }
    const turn = chatId === undefined ? undefined : await this.#parts.turns.find({ ...key, chatId })
    if (turn?.status !== 'active') return false
    return this.#parts.runs.stop(workspaceId, turn.runId).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false
        throw error
      },
    )
  }

  /** Ends turns that a crash left without a run: at `before`, no process was still starting the run of an older turn. */
  async endInterrupted({ before }: { before?: number } = {}): Promise<void> {
    const createdBefore = before ?? this.#parts.clock.now() - limits.turnStartMilliseconds
    for (let last: Turn | undefined; ; ) {
      const found = await this.#parts.turns.active(createdBefore, recoveryBatch, last)
      for (const turn of found) await recoverTurn(this.#parts, turn)
      last = found.at(-1)
      if (found.length < recoveryBatch) return
    }
  }
}
