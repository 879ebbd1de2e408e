import type { RunEvent, RunEventName } from './run-event.ts'
import type { RunStore } from './run-store.ts'

const batchesAtOnce = 50

const head = /^\{"run_id":"[^"]*","seq":(\d+),"event":"([^"]+)"/

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
      for (const line of batch.lines.split('\n')) {
        const [, number, event] = head.exec(line) ?? []
        const seq = Number(number)
        if (event !== undefined && seq > after) yield { seq, event: event as RunEventName, line }
      }
      last = batch.last
    }
    if (batches.length < batchesAtOnce) return
  }
}
