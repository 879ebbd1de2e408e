import type { Agent } from '../agents/agent.ts'
import type { InputVariable } from '../contract/input-variable.ts'
import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { givenInputs } from '../workflow/run/run-inputs.ts'
import { type Runs, variablesOf } from '../workflow/run/run-service.ts'
import { type ChatParts, type ChatRequest, type ChatTarget, visibleFiles } from './chat-request.ts'
import type { KeepInputs } from './locked-conversation.ts'

export const agentVariables = async (
  runs: Pick<Runs, 'variables'>,
  workspaceId: string,
  { config }: Pick<Agent, 'config'>,
): Promise<readonly InputVariable[]> =>
  config.workflow_id ? variablesOf(runs, workspaceId, config.workflow_id) : []

/**
 * Adds the values of a request to the values of input variables that the conversation has kept, without those that the
 * workflow no longer declares. They are checked before anything is stored. Undefined where nothing changes.
 */
export async function conversationInputs(
  { runs, conversations, files }: ChatParts,
  place: ChatTarget,
  { inputs = {} }: ChatRequest,
): Promise<KeepInputs | undefined> {
  const { workspaceId, agent, conversation, earlier, inherited = {} } = place
  const isFirst = earlier !== undefined || conversation.messageCount === 0
  if (!isFirst && Object.keys(inputs).length === 0) return undefined
  const variables = await agentVariables(runs, workspaceId, agent)
  if (variables.length === 0) return undefined
  const declared = new Set(variables.map(({ name }) => name))
  const keep: KeepInputs = before => {
    const all = Object.entries({ ...inherited, ...before, ...inputs })
    return Object.fromEntries(all.filter(([name]) => declared.has(name)))
  }
  const kept = keep(earlier ? {} : await conversations.inputs(workspaceId, conversation.id))
  await givenInputs({ variables }, kept, visibleFiles(files, place), workspaceId)
  if (JSON.stringify(kept).length > limits.conversationInputsLength)
    throw invalidField('/inputs', `must have at most ${limits.conversationInputsLength} characters as JSON`)
  return keep
}
