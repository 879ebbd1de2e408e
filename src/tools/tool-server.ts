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

/** A client of Model Context Protocol servers over HTTP. */
export interface ToolServers {
  /** Fails with a `ToolFailure`. */
  list(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ServedTool[]>
  /** Fails with a `ToolFailure`, also when the tool reports an error. */
  call(
    server: { url: string; headers: Readonly<Record<string, string>> },
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolAnswer>
}
