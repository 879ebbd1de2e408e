import { limits } from '../contract/limits.ts'
import { isJsonRecord, ownValue } from '../workflow/json-record.ts'

/** A call of a tool that has ended. */
interface KeptTool {
  tool: string
  status: 'done' | 'failed'
  arguments: unknown
  result: string
}

/** How an answer came about. */
export interface TurnSteps {
  tools: readonly KeptTool[]
  reasoning: string
  reasoningMilliseconds: number
}

/** The start of a result that reports the failure of a tool to the model. */
const failedPrefix = 'failed: '

const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`

/** Short arguments stay JSON; long ones become a truncated text. */
function clippedArguments(given: unknown): unknown {
  const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? '')
  return text.length <= limits.turnStepLength ? given : clip(text, limits.turnStepLength)
}

function toolIn(value: unknown): KeptTool[] {
  if (!isJsonRecord(value)) return []
  const [tool, given, result] = ['tool', 'arguments', 'result'].map(name => ownValue(value, name))
  if (typeof tool !== 'string' || typeof result !== 'string') return []
  return [
    {
      tool: clip(tool, limits.nameLength),
      status: result.startsWith(failedPrefix) ? 'failed' : 'done',
      arguments: clippedArguments(given),
      result: clip(result, limits.turnStepLength),
    },
  ]
}

/** The tool calls and reasoning in outputs of steps, given as JSON. A step may output anything. */
export function keptSteps(outputs: readonly string[]): TurnSteps | undefined {
  const tools: KeptTool[] = []
  const thoughts: string[] = []
  let reasoningMilliseconds = 0
  for (const text of outputs) {
    const parsed: unknown = JSON.parse(text)
    if (!isJsonRecord(parsed)) continue
    const [steps, reasoning, took] = ['steps', 'reasoning', 'reasoning_ms'].map(name =>
      ownValue(parsed, name),
    )
    if (Array.isArray(steps)) tools.push(...steps.flatMap(toolIn))
    if (typeof reasoning !== 'string' || typeof took !== 'number' || reasoning === '') continue
    thoughts.push(reasoning)
    reasoningMilliseconds += Math.round(took)
  }
  if (tools.length === 0 && thoughts.length === 0) return undefined
  const reasoning = clip(thoughts.join('\n\n'), limits.turnReasoningLength)
  return { tools: tools.slice(0, limits.turnTools), reasoning, reasoningMilliseconds }
}
