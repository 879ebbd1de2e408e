export interface TemplateCall {
  /** Workspaces take turns in using the threads. */
  workspaceId: string
  template: string
  variables: Readonly<Record<string, unknown>>
  /** Called when the rendering starts; until then it waits for a thread. */
  onStart?: () => void
}

/** Renders templates of users in a language that can loop. */
export interface TemplateRenderer {
  /** Fails with a `ToolFailure` for the author of the template, or with the reason of the aborted signal. */
  render(call: TemplateCall, signal: AbortSignal): Promise<string>
}
