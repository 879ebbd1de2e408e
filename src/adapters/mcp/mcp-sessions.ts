import { createHash } from 'node:crypto'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { Egress } from '../egress/egress.ts'
import { McpSession } from './mcp-session.ts'
import { SessionGone } from './refusal-of-answer.ts'
import { hostOf, type ServerAddress } from './server-address.ts'

interface Kept {
  session: Promise<McpSession>
  lastUsed: number
}

export interface SessionLimits {
  most: number
  idleMilliseconds: number
  openMilliseconds: number
  endMilliseconds: number
}

const defaults: SessionLimits = {
  most: 64,
  idleMilliseconds: 5 * 60_000,
  openMilliseconds: 30_000,
  endMilliseconds: 2000,
}

/** Sessions that are kept for a while, because greeting a server takes two requests. */
export class McpSessions {
  readonly #egress: Egress
  readonly #limits: SessionLimits
  /** The one that was not used for the longest comes first. */
  readonly #kept = new Map<string, Kept>()

  constructor(egress: Egress, limits: Partial<SessionLimits> = {}) {
    this.#egress = egress
    this.#limits = { ...defaults, ...limits }
  }

  /** Does something in a session, and once more in a new one when the server has forgotten the old. */
  async use<Result>(
    server: ServerAddress,
    signal: AbortSignal,
    work: (session: McpSession) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted()
    const key = keyOf(server)
    const kept = this.#take(key, server)
    try {
      return await work(await unlessAborted(kept.session, signal))
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    }
    try {
      return await work(await unlessAborted(this.#take(key, server).session, signal))
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error
      throw new ToolFailure(`${hostOf(server)} forgets its sessions at once`, { retryable: true })
    }
  }

  #take(key: string, server: ServerAddress): Kept {
    this.#endIdle()
    const kept = this.#kept.get(key) ?? this.#open(key, server)
    kept.lastUsed = Date.now()
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= this.#limits.most) break
      void this.#end(oldest)
    }
    return kept
  }

  #open(key: string, server: ServerAddress): Kept {
    // Not with the signal of a caller: others may be waiting for the same session.
    const signal = AbortSignal.timeout(this.#limits.openMilliseconds)
    const session = McpSession.open(this.#egress, server, signal).catch((error: unknown) => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
      if (error instanceof SessionGone || signal.aborted) throw unwilling(server)
      throw error
    })
    const kept: Kept = { session, lastUsed: 0 }
    return kept
  }

  #endIdle(): void {
    const since = Date.now() - this.#limits.idleMilliseconds
    for (const [key, { lastUsed }] of this.#kept) {
      if (lastUsed > since) return
      void this.#end(key)
    }
  }

  async #end(key: string): Promise<void> {
    const kept = this.#kept.get(key)
    this.#kept.delete(key)
    // One that could not be opened has told so to those who wanted it.
    const session = await kept?.session.catch(() => undefined)
    await session?.end(AbortSignal.timeout(this.#limits.endMilliseconds))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map(key => this.#end(key)))
  }
}

const unwilling = (server: ServerAddress): ToolFailure =>
  new ToolFailure(`${hostOf(server)} did not open a session in time`, { retryable: true })

/** Hashed, because headers hold secrets and keys of maps tend to be printed. */
const keyOf = ({ url, headers }: ServerAddress): string =>
  createHash('sha256')
    .update(JSON.stringify([url, Object.entries(headers).sort()]))
    .digest('base64')

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
