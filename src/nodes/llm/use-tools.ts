import { AppError } from '../../kernel/app-error.ts'
import type { ModelMessage, ToolCall } from '../../models/language-model.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { isTooDeep } from '../../tools/json-depth.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { isJsonRecord, type JsonRecord } from '../../workflow/node-kind.ts'
import { type Step, StepFailure } from '../../workflow/step.ts'
import { clipText } from '../clip-text.ts'
import { idempotencyHeader } from '../idempotency-header.ts'
import type { Tool } from './tool.ts'

/** Characters of a tool's answer that the model gets to see. */
const answerLength = 20_000
/** Calls of one answer that are done; a model that asks for more is told so. */
const mostCalls = 16

/**
 * Does all that the model asked for in one answer, side by side, each once. What goes wrong is told to the model, which
 * may go on without it; only what stops the whole step is thrown, after the others have ended.
 */
export async function useTools(
  step: Step,
  tools: readonly Tool[],
  calls: readonly ToolCall[],
  round: number,
): Promise<ModelMessage[]> {
  const settled = await Promise.allSettled(
    calls.map((call, place) =>
      place < mostCalls
        ? step.once(`tool-${round}-${place}`, () => answerOf(step, tools, call, `tool-${round}-${place}`))
        : Promise.resolve(`failed: at most ${mostCalls} calls are done at once.`),
    ),
  )
  return settled.map((result, place) => {
    if (result.status === 'rejected') throw result.reason
    const { id, name } = calls[place]!
    return { role: 'tool', callId: id, name, text: result.value }
  })
}

async function answerOf(step: Step, tools: readonly Tool[], call: ToolCall, name: string): Promise<string> {
  const tool = tools.find(each => each.name === call.name)
  if (!tool) {
    const names = tools.map(each => each.name).join(', ')
    return `failed: there is no tool called ${JSON.stringify(call.name)}; there are ${names}.`
  }
  const args = readArguments(call.arguments)
  if (typeof args === 'string') return `failed: the arguments are ${args}.`
  try {
    const idempotencyKey = idempotencyHeader(`${step.idempotencyKey}.${name}`)
    const text = await tool.call(args, { name, idempotencyKey, signal: step.signal })
    const shown = clipText(text, answerLength)
    return shown.length < text.length ? `${shown}\n(cut: ${text.length} characters in all)` : shown
  } catch (error) {
    if (step.signal.aborted || !isKnown(error)) throw error
    return `failed: ${error.message}`
  }
}

const isKnown = (error: unknown): error is Error =>
  [ToolFailure, ModelFailure, StepFailure, AppError].some(kind => error instanceof kind)

/** The arguments, or what is wrong with them. */
function readArguments(text: string): JsonRecord | string {
  const noObject = 'not a JSON object'
  // A tool without arguments is often called with an empty text.
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonRecord(value)) return noObject
    return isTooDeep(text) ? 'nested too deeply' : value
  } catch {
    return noObject
  }
}
