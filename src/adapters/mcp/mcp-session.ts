import { ToolFailure } from '../../tools/tool-failure.ts'
import type { Egress } from '../egress/egress.ts'
import { exchangeRpc } from './mcp-exchange.ts'
import { hostOf, type ServerAddress } from './server-address.ts'

const protocolVersion = '2025-06-18'
const spokenVersions: ReadonlySet<unknown> = new Set([protocolVersion, '2025-03-26', '2024-11-05'])

/** What the protocol allows in a session id, within what a header can bear. */
const sessionIdForm = /^[\x21-\x7e]{1,1024}$/

/** A server that was greeted and may be asked. */
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
    await session.#greet(signal)
    return session
  }

  async #greet(signal: AbortSignal): Promise<void> {
    const clientInfo = { name: 'banyan', version: '1' }
    const { result, sessionId } = await this.#send(
      'initialize',
      { protocolVersion, capabilities: {}, clientInfo },
      signal,
    )
    const version = (result as { protocolVersion?: unknown } | null)?.protocolVersion
    if (typeof version !== 'string' || !spokenVersions.has(version))
      throw this.#misbehaved('speaks a version of the protocol that is not supported here')
    if (sessionId !== undefined && !sessionIdForm.test(sessionId))
      throw this.#misbehaved('gave a session id that the protocol does not allow')
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

  async #send(method: string, params: object, signal: AbortSignal) {
    const id = ++this.#lastId
    return exchangeRpc(this.#egress, this.#server, {
      message: { id, method, params },
      awaited: id,
      // Nobody knows whether a tool has run already; everything else can be asked twice.
      isRepeatable: method !== 'tools/call',
      session: this.#session,
      signal,
    })
  }

  /** Tells the server that it can forget the session. Servers need not care, so neither do we. */
  async end(signal: AbortSignal): Promise<void> {
    if (this.#session['mcp-session-id'] === undefined) return
    try {
      const headers = { ...this.#server.headers, ...this.#session }
      const answer = await this.#egress.request(this.#server.url, { method: 'DELETE', headers, signal })
      answer.body.destroy()
    } catch {
      // It forgets by itself in the end.
    }
  }

  #misbehaved(what: string): ToolFailure {
    return new ToolFailure(`${hostOf(this.#server)} ${what}`, { retryable: false })
  }
}
