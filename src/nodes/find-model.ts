import type { LanguageModel } from '../models/language-model.ts'
import type { Step } from '../workflow/step.ts'
import type { NodeServices } from './node-services.ts'
import { stepFailureOf } from './step-failure-of.ts'

/** The model that a node names by a template, or else the one of the run. */
export async function findModel(
  step: Step,
  services: NodeServices,
  template: unknown,
): Promise<LanguageModel> {
  const named = typeof template === 'string' ? step.text(template).trim() : ''
  try {
    return await services.models.find(step.workspaceId, named || step.system.model || undefined)
  } catch (error) {
    throw stepFailureOf(error)
  }
}
