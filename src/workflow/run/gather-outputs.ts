import type { Outputs } from '../step.ts'
import type { Plan } from './plan.ts'

/**
 * All outputs of the nodes wired into one, by name; where several are wired in, also by the id of the node, since
 * they may use the same names.
 */
export function gatherOutputs(
  plan: Plan,
  node: number,
  outputsOf: (node: number) => Outputs | undefined,
): Outputs {
  const sources = [...new Set(plan.links.incoming[node]!.map(link => link.from))].flatMap(from => {
    const outputs = outputsOf(from)
    return outputs ? [{ id: plan.nodes[from]!.id, outputs }] : []
  })
  // A null prototype, so that an output called __proto__ is only a name.
  const gathered: Record<string, unknown> = Object.create(null)
  if (sources.length > 1) for (const { id, outputs } of sources) gathered[id] = outputs
  // What has no value is not in the journal either, and must not hide what another node gave.
  for (const { outputs } of sources)
    for (const name of Object.keys(outputs)) if (outputs[name] !== undefined) gathered[name] = outputs[name]
  return gathered
}
