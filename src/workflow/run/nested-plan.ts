import { AppError } from '../../kernel/app-error.ts'
import { retryTemporary } from '../../kernel/retry-temporary.ts'
import { StepFailure } from '../step.ts'
import { pinName } from '../version-sweep.ts'
import type { Plan } from './plan.ts'
import { effectKey, type RunContext } from './run-context.ts'

/**
 * The plan of a workflow that a step runs: the version that its first call found, so that every item of an iteration and
 * every later attempt continues with the same graph.
 */
export async function findNestedPlan(context: RunContext, path: string, workflowId: string): Promise<Plan> {
  const name = pinName(workflowId)
  const { workspaceId, plans, journal, limits } = context
  const { effects } = context.previous
  const known = effects.get(effectKey(path, name))
  const find = () =>
    known === undefined
      ? plans.find(workspaceId, workflowId)
      : plans.findPinned(workspaceId, workflowId, Number(known))
  try {
    const found = await retryTemporary(find, {
      giveUpMilliseconds: limits.storageMilliseconds,
      failed: () => true,
    })
    if (!effects.has(effectKey(path, name))) {
      const result = String(found.version)
      effects.set(effectKey(path, name), result)
      // Stored at the latest with the first step inside, whose commit comes later.
      journal.commit([], [{ path, name, result }])?.catch(() => {})
    }
    return found.plan
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { reason, message } = error
    const where = reason === 'workflow_not_runnable' ? `Workflow ${workflowId}: ` : ''
    throw new StepFailure('step_failed', where + message, { cause: error })
  }
}
