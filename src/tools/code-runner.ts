/** Runs what users wrote, where it can reach nothing: no network, no files, no environment. */
export interface CodeRunner {
  /**
   * Calls `main(inputs)` of a JavaScript text and gives back what it returned, as JSON. Fails with a `ToolFailure`
   * that says what was wrong in the user's terms (an exception with its line, too much time, too much memory), or with
   * the reason of the aborted signal. `onLines` is told the last lines of its console once it has returned.
   */
  run(
    code: string,
    inputs: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onLines?: (lines: readonly string[]) => void,
  ): Promise<unknown>
}
