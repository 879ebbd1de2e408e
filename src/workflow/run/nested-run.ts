import { AppError } from '../../kernel/app-error.ts'
import { type ChildCall, type ChildResult, StepFailure, type SystemValues } from '../step.ts'
import { Execution } from './execution.ts'
import { calledItself, nestedTooDeep, RunFailure } from './failures.ts'
import type { Plan } from './plan.ts'
import { effectKey, type RunContext } from './run-context.ts'
import { loadSecrets } from './secret-values.ts'
import type { StepContext } from './step-run.ts'

const maxDepth = 10

/** How the steps of a graph run other workflows; `chain` are the workflows around it, the run's own first. */
export function nestedRunner(
  context: RunContext,
  system: SystemValues,
  chain: readonly string[],
  isFailureHandled = false,
): StepContext['runNested'] {
  return async (parent, call, deliver, signal) => {
    const { path } = parent
    if (chain.includes(call.workflowId)) throw calledItself(call.workflowId)
    if (chain.length >= maxDepth) throw nestedTooDeep(maxDepth)
    const plan = await findNested(context, path, call)
    const model = plan.systemNames.has('model')
      ? await context.defaultModel(context.workspaceId)
      : system.model
    const inside = nestedSystem({ ...system, model }, call)
    const isHandled = isFailureHandled || parent.node.rule.onError.do !== 'fail'
    const child = new Execution(plan, context, {
      system: inside,
      prefix: `${path}/${call.name}/`,
      deliver,
      isTakenOver: parent.starts > 1,
      isFailureHandled: isHandled,
      secrets: await loadSecrets(context, plan),
      runNested: nestedRunner(context, inside, [...chain, call.workflowId], isHandled),
    })
    if (signal.aborted) throw signal.reason
    parent.children.set(call.name, child)
    return untilAborted(child, context, signal)
  }
}

/** The version that the first attempt found, so that a later one continues with the same graph. */
async function findNested(context: RunContext, path: string, call: ChildCall): Promise<Plan> {
  const name = `workflow ${call.name}`
  const { workspaceId, plans, journal } = context
  const { effects } = context.previous
  const known = effects.get(effectKey(path, name))
  try {
    const found = await plans.find(
      workspaceId,
      call.workflowId,
      known === undefined ? undefined : Number(known),
    )
    if (known === undefined) {
      const result = String(found.version)
      effects.set(effectKey(path, name), result)
      // Stored at the latest with the first step inside, whose commit comes later.
      journal.commit([], [{ path, name, result }])?.catch(() => {})
    }
    return found.plan
  } catch (error) {
    if (error instanceof AppError) throw new StepFailure('step_failed', error.message, { cause: error })
    throw error
  }
}

function nestedSystem(system: SystemValues, { inputs, item, index }: ChildCall): SystemValues {
  const { query, files } = inputs
  return {
    ...system,
    query: typeof query === 'string' ? query : system.query,
    files: Array.isArray(files) ? files : system.files,
    inputs,
    ...(item !== undefined && { item }),
    ...(index !== undefined && { index }),
  }
}

async function untilAborted(
  child: Execution,
  { journal }: RunContext,
  signal: AbortSignal,
): Promise<ChildResult> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => {
    // Only this attempt of the step ends: the next one streams everything again.
    const records = child.abort(signal.reason, 'none')
    if (records.length > 0) journal.commit(records)?.catch(() => {})
    aborted.reject(signal.reason)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([child.run(), aborted.promise])
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error
    journal.commit(error.records)?.catch(() => {})
    const { reason, message } = error.failure
    throw new StepFailure(reason, `${error.path}: ${message}`, { cause: error })
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
