import { AppError } from '../../kernel/app-error.ts'
import { type ChildCall, type ChildResult, StepFailure, type SystemValues } from '../step.ts'
import { Execution, type ExecutionEnd } from './execution.ts'
import { effectKey, type RunContext } from './run-context.ts'
import { RunFailure } from './run-failure.ts'
import type { Surroundings } from './surroundings.ts'

const deepestChain = 10

/** How steps of a graph run other workflows; `chain` are the workflows around it, the run's own first. */
export function childRunner(
  context: RunContext,
  system: SystemValues,
  chain: readonly string[],
  isFailureHandled = false,
): Surroundings['runChild'] {
  return async (parent, call, heardBy, signal) => {
    const { path } = parent
    if (chain.includes(call.workflowId))
      throw new StepFailure('step_failed', `The workflow ${call.workflowId} would run itself, for ever`)
    if (chain.length >= deepestChain)
      throw new StepFailure('step_failed', `Workflows run each other more than ${deepestChain} deep`)
    const plan = await findChild(context, path, call)
    const model = plan.systemNames.has('model') ? await context.defaultModel() : system.model
    const inside = childSystem({ ...system, model }, call)
    const isHandled = isFailureHandled || parent.node.rule.onError.do !== 'fail'
    const child = new Execution(plan, context, {
      system: inside,
      prefix: `${path}/${call.name}/`,
      heardBy,
      isTakenOver: parent.starts > 1,
      isFailureHandled: isHandled,
      runChild: childRunner(context, inside, [...chain, call.workflowId], isHandled),
    })
    if (signal.aborted) throw signal.reason
    parent.children.set(call.name, child)
    return resultOf(await untilAborted(child, context, signal))
  }
}

/** The version that the first attempt found, so that a later one goes on with the same graph. */
async function findChild(context: RunContext, path: string, call: ChildCall) {
  const name = `workflow ${call.name}`
  const known = context.restored.effects.get(effectKey(path, name))
  try {
    const found = await context.findPlan(call.workflowId, known === undefined ? undefined : Number(known))
    if (known === undefined) {
      const result = String(found.version)
      context.restored.effects.set(effectKey(path, name), result)
      // In the journal with the first step inside at the latest, which waits for it.
      context.journal.commit([], [{ path, name, result }])?.catch(() => {})
    }
    return found.plan
  } catch (error) {
    if (error instanceof AppError) throw new StepFailure('step_failed', error.message, { cause: error })
    throw error
  }
}

function childSystem(system: SystemValues, { inputs, item, index }: ChildCall): SystemValues {
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

function untilAborted(child: Execution, context: RunContext, signal: AbortSignal): Promise<ExecutionEnd> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      // Only this attempt of the step is given up: the next one says everything anew.
      const records = child.breakOff(signal.reason, 'nothing')
      if (records.length > 0) context.journal.commit(records)?.catch(() => {})
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    child
      .run()
      .catch((error: unknown) => {
        if (!(error instanceof RunFailure)) throw error
        context.journal.commit(error.records)?.catch(() => {})
        throw new StepFailure(error.failure.reason, `${error.path}: ${error.failure.message}`, {
          cause: error,
        })
      })
      .finally(() => signal.removeEventListener('abort', onAbort))
      .then(resolve, reject)
  })
}

const resultOf = (end: ExecutionEnd): ChildResult => end
