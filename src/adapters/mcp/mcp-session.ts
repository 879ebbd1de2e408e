import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ErrorCode,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '../../kernel/is-record.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ToolCallOptions } from '../../tools/tool-server.ts'
import { type Egress, EgressFailure } from '../egress/egress.ts'
import { toolFailureOfEgress } from '../egress/egress-http-client.ts'
import { createMcpFetch, currentCall, type RpcCall } from './mcp-fetch.ts'
import {
  hostOf,
  InvalidRpcMessage,
  quote,
  type ServerAddress,
  SessionExpired,
  StatusFailure,
  serverFailure,
} from './tool-server-failure.ts'

/** The longest that a call may take, however much progress the server reports. */
const maxCallMilliseconds = 30 * 60_000
/** A stream that its server leaves open after the response is closed this much later. */
const lingerMilliseconds = 1000

const clientInfo = { name: 'banyan', version: '1' }
/** Results are read leniently, so no schema of a server is ever compiled. */
const jsonSchemaValidator = {
  getValidator: () => () => ({ valid: true as const, data: undefined as never, errorMessage: undefined }),
}

export type OAuthProvider = ClientCredentialsProvider

export const oauthProviderOf = ({ oauth }: ServerAddress): OAuthProvider | undefined =>
  oauth &&
  new ClientCredentialsProvider({
    clientId: oauth.clientId,
    clientSecret: oauth.clientSecret,
    expectedIssuer: oauth.issuer,
    clientName: clientInfo.name,
    ...(oauth.scope !== undefined && { scope: oauth.scope }),
  })

interface SessionOptions {
  signal: AbortSignal
  authProvider?: OAuthProvider | undefined
  /** Called when the server has other tools than before. */
  onToolsChanged?: () => void
  /** Called when the session cannot be used any more. */
  onClose?: () => void
}

/** An initialized session with a server: Streamable HTTP, or HTTP with SSE where the server knows only that. */
export class McpSession {
  readonly #server: ServerAddress
  readonly #client = new Client(clientInfo, { capabilities: {}, jsonSchemaValidator })
  #transport: StreamableHTTPClientTransport | SSEClientTransport | undefined

  private constructor(server: ServerAddress) {
    this.#server = server
  }

  static async open(egress: Egress, server: ServerAddress, options: SessionOptions): Promise<McpSession> {
    const session = new McpSession(server)
    try {
      return await session.#connect(egress, 'streamable', options)
    } catch (error) {
      if (!(error instanceof StatusFailure) || !isOlderServer(error.status)) throw error
      const older = new McpSession(server)
      return await older.#connect(egress, 'sse', options).catch(() => {
        throw error
      })
    }
  }

  async #connect(egress: Egress, kind: 'streamable' | 'sse', options: SessionOptions): Promise<this> {
    const { signal, authProvider, onToolsChanged, onClose } = options
    const client = this.#client
    const isOlder = kind === 'sse'
    const guarded = createMcpFetch(egress, this.#server, {
      wantsStream: () => isOlder || client.getServerCapabilities()?.tools?.listChanged === true,
      ...(isOlder && { onStreamEnd: () => void client.close() }),
    })
    if (onToolsChanged) client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged)
    const Transport = isOlder ? SSEClientTransport : StreamableHTTPClientTransport
    await this.#calling(signal, async callSignal => {
      // The outbound client reports what is wrong with the URL.
      if (!URL.canParse(this.#server.url)) await egress.request(this.#server.url)
      const transport = new Transport(new URL(this.#server.url), {
        fetch: guarded,
        ...(authProvider && { authProvider }),
      })
      this.#transport = transport
      // The SDK declares the session id of a transport in a way that exactOptionalPropertyTypes rejects.
      await client.connect(transport as Parameters<Client['connect']>[0], { signal: callSignal })
    }).catch(error => {
      void client.close()
      throw error
    })
    client.onclose = () => onClose?.()
    return this
  }

  /** Without an id the server cannot tell sessions apart, and stores nothing in them. */
  get hasState(): boolean {
    return this.#transport instanceof SSEClientTransport || this.#transport?.sessionId !== undefined
  }

  get about(): { name: string; version: string; protocolVersion: string; instructions: string } {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {}
    const protocolVersion =
      this.#transport instanceof StreamableHTTPClientTransport ? this.#transport.protocolVersion : undefined
    const instructions = this.#client.getInstructions() ?? ''
    return { name, version, protocolVersion: protocolVersion ?? '2024-11-05', instructions }
  }

  /** Fails with a `ToolFailure`, a `SessionExpired` or the signal's reason. */
  request(method: string, params: object, { signal, onProgress }: ToolCallOptions): Promise<unknown> {
    return this.#calling(signal, callSignal =>
      this.#client.request({ method, params: params as Record<string, unknown> }, ResultSchema, {
        signal: callSignal,
        timeout: maxCallMilliseconds,
        ...(onProgress && { onprogress: onProgress }),
      }),
    )
  }

  /** Notifies the server that the session is over. Servers need not support it, so a failure is ignored. */
  async end(): Promise<void> {
    this.#client.onclose = undefined
    if (this.#transport instanceof StreamableHTTPClientTransport)
      await this.#transport.terminateSession().catch(() => {})
    await this.#client.close()
  }

  /** The SDK keeps its listener on a signal and sends the reason to the server, so each call has its own. */
  async #calling<Result>(
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted()
    const stop = new AbortController()
    const call: RpcCall = {}
    const onAbort = (): void => stop.abort('stopped')
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await currentCall.run(call, () => send(stop.signal))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw this.#failureOf(call.failure ?? error, signal)
    } finally {
      signal.removeEventListener('abort', onAbort)
      if (call.abandon) setTimeout(() => call.abandon?.(), lingerMilliseconds).unref()
    }
  }

  #failureOf(error: unknown, signal: AbortSignal): unknown {
    const server = this.#server
    if (error instanceof ToolFailure || error instanceof SessionExpired) return error
    if (error instanceof EgressFailure) return toolFailureOfEgress(error, signal)
    const isInvalid = isRecord(error) && Array.isArray(error['issues'])
    if (error instanceof InvalidRpcMessage || isInvalid) {
      const received =
        error instanceof InvalidRpcMessage ? error.message : 'JSON that does not follow the protocol'
      return serverFailure(server, `is not a tool server: it responded with ${received}`)
    }
    // A redirect to another origin, or a refusal although there is a token.
    if (error instanceof StreamableHTTPError && error.code !== undefined) {
      const text = error.message.replace(/^.*POSTing to endpoint: | \(redirectPolicy.*\)$/g, '')
      return serverFailure(server, `responded with status ${error.code}: ${quote(text, server)}`)
    }
    const message = quote((error as Error).message, server)
    if (!(error instanceof McpError)) return serverFailure(server, `cannot be used: ${message}`)
    if (error.code === ErrorCode.ConnectionClosed)
      return new ToolFailure(`${hostOf(server)} closed the connection`, { retryable: true })
    if (error.code === ErrorCode.RequestTimeout)
      return new ToolFailure(`${hostOf(server)} did not respond in time`, { retryable: true })
    return serverFailure(server, `reported an error: ${message.replace(/^MCP error -?\d+: /, '')}`)
  }
}

/** How servers refuse a request of the newer transport, by the protocol. */
const isOlderServer = (status: number): boolean => status === 400 || status === 404 || status === 405
