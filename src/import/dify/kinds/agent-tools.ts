import { isRecord } from '../../../kernel/is-record.ts'
import { parsedJson } from '../../../kernel/parsed-json.ts'
import type { JsonRecord } from '../../../workflow/json-record.ts'
import { searchTools } from '../outputs.ts'
import { listAt, recordAt, textAt, valueAt } from '../read.ts'
import type { NodeConversion } from './kind.ts'
import { isReader, missingTool, providerOf } from './tool.ts'

interface AgentTools {
  /** Entries of the list of tools; one that could not be mapped keeps its data. */
  readonly sources: JsonRecord[]
  /** Lines for the instructions of the model, in place of tools that it does not need here. */
  readonly hints: string[]
}

const timeHint = 'The current time is {{#sys.time#}}.'
/** Tools that only list and call the tools of an MCP server. */
const mcpProxies = new Set(['mcp_sse_list_tools', 'mcp_sse_call_tool', 'mcp_list_tools', 'mcp_call_tool'])

/** The enabled tools of an agent; `servers` are additional MCP servers. */
export function agentTools(
  given: NodeConversion,
  tools: readonly JsonRecord[],
  servers: readonly JsonRecord[],
): AgentTools {
  const hints = new Set<string>()
  const sources = tools
    .filter(each => valueAt(each, 'enabled') !== false)
    .flatMap(each => toolSource(given, each, hints, servers.length > 0))
  return { sources: [...servers, ...sources], hints: [...hints] }
}

function toolSource(
  given: NodeConversion,
  each: JsonRecord,
  hints: Set<string>,
  hasServers: boolean,
): JsonRecord[] {
  const name = textAt(each, 'tool_name')
  const provider = providerOf(each)
  const type = textAt(each, 'provider_type') || textAt(each, 'type')
  if (type === 'workflow') {
    given.note('agent_app', { app: provider, tool: name })
    return [{ type: 'workflow', id: '', name }]
  }
  if (type === 'mcp') {
    given.note('agent_mcp_url', { server: provider, tool: name })
    return [{ type: 'mcp', url: '', name: provider, tools: [name] }]
  }
  if (/(^|\/)time$/.test(provider)) {
    given.note('agent_time')
    hints.add(timeHint)
    return []
  }
  if (mcpProxies.has(name)) {
    if (hasServers) given.note('mcp_tool_not_needed', { tool: name })
    else given.note('mcp_url')
    return hasServers || name.endsWith('call_tool') ? [] : [{ type: 'mcp', url: '', name: provider }]
  }
  if (searchTools.has(name)) {
    given.note('agent_search', { tool: name })
    return [{ type: 'web_search' }]
  }
  if (isReader(name))
    return [
      {
        type: 'http',
        name,
        description: 'Reads a web page.',
        method: 'GET',
        url: 'https://r.jina.ai/{url}',
        parameters: { url: 'The address of the page.' },
      },
    ]
  const { message, note } = missingTool(each)
  given.note(note.code, note.values)
  return [{ type: 'unmapped', name, message, original: each }]
}

/** The MCP servers of an agent plugin, given as one URL or as a JSON text like in other clients. */
export function agentServers(given: NodeConversion, parameters: JsonRecord): JsonRecord[] {
  const url = given.text(textAt(parameters, 'mcp_server'))
  const listed = parsed(textAt(parameters, 'mcp_servers_config'))
  const named = recordAt(listed, 'mcpServers')
  const all = Object.entries(Object.keys(named).length > 0 ? named : listed)
  const servers = all.flatMap(([name, server]): JsonRecord[] => {
    const record = typeof server === 'object' && server !== null ? (server as JsonRecord) : {}
    const address = textAt(record, 'url')
    if (address === '') return []
    const headers = recordAt(record, 'headers')
    return [{ type: 'mcp', name, url: address, ...(Object.keys(headers).length > 0 && { headers }) }]
  })
  return url === '' ? servers : [{ type: 'mcp', url }, ...servers]
}

function parsed(json: string): JsonRecord {
  const value = parsedJson(json)
  return isRecord(value) ? value : {}
}

/** The values of parameters that are written as `{type, value}`. */
export const plainParameters = (given: NodeConversion, parameters: JsonRecord): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(parameters).map(name => {
      const isVariable = textAt(parameters, name, 'type') === 'variable'
      const value = valueAt(parameters, name, 'value')
      return [name, isVariable ? given.value(listAt(parameters, name, 'value')) : value]
    }),
  )
