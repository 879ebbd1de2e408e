import { parseLongJson } from '../tools/json-limits.ts'
import type { ToolAnswer } from '../tools/tool-server.ts'
import { isJsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type Step, stepFailed } from '../workflow/step.ts'
import { defineKind, field, line, secretLine } from './kind-definition.ts'
import { quote, readText, textOf } from './read-setting.ts'
import { requestHeaders } from './request-headers.ts'
import { toolServerOf } from './tool-server-of.ts'

export const mcp = defineKind({
  kind: 'mcp',
  nodeType: 'tool',
  group: 'tools',
  en: ['MCP tool', 'Calls a tool of an MCP (Model Context Protocol) server.'],
  zh: ['MCP 工具', '调用 MCP（Model Context Protocol）服务提供的工具。'],
  fields: {
    url: field(
      { is: 'template', input: 'address', secrets: true },
      ['URL', 'HTTP address of the MCP server.'],
      ['服务地址', 'MCP 服务的 HTTP 地址。'],
    ),
    tool: field(line, ['Tool', 'Name of the tool on the server.'], ['工具', '工具在该服务中的名称。']),
    arguments: field(
      { is: 'tree', input: 'json', secrets: true },
      ['Arguments', 'An object, or a reference to one.'],
      ['参数', '一个对象，或给出对象的引用。'],
    ),
    headers: field(
      { is: 'dictionary', of: secretLine },
      ['Headers', 'By name, for example the API key of the server, as {{#secret.name#}}.'],
      ['请求头', '按名称填写，例如服务要求的密钥，请写成 {{#secret.名称#}}。'],
    ),
  },
  required: ['url', 'tool'],
  initialData: { url: '', tool: '', arguments: {} },
  outputs: () => ['text', 'result'],
  async run(step, data, services) {
    const url = step.withSecrets.text(readText(data, 'url')).trim()
    const server = toolServerOf(step, url, requestHeaders(step, data))
    const tool = step.text(readText(data, 'tool')).trim()
    if (server.url === '' || tool === '')
      throw stepFailed('The tool is not specified; check "url" and "tool".')
    const given = step.withSecrets.fill(ownValue(data, 'arguments') ?? {})
    if (!isJsonRecord(given))
      throw stepFailed(`"arguments" must be an object, but is ${quote(textOf(given))}.`)
    const answer = await services.toolServers.call(server, tool, given, step.signal)
    return { outputs: { text: answer.text, result: await resultOf(answer, step) } }
  },
})

/** The structured content of the answer; of a tool that gives only text, the text parsed where it is JSON. */
async function resultOf({ text, structured }: ToolAnswer, step: Step): Promise<unknown> {
  if (structured !== undefined) return structured
  return (/^\s*[[{]/.test(text) ? await parseLongJson(text, step) : undefined) ?? text
}
