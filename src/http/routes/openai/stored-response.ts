import type { TokenRecord } from '../../../access/access-store.ts'
import type { Message, Turn } from '../../../conversations/conversation.ts'
import type { TurnAnswer } from '../../../conversations/turn-events.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { RunRecord } from '../../../workflow/run/store/run-records.ts'
import { runState } from '../run-waits.ts'
import { turnExchange } from './agent-exchange.ts'
import { failureOf } from './completions.ts'
import { type OpenaiParts, reachedConversation, type StoredExchange } from './exchange.ts'
import { idPart, referenceOf } from './item-ids.ts'
import { workflowModelId } from './models.ts'
import { type Final, outputOf, responseOf } from './responses.ts'

type Status = Turn['status'] | RunRecord['status']

const statuses: Record<Status, Final['status']> = {
  ...{ active: 'in_progress', queued: 'in_progress', running: 'in_progress' },
  // A question is a complete response.
  ...{ done: 'completed', succeeded: 'completed', waiting: 'completed' },
  ...{ failed: 'failed', stopped: 'cancelled' },
}

interface Stored {
  exchange: StoredExchange
  model: string
  status: Final['status']
  createdAt: number
}

interface Retrieval {
  /** The origin of this server, as the client calls it. */
  origin: string
  signal: AbortSignal
}

/** The response to an earlier request, as far as it is stored. */
export async function storedResponse(
  parts: OpenaiParts,
  token: TokenRecord,
  id: string,
  { origin, signal }: Retrieval,
) {
  const { exchange, model, status, createdAt } = await find(parts, token, id)
  const created = Math.floor(createdAt / 1000)
  if (status === 'in_progress') return responseOf(exchange, { model }, created, { status })
  const answer = await exchange.answer(signal)
  const output = await outputOf({ runs: parts.runs, exchange, origin }, answer, signal)
  return responseOf(exchange, { model }, created, { status, ...output, error: failureOf(answer) })
}

async function find(parts: OpenaiParts, token: TokenRecord, id: string): Promise<Stored> {
  const reference = referenceOf('resp', id)
  if (!reference) throw noResponse(id)
  const found =
    'runId' in reference
      ? await findRun(parts, token, reference.runId)
      : await findTurn(parts, token, reference.conversationId, `chat_${reference.id}`)
  if (!found) throw noResponse(id)
  return found
}

const noResponse = (id: string): AppError => new AppError('not_found', `There is no response ${id}`)

async function findTurn(
  parts: OpenaiParts,
  token: TokenRecord,
  conversationId: string,
  chatId: string,
): Promise<Stored | undefined> {
  const { workspaceId } = token
  const { agentId } = await reachedConversation(parts, { token, workspaceId, agentId: '' }, conversationId)
  const turn = await parts.chats.findTurn({ workspaceId, conversationId, chatId })
  if (!turn) return undefined
  const exchange = turnExchange(conversationId, parts.chats.earlierTurn(turn))
  return { exchange, model: agentId, status: statuses[turn.status], createdAt: turn.createdAt }
}

/** A token that is bound to agents sees nothing of runs of workflows. */
async function findRun(
  { runs }: OpenaiParts,
  { workspaceId, agentIds }: TokenRecord,
  runId: string,
): Promise<Stored | undefined> {
  const run = agentIds.length === 0 ? await runs.find(workspaceId, runId) : undefined
  if (run?.conversationId !== '') return undefined
  const answer = async (signal: AbortSignal): Promise<TurnAnswer> => {
    const state = await runState(runs, workspaceId, { runId }, { seconds: undefined, stopping: signal })
    const sent = state.messages.map(
      ({ message_id, data_type, content, file_list, timestamp }): Message => ({
        ...{ id: message_id, chatId: '', role: 1, dataType: data_type, content },
        ...{ fileIds: file_list, at: timestamp },
      }),
    )
    // Messages are deleted with the events of the run; its answer stays.
    const whole: Message = {
      ...{ id: '', chatId: '', role: 1, dataType: 'text', content: run.answer },
      ...{ fileIds: [], at: run.createdAt },
    }
    const replies = sent.length > 0 ? sent : [whole]
    const ids = { conversationId: '', chatId: '', runId, messageId: '' }
    return { ...ids, replies, error: run.error, waiting: run.waiting, isStopped: run.status === 'stopped' }
  }
  const ids = { id: idPart(runId), workspaceId, runId, conversationId: '' }
  return {
    exchange: { ...ids, answer, usage: async () => run },
    ...{ model: workflowModelId(run.workflowId), status: statuses[run.status], createdAt: run.createdAt },
  }
}
