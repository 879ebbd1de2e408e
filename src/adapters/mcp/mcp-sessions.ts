import { createHash } from 'node:crypto'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { Egress } from '../egress/egress.ts'
import { exchangeRpc, hostOf, type ServerAddress, SessionGone } from './mcp-exchange.ts'

const protocolVersion = '2025-06-18'
const supportedVersions: ReadonlySet<unknown> = new Set([protocolVersion, '2025-03-26', '2024-11-05'])

/** What the protocol allows in a session id, within the limits of a header. */
const sessionIdForm = /^[\x21-\x7e]{1,1024}$/

/** An initialized session with a server. */
export class McpSession {
  readonly #egress: Egress
  readonly #server: ServerAddress
  #session: Readonly<Record<string, string>> = {}
  #lastId = 0

  private constructor(egress: Egress, server: ServerAddress) {
    this.#egress = egress
    this.#server = server
  }

  static async open(egress: Egress, server: ServerAddress, signal: AbortSignal): Promise<McpSession> {
    const session = new McpSession(egress, server)
    await session.#initialize(signal)
    return session
  }

  async #initialize(signal: AbortSignal): Promise<void> {
    const clientInfo = { name: 'banyan', version: '1' }
    const { result, sessionId } = await this.#send(
      'initialize',
      { protocolVersion, capabilities: {}, clientInfo },
      signal,
    )
    const version = (result as { protocolVersion?: unknown } | null)?.protocolVersion
    if (typeof version !== 'string' || !supportedVersions.has(version))
      throw this.#invalid('uses an unsupported version of the protocol')
    if (sessionId !== undefined && !sessionIdForm.test(sessionId))
      throw this.#invalid('sent a session id that the protocol does not allow')
    this.#session = {
      'mcp-protocol-version': version,
      ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
    }
    await exchangeRpc(this.#egress, this.#server, {
      message: { method: 'notifications/initialized' },
      awaited: undefined,
      isRepeatable: true,
      session: this.#session,
      signal,
    })
  }

  async request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    return (await this.#send(method, params, signal)).result
  }

  #send(method: string, params: object, signal: AbortSignal) {
    const id = ++this.#lastId
    return exchangeRpc(this.#egress, this.#server, {
      message: { id, method, params },
      awaited: id,
      // The tool may have run already; every other method is safe to repeat.
      isRepeatable: method !== 'tools/call',
      session: this.#session,
      signal,
    })
  }

  /** Tells the server that the session is over. Servers need not support it, so a failure is ignored. */
  async end(signal: AbortSignal): Promise<void> {
    if (this.#session['mcp-session-id'] === undefined) return
    try {
      const headers = { ...this.#server.headers, ...this.#session }
      const response = await this.#egress.request(this.#server.url, { method: 'DELETE', headers, signal })
      response.body.destroy()
    } catch {
      // The session expires on the server.
    }
  }

  #invalid(what: string): ToolFailure {
    return new ToolFailure(`${hostOf(this.#server)} ${what}`, { retryable: false })
  }
}

interface Entry {
  session: Promise<McpSession>
  lastUsed: number
}

export interface SessionLimits {
  maxSessions: number
  idleMilliseconds: number
  openMilliseconds: number
  endMilliseconds: number
}

const defaults: SessionLimits = {
  maxSessions: 64,
  idleMilliseconds: 5 * 60_000,
  openMilliseconds: 30_000,
  endMilliseconds: 2000,
}

/** A pool of sessions, because opening one takes two requests. */
export class McpSessions {
  readonly #egress: Egress
  readonly #limits: SessionLimits
  /** The least recently used comes first. */
  readonly #entries = new Map<string, Entry>()

  constructor(egress: Egress, limits: Partial<SessionLimits> = {}) {
    this.#egress = egress
    this.#limits = { ...defaults, ...limits }
  }

  /** Does something in a session, and once more in a new one when the server does not know the old one any more. */
  async use<Result>(
    server: ServerAddress,
    signal: AbortSignal,
    work: (session: McpSession) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted()
    const key = keyOf(server)
    const entry = this.#take(key, server)
    try {
      return await work(await unlessAborted(entry.session, signal))
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    try {
      return await work(await unlessAborted(this.#take(key, server).session, signal))
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error
      throw new ToolFailure(`${hostOf(server)} forgets its sessions at once`, { retryable: true })
    }
  }

  #take(key: string, server: ServerAddress): Entry {
    this.#endIdle()
    const entry = this.#entries.get(key) ?? this.#open(key, server)
    entry.lastUsed = Date.now()
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.#limits.maxSessions) break
      void this.#end(oldest)
    }
    return entry
  }

  #open(key: string, server: ServerAddress): Entry {
    // Not with the signal of a caller: others may be waiting for the same session.
    const signal = AbortSignal.timeout(this.#limits.openMilliseconds)
    const session = McpSession.open(this.#egress, server, signal).catch((error: unknown) => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      if (error instanceof SessionGone || signal.aborted)
        throw new ToolFailure(`${hostOf(server)} did not open a session in time`, { retryable: true })
      throw error
    })
    const entry: Entry = { session, lastUsed: 0 }
    return entry
  }

  #endIdle(): void {
    const since = Date.now() - this.#limits.idleMilliseconds
    for (const [key, { lastUsed }] of this.#entries) {
      if (lastUsed > since) return
      void this.#end(key)
    }
  }

  async #end(key: string): Promise<void> {
    const entry = this.#entries.get(key)
    this.#entries.delete(key)
    // A failure to open was reported to the callers that waited for it.
    const session = await entry?.session.catch(() => undefined)
    await session?.end(AbortSignal.timeout(this.#limits.endMilliseconds))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map(key => this.#end(key)))
  }
}

/** Hashed, because headers hold secrets and keys of maps tend to be logged. */
const keyOf = ({ url, headers }: ServerAddress): string =>
  createHash('sha256')
    .update(JSON.stringify([url, Object.entries(headers).sort()]))
    .digest('base64')
