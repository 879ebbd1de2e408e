export interface ServedTool {
  name: string
  description: string
  /** A JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>
}

export interface ToolAnswer {
  /** The text parts, joined. */
  text: string
  /** What the tool gave as structured content; undefined where it gave none. */
  structured: unknown
}

/** Speaks to servers of the Model Context Protocol over HTTP. */
export interface ToolServers {
  /** Fails with a `ToolFailure`. */
  list(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ServedTool[]>
  /** Fails with a `ToolFailure`, also when the tool says that it failed. */
  call(
    server: { url: string; headers: Readonly<Record<string, string>> },
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolAnswer>
}
