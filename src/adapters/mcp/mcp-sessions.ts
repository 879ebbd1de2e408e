import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { LruMap } from '../../kernel/lru-map.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ToolServer } from '../../tools/tool-server.ts'
import type { Egress } from '../egress/egress.ts'
import { McpSession, type OAuthProvider, oauthProviderOf } from './mcp-session.ts'
import { hostOf, SessionExpired } from './tool-server-failure.ts'

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
const sweepMilliseconds = 60_000
/** Tokens of OAuth that are kept for later sessions. */
const maxProviders = 1000

export type SessionLimits = typeof defaults

/** One key for all conversations of a workspace. Hashed, because headers hold secrets. */
export const serverKey = ({ workspaceId, url, headers, oauth }: ToolServer): string =>
  hash('sha256', JSON.stringify([workspaceId, url, Object.entries(headers).sort(), oauth]))

/** Open sessions of conversations. Idle ones are limited by workspace, so that those of others stay. */
export class McpSessions {
  readonly #egress: Egress
  readonly #limits: SessionLimits
  /** The least recently used comes first. */
  readonly #entries = new Map<string, Entry>()
  readonly #providers = new LruMap<string, OAuthProvider>(maxProviders)
  readonly #onToolsChanged: (key: string) => void
  readonly #closing = new AbortController()
  /** Sessions may hold a connection, so that idle ones must not wait for the next call to be ended. */
  readonly #sweep = setInterval(() => this.#endExpired(), sweepMilliseconds).unref()

  constructor(egress: Egress, limits: Partial<SessionLimits>, onToolsChanged: (key: string) => void) {
    this.#egress = egress
    this.#limits = { ...defaults, ...limits }
    this.#onToolsChanged = onToolsChanged
  }

  /** Makes a call in a session, and again in a new session if the server no longer knows the old one. */
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
        if (!(error instanceof SessionExpired)) throw error
        this.#forget(entry)
        if (attempt === 2)
          throw new ToolFailure(`${hostOf(server)} forgets its sessions at once`, { retryable: true })
      } finally {
        this.#release(entry)
      }
    }
  }

  #take(server: ToolServer): Entry {
    this.#endExpired()
    const shared = serverKey(server)
    const own = `${shared} ${server.conversationId}`
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

  #endExpired(): void {
    const expired = performance.now() - this.#limits.idleMilliseconds
    this.#endIdle(0, entry => entry.idleSince <= expired)
  }

  /** Ends idle sessions, the least recently used first, until at most `max` of this kind are left. */
  #endIdle(max: number, isOfKind: (entry: Entry) => boolean): void {
    const idle = [...this.#entries.values()].filter(entry => entry.users === 0 && isOfKind(entry))
    for (const entry of idle.slice(0, Math.max(0, idle.length - max))) void this.#end(entry)
  }

  #open(server: ToolServer, own: string, shared: string): Entry {
    // Not with the signal of a caller: others may be waiting for the same session.
    const timeout = AbortSignal.timeout(this.#limits.openMilliseconds)
    const signal = AbortSignal.any([timeout, this.#closing.signal])
    const open = async (): Promise<McpSession> => {
      try {
        const session = await McpSession.open(this.#egress, server, {
          signal,
          authProvider: this.#providerOf(server, shared),
          onToolsChanged: () => this.#onToolsChanged(shared),
          onClose: () => this.#forget(entry),
        })
        // A session without state can serve all conversations of the workspace.
        if (!session.hasState && !this.#entries.has(shared)) this.#store(entry, shared)
        return session
      } catch (error) {
        this.#forget(entry)
        if (error instanceof SessionExpired || signal.aborted)
          throw new ToolFailure(`${hostOf(server)} did not open a session in time`, { retryable: true })
        throw error
      }
    }
    const { workspaceId } = server
    const entry: Entry = { key: own, workspaceId, session: open(), users: 0, idleSince: 0 }
    this.#store(entry, own)
    return entry
  }

  #providerOf(server: ToolServer, shared: string): OAuthProvider | undefined {
    const known = this.#providers.get(shared)
    if (known) return known
    const provider = oauthProviderOf(server)
    if (provider) this.#providers.set(shared, provider)
    return provider
  }

  /** Stores the entry as the most recently used one. */
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
    await session?.end()
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    this.#closing.abort()
    await Promise.all([...this.#entries.values()].map(entry => this.#end(entry)))
  }
}
