import type { StepFailure, Wait } from '../step.ts'
import type { RunContext } from './run-context.ts'
import { readState, stepAround } from './step-record.ts'
import type { OpenQuestion } from './store/run-records.ts'

/** Adds the question of a step that waits; a step around it waits without a question of its own. */
export function ask(
  { questions }: RunContext,
  path: string,
  { question, options = [] }: Wait,
  ordinal: number,
  failure?: StepFailure,
): void {
  if (question === '') return
  questions.push({
    ...{ path, question, options, ordinal },
    ...(failure && { failure: { reason: failure.reason, message: failure.message } }),
  })
}

/** Repeats the open questions of a step and of the steps inside it, which do not run unless one of these was answered. */
export function askAgain(context: RunContext, path: string): void {
  const { steps, waiting } = context.previous
  const isWaiting = (step: string): boolean =>
    steps.get(step)?.status === 'waiting' && (step === path || isWaiting(stepAround(step)))
  for (const record of waiting) {
    if (record.path !== path && !record.path.startsWith(`${path}/`)) continue
    const { wait, asked = 1 } = readState(record.state)
    if (wait && isWaiting(record.path)) ask(context, record.path, wait, asked)
  }
}

/** Removes the questions of a step and the steps inside it: none of them waits for an answer any more. */
export function withdrawQuestions({ questions }: RunContext, step: string): void {
  const others = questions.filter(({ path }) => path !== step && !path.startsWith(`${step}/`))
  if (others.length < questions.length) questions.splice(0, questions.length, ...others)
}

/** The question asked first; of workflows side by side in one step, that of the call with the lower number. */
export function earlierQuestion(first: OpenQuestion, other: OpenQuestion): OpenQuestion {
  const [one, two] = [first.path.split('/'), other.path.split('/')]
  const at = one.findIndex((part, index) => part !== two[index])
  // Nodes and the names of calls alternate.
  const call = at % 2 === 1 ? two[at] : undefined
  const isEarlier = call !== undefined && call.localeCompare(one[at]!, 'en', { numeric: true }) < 0
  return isEarlier ? other : first
}
