import { limits } from '../../contract/limits.ts'
import { AppError } from '../../kernel/app-error.ts'
import { retryTemporary } from '../../kernel/retry-temporary.ts'
import { type ChildCall, type ChildResult, StepFailure, type SystemValues, stepFailed } from '../step.ts'
import { pinName } from '../version-sweep.ts'
import type { NestedRuns } from './attempt.ts'
import { Execution } from './execution.ts'
import { calledItself, nestedTooDeep, RunFailure } from './failures.ts'
import type { Plan } from './plan.ts'
import { effectKey, type RunContext } from './run-context.ts'
import { givenInputs } from './run-inputs.ts'
import { loadSecrets } from './secret-values.ts'
import { readState, writeState } from './step-record.ts'
import type { StepRecord } from './store/run-records.ts'
import { textOfValue } from './template.ts'

/** How the steps of a graph run other workflows; `chain` are the workflows around it, the run's own first. */
export function nestedRuns(
  context: RunContext,
  chain: readonly string[],
  isFailureHandled = (_: StepFailure): boolean => false,
): NestedRuns {
  const findPlan: NestedRuns['findPlan'] = (path, workflowId) => findNestedPlan(context, path, workflowId)
  const run: NestedRuns['run'] = async (parent, call, deliver, signal) => {
    const { path, system } = parent
    if (chain.includes(call.workflowId)) throw calledItself(call.workflowId)
    if (chain.length >= limits.nestedWorkflows) throw nestedTooDeep(limits.nestedWorkflows)
    const plan = await findPlan(path, call.workflowId)
    const model = plan.systemNames.has('model')
      ? await context.defaultModel(context.workspaceId)
      : system.model
    const inputs = await nestedInputs(context, plan, call)
    const inside = nestedSystem({ ...system, model }, { ...call, inputs })
    const { onError } = parent.node.rule
    // If another attempt will stream the text of a failed workflow again, that text must not count as sent.
    const isHandled = (failure: StepFailure): boolean =>
      isFailureHandled(failure) || onError.do !== 'fail' || parent.willRetry(failure)
    const child = new Execution(plan, context, {
      system: inside,
      prefix: `${path}/${call.name}/`,
      deliver,
      isCrashed: parent.starts > 1,
      isFailureHandled: isHandled,
      secrets: await loadSecrets(context, plan),
      nested: nestedRuns(context, [...chain, call.workflowId], isHandled),
    })
    if (signal.aborted) throw signal.reason
    parent.children.set(call.name, child)
    return untilAborted(child, context, { signal, isHandled })
  }
  return { findPlan, run }
}

/** The version that its first call found, so that every item and every later attempt continues with the same graph. */
async function findNestedPlan(context: RunContext, path: string, workflowId: string): Promise<Plan> {
  const name = pinName(workflowId)
  const { workspaceId, plans, journal, limits } = context
  const { effects } = context.previous
  const known = effects.get(effectKey(path, name))
  const find = () =>
    known === undefined
      ? plans.find(workspaceId, workflowId)
      : plans.findPinned(workspaceId, workflowId, Number(known))
  try {
    const found = await retryTemporary(find, { giveUpMilliseconds: limits.storageMilliseconds })
    if (!effects.has(effectKey(path, name))) {
      const result = String(found.version)
      effects.set(effectKey(path, name), result)
      // Nothing waits for this commit: it is stored no later than the first step inside.
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

/** Fails the step where the inputs do not fit the variables of the workflow. */
async function nestedInputs(
  { files, workspaceId, limits }: RunContext,
  plan: Plan,
  { workflowId, inputs }: ChildCall,
): Promise<ChildCall['inputs']> {
  if (plan.variables.length === 0) return inputs
  try {
    return await retryTemporary(() => givenInputs(plan, inputs, files, workspaceId), {
      giveUpMilliseconds: limits.storageMilliseconds,
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw stepFailed(`The workflow ${workflowId} cannot start: ${error.message}`, error)
  }
}

function nestedSystem(system: SystemValues, { inputs, item, index }: ChildCall): SystemValues {
  const { query, files } = inputs
  return {
    ...system,
    query: textOfValue(query ?? system.query),
    files: Array.isArray(files) ? files : system.files,
    inputs,
    ...(item !== undefined && { item }),
    ...(index !== undefined && { index }),
  }
}

async function untilAborted(
  child: Execution,
  { journal, previous }: RunContext,
  { signal, isHandled }: { signal: AbortSignal; isHandled(failure: StepFailure): boolean },
): Promise<ChildResult> {
  const aborted = Promise.withResolvers<never>()
  const store = (records: readonly StepRecord[]): void => {
    for (const record of records) {
      // The next attempt continues like this one, and adds to what it has used.
      const bare = { ...record, inputs: undefined, outputs: undefined, state: undefined }
      const known = previous.steps.get(record.path) ?? bare
      const { promptTokens, completionTokens } = record
      const { cost } = readState(record.state)
      const state = writeState({ ...readState(known.state), cost })
      previous.steps.set(record.path, { ...known, promptTokens, completionTokens, state })
      previous.ended.add(record.path)
    }
    journal.commit(records)?.catch(() => {})
  }
  const onAbort = (): void => {
    const { reason } = signal
    const isLast = reason instanceof StepFailure && !isHandled(reason)
    const records = child.abort(reason, isLast ? 'live' : 'none')
    if (records.length > 0) store(records)
    aborted.reject(signal.reason)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([child.run(), aborted.promise])
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error
    store(error.records)
    const { reason, message, retryable, retryAfterMilliseconds, cause } = error.failure
    // The message of an inner workflow already begins with the full path of its step.
    const where = cause instanceof RunFailure ? '' : `${error.path}: `
    const details = { retryable, retryAfterMilliseconds, cause: error }
    throw new StepFailure(reason, `${where}${message}`, details)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
