import type { Clock } from '../kernel/clock.ts'
import type { RunStatus } from '../workflow/run/run-store.ts'
import type { Turn, TurnError, TurnStatus } from './conversation.ts'
import type { ConversationStore } from './conversation-store.ts'
import { failureReply, neutralError } from './failure-reply.ts'
import { storableText } from './storable-text.ts'
import type { TurnWaiters } from './turn-waiters.ts'

export interface EndedTurn {
  status: Exclude<TurnStatus, 'active'>
  error?: TurnError | undefined
  /** The run that waits now, null for none; left out, it stays as it is. */
  waitingRunId?: string | null
  /** There is no run that could tell more. */
  hasNoRun?: boolean
}

export interface TurnParts {
  store: ConversationStore
  waiters: TurnWaiters
  clock: Clock
}

const statuses = { waiting: 'waiting', succeeded: 'done', failed: 'failed', stopped: 'stopped' } as const

const unexplained: TurnError = { reason: 'internal', message: 'The run failed without saying why' }

/** How a turn ends when its run does, or when that begins to wait. */
export function endOf(
  runId: string,
  status: Exclude<RunStatus, 'queued' | 'running'>,
  error: TurnError | undefined,
): EndedTurn {
  return {
    status: statuses[status],
    waitingRunId: status === 'waiting' ? runId : null,
    ...(status === 'failed' && { error: error ?? unexplained }),
  }
}

/** Ends a turn, with a reply that says so where it failed. Ending one again changes nothing. */
export async function endTurn(
  { store, waiters, clock }: TurnParts,
  workspaceId: string,
  turn: Pick<Turn, 'conversationId' | 'chatId' | 'runId'>,
  { status, error: failure, waitingRunId, hasNoRun }: EndedTurn,
): Promise<void> {
  const { conversationId, chatId } = turn
  const at = clock.now()
  const known = await store.findTurn(workspaceId, conversationId, chatId)
  if (known?.status === 'active') {
    const question =
      failure && (await store.messages(workspaceId, conversationId, known.firstPosition, 1))[0]?.content
    const told =
      failure &&
      (known.isAnonymous ? neutralError(hasNoRun ? undefined : turn.runId, question ?? '', failure) : failure)
    const error = told && { reason: told.reason, message: storableText(told.message) }
    await store.endTurn(workspaceId, conversationId, chatId, {
      status,
      error,
      reply: error && failureReply(turn, question ?? '', error, at),
      ...(waitingRunId !== undefined && { waitingRunId }),
      at,
    })
  }
  // Even where it had ended: whoever told that may have died before anybody was woken.
  waiters.wake(conversationId)
}
