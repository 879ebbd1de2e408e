interface Problem {
  workspaceId: string
  /** What is wrong, with the ids that matter. */
  message: string
}

/** One kind of inconsistency. It reports problems as it finds them, so that memory does not grow with the data. */
export interface ConsistencyCheck {
  name: string
  /** What must hold. */
  promise: string
  find(report: (problem: Problem) => void, signal: AbortSignal): Promise<void>
  /** Rebuilds or deletes data without losing anything; undefined if only a person can decide. */
  repair?(signal: AbortSignal): Promise<unknown>
  /** What to do about the rest. */
  remedy: string
}

export interface CheckReport {
  name: string
  promise: string
  problems: number
  /** The first of them. */
  examples: Problem[]
  /** The number of problems after the repair; undefined if nothing was repaired. */
  left?: number
  remedy: string
}

const maxExamples = 20

async function examine({ name, promise, remedy, find }: ConsistencyCheck, signal: AbortSignal) {
  const report: CheckReport = { name, promise, problems: 0, examples: [], remedy }
  await find(problem => {
    signal.throwIfAborted()
    if (report.problems++ < maxExamples) report.examples.push(problem)
  }, signal)
  return report
}

/** One report per check, when it is done. */
export async function* runChecks(
  checks: readonly ConsistencyCheck[],
  { repair, signal }: { repair: boolean; signal: AbortSignal },
): AsyncGenerator<CheckReport> {
  for (const check of checks) {
    const report = await examine(check, signal)
    if (repair && report.problems > 0 && check.repair) {
      await check.repair(signal)
      report.left = (await examine(check, signal)).problems
    }
    yield report
  }
}
