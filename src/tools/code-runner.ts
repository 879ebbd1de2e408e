/** Runs user code in a sandbox without network, files or environment. */
export interface CodeRunner {
  /**
   * Calls `main(inputs)` of a JavaScript program and returns its result, as JSON. Fails with a `ToolFailure` for the
   * author of the code (an exception with its line, a timeout, a memory limit), or with the reason of the aborted signal.
   * `onLines` gets the last lines of the console after `main` has returned.
   */
  run(
    code: string,
    inputs: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onLines?: (lines: readonly string[]) => void,
  ): Promise<unknown>
}
