import { messageId } from './message-id.ts'
import { fetchLarge, type OutputVault } from './output-vault.ts'
import { effectKey, type Restored } from './run-context.ts'
import { decodeEvents } from './run-event.ts'
import type { RunStore } from './run-store.ts'

/** What an earlier life of a run left in the journal. */
export interface EarlierLife extends Required<Restored> {
  /** Ids of the messages that were said. */
  readonly said: ReadonlySet<string>
  /** The number of the last event. */
  readonly sequence: number
}

export const noEarlierLife = (): EarlierLife => ({
  steps: new Map(),
  effects: new Map(),
  texts: new Map(),
  isTakenOver: false,
  said: new Set(),
  sequence: 0,
})

const batchesAtOnce = 100

export async function restoreRun(
  store: RunStore,
  vault: OutputVault,
  workspaceId: string,
  runId: string,
  isTakenOver: boolean,
): Promise<EarlierLife> {
  const steps = await store.steps(workspaceId, runId)
  for (const step of steps)
    if (step.outputs !== undefined) step.outputs = await fetchLarge(vault, workspaceId, runId, step.outputs)
  const effects = await store.effects(workspaceId, runId)
  for (const effect of effects) effect.result = await fetchLarge(vault, workspaceId, runId, effect.result)
  const said = new Set<string>()
  const texts = new Map<string, string>()
  let sequence = 0
  for (;;) {
    const batches = await store.events(workspaceId, runId, sequence, batchesAtOnce)
    for (const { lines, last } of batches) {
      sequence = last
      for (const event of decodeEvents(lines)) {
        if (event.event !== 'message') continue
        const { message_id: id, node_id: path, content } = event.fields
        said.add(id)
        if (id === messageId(runId, path, 'text')) texts.set(path, content)
      }
    }
    if (batches.length < batchesAtOnce) break
  }
  return {
    steps: new Map(steps.map(step => [step.path, step])),
    effects: new Map(effects.map(({ path, name, result }) => [effectKey(path, name), result])),
    texts,
    isTakenOver,
    said,
    sequence,
  }
}
