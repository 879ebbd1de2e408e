import type { Graph } from '../model/graph.ts'
import { sameJson } from '../model/same-json.ts'
import { saveGraph } from './workflow-ports.ts'

/**
 * Saves one graph and then another, so that the first can be found in the history although the second is what counts.
 * Gives the newest version.
 */
export async function saveBoth(
  id: string,
  { kept, current, version }: { kept: Graph; current: Graph; version: number },
): Promise<number> {
  const first = sameJson(kept, current) ? version : (await saveGraph(id, kept, version)).version
  return (await saveGraph(id, current, first)).version
}
