import { isoTime } from '../../kernel/clock.ts'
import type { HistoryEntry, SystemValues } from '../step.ts'
import type { RunRecord } from './run-store.ts'
import type { RunInputs } from './runs.ts'

/** What `{{#sys.…#}}` gives in a run. */
export function systemValues(
  run: RunRecord,
  inputs: RunInputs,
  context: { history: readonly HistoryEntry[]; model: string },
): SystemValues {
  const { query, files, action, more } = inputs
  return {
    query,
    files,
    action,
    conversation_id: run.conversationId,
    user_id: run.userId,
    agent_id: run.agentId,
    run_id: run.id,
    time: isoTime(run.createdAt),
    history: context.history,
    inputs: { ...more, query, files },
    model: context.model,
  }
}
