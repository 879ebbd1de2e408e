import { parseLongJson } from '../tools/json-limits.ts'
import type { JsonRecord } from '../workflow/node-kind.ts'
import { type Step, stepFailed } from '../workflow/step.ts'
import { defineKind, field, line, secretLine, unless } from './kind-definition.ts'
import { argumentsOf, sharedToolIn, sharedToolOf, toolIdField, toolIdIn } from './llm/shared-tools.ts'
import { quote, readRecord, readText } from './read-setting.ts'
import { requestHeaders } from './request-headers.ts'
import { callTool, oauthGaps, oauthIn, type StoredAnswer, toolServerOf } from './tool-server-of.ts'

export const mcp = defineKind({
  kind: 'mcp',
  nodeType: 'tool',
  group: 'tools',
  en: ['MCP tool', 'Calls a tool of an MCP (Model Context Protocol) server.'],
  zh: ['MCP 工具', '调用 MCP（Model Context Protocol）服务提供的工具。'],
  fields: {
    tool_id: toolIdField,
    ...unless('tool_id', {
      url: field(
        { is: 'template', input: 'address', secrets: true },
        ['URL', 'HTTP address of the MCP server.'],
        ['服务地址', 'MCP 服务的 HTTP 地址。'],
      ),
    }),
    tool: field(
      { is: 'template', input: 'mcp_tool' },
      ['Tool', 'Name of the tool on the server.'],
      ['工具', '工具在该服务中的名称。'],
    ),
    arguments: field(
      { is: 'tree', input: 'mcp_arguments', secrets: true },
      ['Arguments', 'An object, or a reference to one.'],
      ['参数', '一个对象，或给出对象的引用。'],
    ),
    ...unless('tool_id', {
      headers: field(
        { is: 'dictionary', of: secretLine },
        ['Headers', 'By name, for example the API key of the server, as {{#secret.name#}}.'],
        ['请求头', '按名称填写，例如服务要求的密钥，请写成 {{#secret.名称#}}。'],
      ),
      oauth: field(
        {
          is: 'object',
          required: ['client_id', 'client_secret', 'issuer'],
          fields: {
            client_id: field(line, ['Client ID'], ['客户端 ID']),
            client_secret: field(
              secretLine,
              ['Client secret', 'As {{#secret.name#}}.'],
              ['客户端密钥', '请写成 {{#secret.名称#}}。'],
            ),
            issuer: field(
              line,
              ['Issuer', 'URL of the authorization server. The credentials are sent nowhere else.'],
              ['颁发者', '授权服务器的地址，凭据只会发送到这里。'],
            ),
            scope: field(line, ['Scope', 'Separated by spaces.'], ['权限范围', '以空格分隔。']),
          },
        },
        ['OAuth', 'Client credentials, for a server that requires OAuth.'],
        ['OAuth 凭据', '客户端凭据，用于要求 OAuth 的服务。'],
      ),
    }),
  },
  required: ['url', 'tool'],
  gaps: data => (toolIdIn(data) === '' ? oauthGaps(readRecord(data, 'oauth'), ['oauth']) : []),
  sharedTools: sharedToolIn('mcp'),
  initialData: { url: '', tool: '', arguments: {} },
  outputs: () => ['text', 'result', 'files'],
  async run(step, data, services) {
    const shared = await sharedToolOf(step, services, data, 'mcp')
    const server = toolServerOf(step, shared ?? ownServer(step, data))
    const tool = step.text(readText(data, 'tool')).trim()
    if (server.url === '' || tool === '')
      throw stepFailed('The tool is not specified; check "url" and "tool".')
    if (shared?.tools?.includes(tool) === false)
      throw stepFailed(`The shared tool ${quote(shared.name)} does not offer ${quote(tool)}.`)
    const given = argumentsOf(step, data)
    const answer = await callTool(step, services, [server, tool, given])
    return { outputs: { text: answer.text, result: await resultOf(answer, step), files: answer.files } }
  },
})

const ownServer = (step: Step, data: JsonRecord) => ({
  url: step.withSecrets.text(readText(data, 'url')).trim(),
  headers: requestHeaders(step, data),
  oauth: oauthIn(step.withSecrets.fill(readRecord(data, 'oauth')) as JsonRecord),
})

/** The structured content of the answer; if there is none, its text, parsed if it is JSON. */
async function resultOf({ text, structured }: StoredAnswer, step: Step): Promise<unknown> {
  if (structured !== undefined) return structured
  return (/^\s*[[{]/.test(text) ? await parseLongJson(text, step, { keepsDigits: true }) : undefined) ?? text
}
