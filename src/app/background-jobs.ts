import type { Logger } from 'pino'
import type { Cluster } from '../cluster/cluster.ts'
import { OrphanSweep } from '../files/orphan-sweep.ts'
import { Scrubber } from '../files/scrubber.ts'
import { pause } from '../kernel/pause.ts'
import type { Adapters } from './adapters.ts'

/** Maintenance that runs at the start and then again after each pause. */
export interface BackgroundJob {
  name: string
  seconds: number
  /** Every process runs the job, for data on its own disk; other jobs run in one process at a time. */
  isLocal?: boolean
  run(signal: AbortSignal): Promise<unknown>
}

export const every = (seconds: number, name: string, run: BackgroundJob['run']): BackgroundJob => ({
  ...{ name, seconds, run },
})

/** How often a process tries to get the lease of the jobs from another one. */
const claimMilliseconds = 10_000

/** Repeats the job until `signal`; a failure is logged, and the job runs again after its pause. */
async function repeat({ name, seconds, run }: BackgroundJob, log: Logger, signal: AbortSignal) {
  while (!signal.aborted) {
    await run(signal).catch((error: unknown) =>
      log.warn({ job: name, err: error }, 'A background job failed; it will be retried'),
    )
    await pause(seconds * 1000, signal)
  }
}

/** Repeats the jobs while this process holds their lease, and waits for the lease while another process does. */
async function repeatAlone(jobs: BackgroundJob[], cluster: Cluster, log: Logger, signal: AbortSignal) {
  while (!signal.aborted) {
    const work = cluster.exclusively('background jobs', async lost => {
      await Promise.all(jobs.map(job => repeat(job, log, AbortSignal.any([signal, lost]))))
    })
    await work.catch((error: unknown) =>
      log.warn({ err: error }, 'The lease of the background jobs could not be taken; trying again'),
    )
    await pause(claimMilliseconds, signal)
  }
}

export const runJobs = (jobs: BackgroundJob[], cluster: Cluster, log: Logger, signal: AbortSignal) =>
  Promise.all([
    ...jobs.filter(job => job.isLocal).map(job => repeat(job, log, signal)),
    repeatAlone(
      jobs.filter(job => !job.isLocal),
      cluster,
      log,
      signal,
    ),
  ])

/** Repeats a step that works in batches until nothing is left. */
export async function untilDone(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && (await step()));
}

/** Maintenance of stored contents. What is moved, deleted or found damaged is logged. */
export function fileJobs(adapters: Adapters): BackgroundJob[] {
  const { blobs, clock, installation, log, stores } = adapters
  const orphans = new OrphanSweep({ files: stores.files, blobs, installation, clock })
  const scrubber = new Scrubber(stores.scrub, blobs, clock)

  const sweepOrphans = async (signal: AbortSignal): Promise<void> => {
    const swept = await orphans.run(signal)
    if (Object.values(swept).some(count => count > 0))
      log.warn(swept, 'Swept file contents that no row names; see the quarantine in docs/operating.md')
  }
  const scrub = async (signal: AbortSignal): Promise<void> => {
    for await (const { problem, workspaceId, key, files: named } of scrubber.slowly(signal))
      log.error(
        { workspace_id: workspaceId, blob: key, problem, file_ids: named.map(file => file.id) },
        'The content of a file is missing or damaged. Upload the file again or restore it from a backup.',
      )
  }
  return [
    {
      ...every(blobs.sweepSeconds, 'sweep temporary files', () => blobs.sweepTemporary()),
      isLocal: blobs.isLocal,
    },
    every(3600, 'sweep orphaned blobs', sweepOrphans),
    every(600, 'verify file contents', scrub),
  ]
}
