import type { Outputs } from '../step.ts'
import type { StepRun } from './step-run.ts'

/** What stands for the outputs of a step that failed; a text stands for its text. */
export function defaultOf(run: StepRun, value: unknown): { outputs: Outputs; chosen: { case?: string } } {
  const filled = run.fill(value)
  if (typeof filled !== 'object' || filled === null || Array.isArray(filled))
    return { outputs: { text: filled, result: filled }, chosen: {} }
  const outputs = filled as Outputs
  const chosen = run.node.kind.cases ? outputs['case'] : undefined
  return { outputs, chosen: typeof chosen === 'string' ? { case: chosen } : {} }
}
