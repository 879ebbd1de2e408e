import { fetchLarge, type OutputVault } from './output-vault.ts'
import { effectKey, type Restored } from './run-context.ts'
import type { RunStore } from './run-store.ts'

/** What an earlier life of a run left in the journal. */
export interface EarlierLife extends Restored {
  /** Ids of the messages that were said. */
  readonly said: ReadonlySet<string>
  /** The number of the last event. */
  readonly sequence: number
}

export const noEarlierLife = (): EarlierLife => ({
  steps: new Map(),
  effects: new Map(),
  said: new Set(),
  sequence: 0,
})

const batchesAtOnce = 100

export async function restoreRun(
  store: RunStore,
  vault: OutputVault,
  workspaceId: string,
  runId: string,
): Promise<EarlierLife> {
  const steps = await store.steps(workspaceId, runId)
  for (const step of steps)
    if (step.outputs !== undefined) step.outputs = await fetchLarge(vault, workspaceId, runId, step.outputs)
  const effects = await store.effects(workspaceId, runId)
  const said = new Set<string>()
  let sequence = 0
  for (;;) {
    const batches = await store.events(workspaceId, runId, sequence, batchesAtOnce)
    for (const { lines, last } of batches) {
      sequence = last
      for (const line of lines.split('\n')) {
        if (!line.includes('"event":"message"')) continue
        const { event, message_id: id } = JSON.parse(line) as { event: string; message_id?: string }
        if (event === 'message' && id !== undefined) said.add(id)
      }
    }
    if (batches.length < batchesAtOnce) break
  }
  return {
    steps: new Map(steps.map(step => [step.path, step])),
    effects: new Map(effects.map(({ path, name, result }) => [effectKey(path, name), result])),
    said,
    sequence,
  }
}
