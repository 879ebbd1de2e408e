import { isTooDeep } from '../tools/json-depth.ts'
import type { ToolAnswer } from '../tools/tool-server.ts'
import { isJsonRecord, ownValue } from '../workflow/node-kind.ts'
import { StepFailure } from '../workflow/step.ts'
import type { KindDefinition } from './kind-definition.ts'
import { quote, readText, textOf } from './read-setting.ts'
import { requestHeaders } from './request-headers.ts'
import { stepFailureOf } from './step-failure-of.ts'

export const mcp: KindDefinition = {
  kind: 'mcp',
  nodeType: 'tool',
  group: 'tools',
  label: { en: 'MCP tool', zh: 'MCP 工具' },
  about: {
    en: 'Calls a tool of an MCP (Model Context Protocol) server.',
    zh: '调用 MCP（Model Context Protocol）服务提供的工具。',
  },
  fields: {
    url: {
      is: 'template',
      input: 'address',
      label: { en: 'URL', zh: '服务地址' },
      help: { en: 'HTTP address of the MCP server.', zh: 'MCP 服务的 HTTP 地址。' },
    },
    tool: {
      is: 'template',
      input: 'line',
      label: { en: 'Tool', zh: '工具' },
      help: { en: 'Name of the tool on the server.', zh: '工具在该服务中的名称。' },
    },
    arguments: {
      is: 'tree',
      input: 'json',
      label: { en: 'Arguments', zh: '参数' },
      help: { en: 'An object, or a reference to one.', zh: '一个对象，或给出对象的引用。' },
    },
    headers: {
      is: 'dictionary',
      of: { is: 'template', input: 'line' },
      label: { en: 'Headers', zh: '请求头' },
      help: {
        en: 'By name, for example the API key of the server.',
        zh: '按名称填写，例如服务要求的密钥。',
      },
    },
  },
  required: ['url', 'tool'],
  initialData: { url: '', tool: '', arguments: {} },
  outputs: () => ['text', 'result'],
  async run(step, data, services) {
    const server = { url: step.text(readText(data, 'url')).trim(), headers: requestHeaders(step, data) }
    const tool = step.text(readText(data, 'tool')).trim()
    if (server.url === '' || tool === '')
      throw new StepFailure('step_failed', 'The tool is not specified; check "url" and "tool".')
    const given = step.fill(ownValue(data, 'arguments') ?? {})
    if (!isJsonRecord(given))
      throw new StepFailure('step_failed', `"arguments" must be an object, but is ${quote(textOf(given))}.`)
    try {
      const answer = await services.toolServers.call(server, tool, given, step.signal)
      return { outputs: { text: answer.text, result: resultOf(answer) } }
    } catch (error) {
      throw stepFailureOf(error)
    }
  },
}

/** The structured content of the answer; of a tool that gives only text, the text parsed where it is JSON. */
function resultOf({ text, structured }: ToolAnswer): unknown {
  if (structured !== undefined) return structured
  if (!/^\s*[[{]/.test(text) || isTooDeep(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
