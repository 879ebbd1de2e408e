export type CodeLanguage = 'javascript' | 'python'

export interface CodeCall {
  /** Workspaces take turns in using the threads. */
  workspaceId: string
  language: CodeLanguage
  /** A program with a function `main`. */
  code: string
  /** The file of a CommonJS script that the code finds as `module.exports` (JavaScript). */
  library?: string
  inputs: Readonly<Record<string, unknown>>
  /** Called when the code starts to run; until then it waits for a thread. */
  onStart?: () => void
  /** Gets the last lines of the console after `main` has returned. */
  onLines?: (lines: readonly string[]) => void
}

/** Runs user code in a sandbox without network, files or environment. */
export interface CodeRunner {
  /**
   * Calls `main`, with all inputs in one object (JavaScript) or as named arguments (Python), and returns its result, as
   * JSON. Fails with a `ToolFailure` for the author of the code (an exception with its line, a timeout, a memory limit),
   * or with the reason of the aborted signal.
   */
  run(call: CodeCall, signal: AbortSignal): Promise<unknown>
}
