import { decodeEvents, type RunEvent } from './run-event.ts'
import type { RunStore } from './run-store.ts'

const batchesAtOnce = 50

/** The events of a run that are in its journal, after a number. */
export async function* readEvents(
  store: RunStore,
  workspaceId: string,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let last = after
  while (!signal.aborted) {
    const batches = await store.events(workspaceId, runId, last, batchesAtOnce)
    for (const batch of batches) {
      for (const event of decodeEvents(batch.lines)) if (event.seq > after) yield event
      last = batch.last
    }
    if (batches.length < batchesAtOnce) return
  }
}
