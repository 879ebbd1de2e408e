import { limits } from '../contract/limits.ts'
import type { Runs } from '../workflow/run/runs.ts'
import type { Turn } from './conversation.ts'
import { endOf, endTurn, type TurnParts } from './end-turn.ts'
import { findRun } from './find-run.ts'

const interrupted = {
  reason: 'unavailable',
  message:
    'The server was interrupted before it could begin; please send the message again, with the same chat_id',
} as const

/**
 * Ends a turn that nobody will end any more: the process died between storing the message and starting its run. A run
 * that exists ends its turn by itself, after a crash too, so it is left alone while it is at work. The message stays,
 * and sent again with its `chat_id` it begins anew.
 */
export async function reconcileTurn(
  parts: TurnParts & { runs: Runs },
  workspaceId: string,
  turn: Turn,
  { patience = limits.turnStartMilliseconds }: { patience?: number } = {},
): Promise<void> {
  if (turn.status !== 'active') return
  const run = await findRun(parts.runs, workspaceId, turn.runId)
  if (run?.status === 'queued' || run?.status === 'running') return
  if (run?.chatId === turn.chatId) {
    await endTurn(parts, workspaceId, turn, endOf(run.id, run.status, run.error))
    return
  }
  // No run, or one that waits for an answer which it was never handed: that one may still be answered.
  if (turn.createdAt + patience > parts.clock.now()) return
  await endTurn(parts, workspaceId, turn, { status: 'failed', error: interrupted })
}

/** Asks for the run only where a crash is likely: every ordinary wait is shorter. */
export async function reconcileOld(
  parts: TurnParts & { runs: Runs },
  workspaceId: string,
  turn: Turn,
): Promise<void> {
  if (turn.createdAt + limits.turnStartMilliseconds <= parts.clock.now())
    await reconcileTurn(parts, workspaceId, turn)
}
