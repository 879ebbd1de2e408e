import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ServedTool, ToolServers } from '../../tools/tool-server.ts'
import type { Egress } from '../egress/egress.ts'
import { McpSessions, type SessionLimits } from './mcp-sessions.ts'
import { hostOf, type ServerAddress } from './server-address.ts'
import { toolAnswerOf, toolPageOf } from './tool-answer-of.ts'

const maxPages = 20
const maxTools = 1000

export interface ClosableToolServers extends ToolServers {
  /** Says goodbye to the servers it has sessions with. */
  close(): Promise<void>
}

/** Speaks the Model Context Protocol over Streamable HTTP. Servers are never trusted: private addresses are refused. */
export function createToolServers(egress: Egress, limits: Partial<SessionLimits> = {}): ClosableToolServers {
  const sessions = new McpSessions(egress, limits)
  return {
    list: (url, headers, signal) => listTools(sessions, { url, headers }, signal),
    call: (server, tool, args, signal) =>
      sessions.use(server, signal, async session => {
        const result = await session.request('tools/call', { name: tool, arguments: args }, signal)
        return toolAnswerOf(server, tool, result)
      }),
    close: () => sessions.close(),
  }
}

const listTools = (
  sessions: McpSessions,
  server: ServerAddress,
  signal: AbortSignal,
): Promise<ServedTool[]> =>
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
    throw new ToolFailure(`${hostOf(server)} lists tools without end`, { retryable: false })
  })
