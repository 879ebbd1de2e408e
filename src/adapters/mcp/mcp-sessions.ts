import { hash } from 'node:crypto'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { Egress } from '../egress/egress.ts'
import { hostOf, McpSession, type ServerAddress, SessionGone } from './mcp-session.ts'

interface Entry {
  session: Promise<McpSession>
  lastUsed: number
}

const defaults = { maxSessions: 64, idleMilliseconds: 5 * 60_000, openMilliseconds: 30_000 }
const endMilliseconds = 2000

export type SessionLimits = typeof defaults

/** A pool of sessions, because opening one takes two requests. */
export class McpSessions {
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
    server: ServerAddress,
    signal: AbortSignal,
    work: (session: McpSession) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted()
    // Hashed, because headers hold secrets and keys of maps tend to be logged.
    const key = hash('sha256', JSON.stringify([server.url, Object.entries(server.headers).sort()]))
    for (let attempt = 1; ; attempt++) {
      const entry = this.#take(key, server)
      try {
        return await work(await unlessAborted(entry.session, signal))
      } catch (error) {
        if (!(error instanceof SessionGone)) throw error
        this.#forget(key, entry)
        if (attempt === 2)
          throw new ToolFailure(`${hostOf(server)} forgets its sessions at once`, { retryable: true })
      }
    }
  }

  #take(key: string, server: ServerAddress): Entry {
    const { maxSessions, idleMilliseconds } = this.#limits
    const now = Date.now()
    this.#endWhile(({ lastUsed }) => lastUsed <= now - idleMilliseconds)
    const entry = this.#entries.get(key) ?? this.#open(key, server)
    entry.lastUsed = now
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#endWhile(() => this.#entries.size > maxSessions)
    return entry
  }

  /** Ends the least recently used sessions. */
  #endWhile(isTooMany: (entry: Entry) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (!isTooMany(entry)) return
      void this.#end(key)
    }
  }

  #open(key: string, server: ServerAddress): Entry {
    // Not with the signal of a caller: others may be waiting for the same session.
    const signal = AbortSignal.timeout(this.#limits.openMilliseconds)
    const session = McpSession.open(this.#egress, server, signal).catch((error: unknown) => {
      this.#forget(key, entry)
      if (error instanceof SessionGone || signal.aborted)
        throw new ToolFailure(`${hostOf(server)} did not open a session in time`, { retryable: true })
      throw error
    })
    const entry: Entry = { session, lastUsed: 0 }
    return entry
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }

  async #end(key: string): Promise<void> {
    const entry = this.#entries.get(key)
    this.#entries.delete(key)
    // A failure to open was reported to the callers that waited for it.
    const session = await entry?.session.catch(() => undefined)
    await session?.end(AbortSignal.timeout(endMilliseconds))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map(key => this.#end(key)))
  }
}
