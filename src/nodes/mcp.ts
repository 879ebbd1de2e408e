import { isTooDeep } from '../tools/json-depth.ts'
import type { ToolAnswer } from '../tools/tool-server.ts'
import { isJsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'
import { StepFailure } from '../workflow/step.ts'
import { requestHeaders } from './http-request-head.ts'
import type { NodeServices } from './node-services.ts'
import { quote, readText, textOf } from './read-setting.ts'
import { stepFailureOf } from './step-failure-of.ts'

/** Calls a tool of a server that speaks the Model Context Protocol. */
export const mcp: NodeKind<NodeServices> = {
  kind: 'mcp',
  nodeType: 'tool',
  title: 'MCP tool',
  fields: {
    url: { is: 'template', input: 'address' },
    tool: { is: 'template', input: 'line' },
    // Usually an object of templates; one reference that gives a whole object will do as well.
    arguments: { is: 'tree', input: 'json' },
    headers: { is: 'dictionary', of: { is: 'template', input: 'line' } },
  },
  required: ['url', 'tool'],
  outputs: () => ['text', 'result'],
  async run(step, data, services) {
    const server = { url: step.text(readText(data, 'url')).trim(), headers: requestHeaders(step, data) }
    const tool = step.text(readText(data, 'tool')).trim()
    if (server.url === '' || tool === '')
      throw new StepFailure('step_failed', 'No tool is named; check "url" and "tool".')
    const given = step.fill(ownValue(data, 'arguments') ?? {})
    if (!isJsonRecord(given))
      throw new StepFailure(
        'step_failed',
        `"arguments" must give an object, but gives ${quote(textOf(given))}.`,
      )
    try {
      const answer = await services.toolServers.call(server, tool, given, step.signal)
      return { outputs: { text: answer.text, result: resultOf(answer) } }
    } catch (error) {
      throw stepFailureOf(error)
    }
  },
}

/** What the tool gave as data; where it gave only a text that is JSON, that is what is meant by it. */
function resultOf({ text, structured }: ToolAnswer): unknown {
  if (structured !== undefined) return structured
  if (!/^\s*[[{]/.test(text) || isTooDeep(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
