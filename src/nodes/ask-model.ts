import type { LanguageModel, ModelAnswer, ModelRequest } from '../models/language-model.ts'
import type { Step } from '../workflow/step.ts'
import { idempotencyHeader } from './idempotency-header.ts'
import { stepFailureOf } from './step-failure-of.ts'

export interface ModelQuestion {
  model: LanguageModel
  /** Unique within the step: the answer is kept under it. */
  name: string
  request: ModelRequest
  /** Gets every piece as it arrives, and nothing when the answer was given in an earlier life. */
  onText?: (piece: string) => void
}

/** One call of a model that is paid for once: after a crash or a retry its answer comes from the journal. */
export async function askModel(step: Step, question: ModelQuestion): Promise<ModelAnswer> {
  const { model, name, request, onText = () => {} } = question
  const idempotencyKey = idempotencyHeader(`${step.idempotencyKey}.${name}`)
  try {
    return await step.once(name, async (): Promise<ModelAnswer> => {
      const given = await model.generate({ ...request, idempotencyKey }, onText, step.signal)
      step.spend({ ...given.usage, model: model.name })
      return { text: given.text, toolCalls: given.toolCalls, usage: given.usage }
    })
  } catch (error) {
    throw stepFailureOf(error)
  }
}
