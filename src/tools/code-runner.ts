export interface CodeCall {
  /** Workspaces take turns in using the threads. */
  workspaceId: string
  /** A JavaScript program with a function `main`. */
  code: string
  inputs: Readonly<Record<string, unknown>>
  /** Called when the code starts to run; until then it waits for a thread. */
  onStart?: () => void
  /** Gets the last lines of the console after `main` has returned. */
  onLines?: (lines: readonly string[]) => void
}

/** Runs user code in a sandbox without network, files or environment. */
export interface CodeRunner {
  /**
   * Calls `main(inputs)` and returns its result, as JSON. Fails with a `ToolFailure` for the author of the code (an
   * exception with its line, a timeout, a memory limit), or with the reason of the aborted signal.
   */
  run(call: CodeCall, signal: AbortSignal): Promise<unknown>
}
