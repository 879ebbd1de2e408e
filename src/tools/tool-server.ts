export interface ServedTool {
  name: string
  description: string
  /** A JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>
}

/** An image, a recording or another resource in the answer of a tool. */
export interface ToolFile {
  name: string
  bytes: Uint8Array
}

export interface ToolAnswer {
  /** The text parts, joined. */
  text: string
  /** The structured content of the tool; undefined where there is none. */
  structured: unknown
  files: readonly ToolFile[]
}

/** The client credentials of OAuth 2.1. They are sent to this issuer only, whatever the tool server says. */
interface ToolServerOAuth {
  clientId: string
  clientSecret: string
  issuer: string
  scope?: string | undefined
}

/** A server, and whose session with it is used: servers store state in sessions, so a session is never shared. */
export interface ToolServer {
  url: string
  headers: Readonly<Record<string, string>>
  oauth?: ToolServerOAuth | undefined
  workspaceId: string
  /** The conversation, or the run of a workflow outside of conversations. */
  conversationId: string
}

/** The description that a server gives of itself. */
export interface ToolServerInfo {
  name: string
  version: string
  protocolVersion: string
  instructions: string
  tools: ServedTool[]
}

interface ToolProgress {
  progress: number
  total?: number | undefined
  message?: string | undefined
}

export interface ToolCallOptions {
  /** When it is aborted, the server is notified. */
  signal: AbortSignal
  /** The server reports how far it is. */
  onProgress?: (progress: ToolProgress) => void
}

/** A client of Model Context Protocol servers over HTTP. */
export interface ToolServers {
  /** From a cache, until the server reports a change or a minute has passed. Fails with a `ToolFailure`. */
  list(server: ToolServer, signal: AbortSignal): Promise<ServedTool[]>
  /** Fails with a `ToolFailure`, also when the tool reports an error. */
  call(
    server: ToolServer,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: ToolCallOptions,
  ): Promise<ToolAnswer>
  /** Reconnects and asks the server what it offers. Fails with a `ToolFailure`. */
  inspect(server: ToolServer, signal: AbortSignal): Promise<ToolServerInfo>
}
