import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { isRecord } from '../../kernel/is-record.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ServedTool, ToolAnswer, ToolServer, ToolServers } from '../../tools/tool-server.ts'
import type { Egress } from '../egress/egress.ts'
import { hostOf, McpSession, quote, type ServerAddress, SessionGone, serverFailure } from './mcp-session.ts'

interface Entry {
  key: string
  readonly workspaceId: string
  readonly session: Promise<McpSession>
  /** Calls in progress. */
  users: number
  idleSince: number
}

const defaults = {
  /** Idle sessions that stay open. */
  maxIdle: limits.idleToolSessions,
  maxIdlePerWorkspace: limits.idleToolSessionsPerWorkspace,
  idleMilliseconds: 5 * 60_000,
  openMilliseconds: 30_000,
}
const endMilliseconds = 2000

type SessionLimits = typeof defaults

/**
 * Open sessions, because opening one takes two requests. Each belongs to one conversation. A session in use is never
 * ended, and the idle sessions of one workspace are limited, so that those of others stay open.
 */
class McpSessions {
  readonly #egress: Egress
  readonly #limits: SessionLimits
  /** The least recently used comes first. */
  readonly #entries = new Map<string, Entry>()

  constructor(egress: Egress, limits: Partial<SessionLimits>) {
    this.#egress = egress
    this.#limits = { ...defaults, ...limits }
  }

  /** Does something in a session, and once more in a new one when the server does not know the old one any more. */
  async use<Result>(
    server: ToolServer,
    signal: AbortSignal,
    work: (session: McpSession) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted()
    for (let attempt = 1; ; attempt++) {
      const entry = this.#take(server)
      try {
        return await work(await unlessAborted(entry.session, signal))
      } catch (error) {
        if (!(error instanceof SessionGone)) throw error
        this.#forget(entry)
        if (attempt === 2)
          throw new ToolFailure(`${hostOf(server)} forgets its sessions at once`, { retryable: true })
      } finally {
        this.#release(entry)
      }
    }
  }

  #take(server: ToolServer): Entry {
    const { workspaceId, conversationId, url, headers } = server
    const expired = performance.now() - this.#limits.idleMilliseconds
    this.#endIdle(0, entry => entry.idleSince <= expired)
    // Hashed, because headers hold secrets and keys of maps tend to be logged.
    const shared = hash('sha256', JSON.stringify([workspaceId, url, Object.entries(headers).sort()]))
    const own = `${shared} ${conversationId}`
    const entry = this.#entries.get(shared) ?? this.#entries.get(own) ?? this.#open(server, own, shared)
    entry.users++
    return entry
  }

  #release(entry: Entry): void {
    entry.users--
    entry.idleSince = performance.now()
    if (this.#entries.get(entry.key) === entry) this.#store(entry, entry.key)
    const { maxIdle, maxIdlePerWorkspace } = this.#limits
    this.#endIdle(maxIdlePerWorkspace, ({ workspaceId }) => workspaceId === entry.workspaceId)
    this.#endIdle(maxIdle, () => true)
  }

  /** Ends idle sessions, the least recently used first, until at most `max` of this kind are left. */
  #endIdle(max: number, isOfKind: (entry: Entry) => boolean): void {
    const idle = [...this.#entries.values()].filter(entry => entry.users === 0 && isOfKind(entry))
    for (const entry of idle.slice(0, Math.max(0, idle.length - max))) void this.#end(entry)
  }

  #open(server: ToolServer, own: string, shared: string): Entry {
    // Not with the signal of a caller: others may be waiting for the same session.
    const signal = AbortSignal.timeout(this.#limits.openMilliseconds)
    const open = async (): Promise<McpSession> => {
      try {
        const session = await McpSession.open(this.#egress, server, signal)
        // Without state it can serve all conversations of the workspace.
        if (!session.hasState && !this.#entries.has(shared)) this.#store(entry, shared)
        return session
      } catch (error) {
        this.#forget(entry)
        if (error instanceof SessionGone || signal.aborted)
          throw new ToolFailure(`${hostOf(server)} did not open a session in time`, { retryable: true })
        throw error
      }
    }
    const { workspaceId } = server
    const entry: Entry = { key: own, workspaceId, session: open(), users: 0, idleSince: 0 }
    this.#store(entry, own)
    return entry
  }

  /** As the most recently used one. */
  #store(entry: Entry, key: string): void {
    this.#forget(entry)
    entry.key = key
    this.#entries.set(key, entry)
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
  }

  async #end(entry: Entry): Promise<void> {
    this.#forget(entry)
    // A failure to open was reported to the callers that waited for it.
    const session = await entry.session.catch(() => undefined)
    await session?.end(AbortSignal.timeout(endMilliseconds))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(entry => this.#end(entry)))
  }
}

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
