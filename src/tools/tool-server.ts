export interface ServedTool {
  name: string
  description: string
  /** A JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>
}

export interface ToolAnswer {
  /** The text parts, joined. */
  text: string
  /** The structured content of the tool; undefined where there is none. */
  structured: unknown
}

/** A server, and whose session with it is used: servers store state in sessions, so a session is never shared. */
export interface ToolServer {
  url: string
  headers: Readonly<Record<string, string>>
  workspaceId: string
  /** The conversation, or the run of a workflow outside of conversations. */
  conversationId: string
}

/** A client of Model Context Protocol servers over HTTP. */
export interface ToolServers {
  /** Fails with a `ToolFailure`. */
  list(server: ToolServer, signal: AbortSignal): Promise<ServedTool[]>
  /** Fails with a `ToolFailure`, also when the tool reports an error. */
  call(
    server: ToolServer,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolAnswer>
}
