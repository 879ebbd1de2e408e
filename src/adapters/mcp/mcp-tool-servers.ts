import { isRecord } from '../../kernel/is-record.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ServedTool, ToolAnswer, ToolServer, ToolServers } from '../../tools/tool-server.ts'
import type { Egress } from '../egress/egress.ts'
import { quote, type ServerAddress, serverFailure } from './mcp-session.ts'
import { McpSessions, type SessionLimits } from './mcp-sessions.ts'

const maxPages = 20
const maxTools = 1000
const maxDescriptionLength = 8000
/** The protocol advises 128. A longer name is skipped: the server would not know a shortened one. */
const maxNameLength = 200

export interface ClosableToolServers extends ToolServers {
  /** Ends the open sessions. */
  close(): Promise<void>
}

/** A client of the Model Context Protocol over Streamable HTTP. Private addresses are refused. */
export function createToolServers(egress: Egress, limits: Partial<SessionLimits> = {}): ClosableToolServers {
  const sessions = new McpSessions(egress, limits)
  return {
    list: (server, signal) => listTools(sessions, server, signal),
    call: (server, tool, args, signal) =>
      sessions.use(server, signal, async session => {
        const result = await session.request('tools/call', { name: tool, arguments: args }, signal)
        return toolAnswerOf(server, tool, result)
      }),
    close: () => sessions.close(),
  }
}

const listTools = (sessions: McpSessions, server: ToolServer, signal: AbortSignal): Promise<ServedTool[]> =>
  sessions.use(server, signal, async session => {
    const found: ServedTool[] = []
    let cursor = ''
    for (let page = 0; page < maxPages && found.length <= maxTools; page++) {
      const result = await session.request('tools/list', cursor === '' ? {} : { cursor }, signal)
      const { tools, next } = toolPageOf(server, result)
      found.push(...tools)
      if (next === '') return found
      cursor = next
    }
    throw serverFailure(server, `lists more than ${maxTools} tools or ${maxPages} pages`)
  })

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** One page of `tools/list`. */
function toolPageOf(server: ServerAddress, result: unknown): { tools: ServedTool[]; next: string } {
  if (!isRecord(result) || !Array.isArray(result['tools']))
    throw serverFailure(server, 'did not list its tools')
  const tools = result['tools'].filter(isRecord).map(tool => ({
    name: textOf(tool['name']),
    description: textOf(tool['description']).slice(0, maxDescriptionLength),
    parameters: isRecord(tool['inputSchema']) ? tool['inputSchema'] : { type: 'object' },
  }))
  const named = tools.filter(({ name }) => name !== '' && name.length <= maxNameLength)
  return { tools: named, next: textOf(result['nextCursor']) }
}

/** The result of `tools/call`. */
function toolAnswerOf(server: ServerAddress, tool: string, result: unknown): ToolAnswer {
  if (!isRecord(result)) throw serverFailure(server, `returned no result of the tool ${tool}`)
  const content = Array.isArray(result['content']) ? result['content'].filter(isRecord) : []
  const structured = result['structuredContent']
  const text = content.flatMap(partText).join('\n')
  if (result['isError'] === true) {
    const reason = quote(text, server.headers) || 'it gave no reason'
    throw new ToolFailure(`The tool ${tool} failed: ${reason}`, { retryable: false })
  }
  return {
    text: text === '' && structured !== undefined ? JSON.stringify(structured) : text,
    structured,
  }
}

function partText(part: Record<string, unknown>): string[] {
  if (part['type'] === 'text') return [textOf(part['text'])]
  if (part['type'] === 'resource_link') return [textOf(part['uri'])]
  const { resource } = part
  return part['type'] === 'resource' && isRecord(resource) ? [textOf(resource['text'])] : []
}
