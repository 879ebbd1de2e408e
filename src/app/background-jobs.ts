import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

/** Maintenance that runs at the start and then again after each pause. */
export interface BackgroundJob {
  name: string
  seconds: number
  run(signal: AbortSignal): Promise<unknown>
}

/** Repeats the job until `signal`; a failure is logged, and the job runs again after its pause. */
async function repeat({ name, seconds, run }: BackgroundJob, log: Logger, signal: AbortSignal) {
  while (!signal.aborted) {
    await run(signal).catch((error: unknown) =>
      log.warn({ job: name, err: error }, 'A background job failed; it will be retried'),
    )
    await sleep(seconds * 1000, undefined, { signal, ref: false }).catch(() => {})
  }
}

export const runJobs = (jobs: BackgroundJob[], log: Logger, signal: AbortSignal): Promise<unknown> =>
  Promise.all(jobs.map(job => repeat(job, log, signal)))

/** Repeats a step that works in batches until nothing is left. */
export async function untilDone(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && (await step()));
}
