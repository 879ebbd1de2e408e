import { limits } from '../../contract/limits.ts'
import { LruMap } from '../../kernel/lru-map.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ServedTool, ToolServer, ToolServers } from '../../tools/tool-server.ts'
import type { Egress } from '../egress/egress.ts'
import { McpSession, oauthProviderOf } from './mcp-session.ts'
import { McpSessions, type SessionLimits, serverKey } from './mcp-sessions.ts'
import { toolAnswerOf, toolPageOf } from './tool-result.ts'
import { serverFailure } from './tool-server-failure.ts'

const maxPages = 20
/** How long a list of tools is used, unless the server reports a change before. */
const listMilliseconds = 60_000
/** A server that cannot be reached is not tried again for this long, so that its agents answer without waiting for it. */
const downMilliseconds = 10_000
/** Characters of all lists in the cache, as JSON. */
const maxCachedLength = 32 << 20

interface CachedList {
  readonly until: number
  readonly length: number
  readonly result: { readonly tools: ServedTool[] } | { readonly failure: ToolFailure }
}

export interface ClosableToolServers extends ToolServers {
  close(): Promise<void>
}

/** A client of the Model Context Protocol, over the official SDK. Private addresses are refused. */
export function createToolServers(egress: Egress, limits: Partial<SessionLimits> = {}): ClosableToolServers {
  const lists = new LruMap<string, CachedList>(maxCachedLength, ({ length }) => length)
  const cache = (key: string, milliseconds: number, result: CachedList['result'], length: number): void =>
    lists.set(key, { until: performance.now() + milliseconds, length: length + key.length, result })
  const forget = (key: string): void => cache(key, 0, { tools: [] }, 0)
  const sessions = new McpSessions(egress, limits, forget)

  return {
    async list(server, signal) {
      const key = serverKey(server)
      const cached = lists.get(key)
      if (cached && performance.now() < cached.until) {
        if ('failure' in cached.result) throw cached.result.failure
        return cached.result.tools
      }
      try {
        const tools = await sessions.use(server, signal, session => listTools(session, server, signal))
        cache(key, listMilliseconds, { tools }, JSON.stringify(tools).length)
        return tools
      } catch (failure) {
        if (failure instanceof ToolFailure && failure.retryable)
          cache(key, downMilliseconds, { failure }, 1000)
        throw failure
      }
    },
    call: (server, tool, args, options) =>
      sessions.use(server, options.signal, async session =>
        toolAnswerOf(
          server,
          tool,
          await session.request('tools/call', { name: tool, arguments: args }, options),
        ),
      ),
    async inspect(server, signal) {
      const session = await McpSession.open(egress, server, { signal, authProvider: oauthProviderOf(server) })
      try {
        const tools = await listTools(session, server, signal)
        cache(serverKey(server), listMilliseconds, { tools }, JSON.stringify(tools).length)
        return { ...session.about, tools }
      } finally {
        void session.end()
      }
    },
    close: () => sessions.close(),
  }
}

async function listTools(
  session: McpSession,
  server: ToolServer,
  signal: AbortSignal,
): Promise<ServedTool[]> {
  const found: ServedTool[] = []
  let cursor = ''
  for (let page = 0; page < maxPages && found.length <= limits.serverTools; page++) {
    const result = await session.request('tools/list', cursor === '' ? {} : { cursor }, { signal })
    const { tools, next } = toolPageOf(server, result)
    found.push(...tools)
    if (next === '') return found
    cursor = next
  }
  throw serverFailure(server, `lists more than ${limits.serverTools} tools or ${maxPages} pages`)
}
