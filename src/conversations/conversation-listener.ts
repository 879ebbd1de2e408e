import type { AgentStore } from '../agents/agent-store.ts'
import type { FileService } from '../files/file-service.ts'
import type { ObservedRun, RunListener, RunMessage, Settled } from '../workflow/run/runs.ts'
import type { HistoryEntry } from '../workflow/step.ts'
import { endOf, endTurn, type TurnParts } from './end-turn.ts'
import { recallHistory } from './recall-history.ts'
import { boundedReply, storableText } from './storable-text.ts'

/** Longer names of values cannot be held by an index of every database. */
const memoryKeyLength = 200

interface ListenerParts extends TurnParts {
  agents: Pick<AgentStore, 'find'>
  files: Pick<FileService, 'info'>
}

/**
 * Writes down what runs say in conversations. Everything may be told again after a crash, so every step leaves alone
 * what is written already; and a conversation that was deleted meanwhile is passed over in silence.
 */
export class ConversationListener implements RunListener {
  readonly #parts: ListenerParts

  constructor(parts: ListenerParts) {
    this.#parts = parts
  }

  async recall(run: ObservedRun): Promise<{ history: HistoryEntry[]; memory: Record<string, unknown> }> {
    const { workspaceId, conversationId, chatId } = run
    if (conversationId === '') return { history: [], memory: await this.#defaults(run) }
    const { store } = this.#parts
    const turn = await store.findTurn(workspaceId, conversationId, chatId)
    const stored = await store.memory(workspaceId, conversationId, run.userId)
    return {
      history: turn ? await recallHistory(this.#parts, workspaceId, conversationId, turn.firstPosition) : [],
      memory: Object.fromEntries([...Object.entries(await this.#defaults(run)), ...stored]),
    }
  }

  async #defaults({ workspaceId, agentId }: ObservedRun): Promise<Record<string, unknown>> {
    const agent = agentId === '' ? undefined : await this.#parts.agents.find(workspaceId, agentId)
    const entries = Object.entries(agent?.memory ?? {})
    return Object.fromEntries(entries.map(([key, entry]) => [key, entry.default ?? '']))
  }

  async remember(run: ObservedRun, values: Readonly<Record<string, unknown>>): Promise<void> {
    const kept = new Map(
      Object.entries(values)
        .map(([key, value]) => [storableText(key), value] as const)
        .filter(([key]) => key !== '' && key.length <= memoryKeyLength),
    )
    if (run.conversationId === '' || kept.size === 0) return
    const { store, clock } = this.#parts
    await store.remember(run.workspaceId, run.conversationId, run.userId, kept, clock.now())
  }

  async messageSent(run: ObservedRun, message: RunMessage): Promise<void> {
    if (run.conversationId === '') return
    const { id, dataType, content, fileIds, at } = message
    const reply = { id, dataType, content: boundedReply(storableText(content)), fileIds, at }
    await this.#parts.store.addReply(run.workspaceId, run.conversationId, run.chatId, reply)
  }

  async settled(run: ObservedRun, { status, error }: Settled): Promise<void> {
    if (run.conversationId === '') return
    const { conversationId, chatId, id: runId } = run
    const turn = { conversationId, chatId, runId }
    await endTurn(this.#parts, run.workspaceId, turn, endOf(runId, status, error))
  }
}
