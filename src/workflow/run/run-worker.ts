import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../kernel/app-error.ts'
import { hasEnded, processName } from '../../kernel/lease.ts'
import { recoverTask } from './recovery.ts'
import type { RunDependencies, TaskStart } from './run-context.ts'
import type { NewLease } from './run-records.ts'
import { RunTask } from './run-task.ts'

/** Works on runs in this process: holds their leases, and claims runs whose lease has expired. */
export class RunWorker {
  readonly #dependencies: RunDependencies
  readonly #tasks = new Map<string, RunTask>()
  #isStopping = false

  constructor(dependencies: RunDependencies) {
    this.#dependencies = dependencies
  }

  newLease(): NewLease {
    const lease = `${processName()}/${randomBytes(12).toString('base64url')}`
    return { lease, until: this.#dependencies.clock.now() + this.#dependencies.limits.leaseMilliseconds }
  }

  find(runId: string): RunTask | undefined {
    return this.#tasks.get(runId)
  }

  /** Active runs of a workspace in this process. */
  activeRuns(workspaceId: string): number {
    let count = 0
    for (const task of this.#tasks.values()) if (task.lease.workspaceId === workspaceId) count++
    return count
  }

  /** Fails with `rate_limited` when too many runs are active. */
  checkCapacity(): void {
    if (this.#isStopping)
      throw new AppError('unavailable', 'The server is shutting down; try again in a moment')
    const { live } = this.#dependencies.limits
    if (this.#tasks.size < live) return
    const message = `The server already runs ${live} workflows, the maximum; try again in a moment`
    throw new AppError('rate_limited', message, { headers: { 'retry-after': '1' } })
  }

  begin(start: TaskStart): RunTask {
    const task = new RunTask(this.#dependencies, start)
    this.#tasks.set(task.runId, task)
    const { observer } = this.#dependencies
    observer?.runStarted(start.run.trigger)
    const remove = (status?: string): void => {
      observer?.runEnded(status)
      if (this.#tasks.get(task.runId) === task) this.#tasks.delete(task.runId)
    }
    task.settled.then(
      ({ run }) => remove(run.status),
      (error: unknown) => {
        remove()
        const details = { err: error, run_id: task.runId }
        if (!(error instanceof AppError))
          this.#dependencies.log.warn(details, 'A run was interrupted; it will be claimed again')
      },
    )
    return task
  }

  /** Works until the signal; then active runs get a grace period, and the rest is released. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#dependencies.limits.isAlone) await this.#expireDeadLeases()
    const done = new AbortController()
    const renewing = this.#renewLeases(done.signal)
    while (!signal.aborted) {
      await this.#claimDue(signal).catch((error: unknown) =>
        this.#dependencies.log.warn({ err: error }, 'Runs that are due could not be claimed'),
      )
      await this.#pause(this.#dependencies.limits.pollMilliseconds, signal)
    }
    this.#isStopping = true
    await this.#drain()
    done.abort()
    await renewing
  }

  async #drain(): Promise<void> {
    const tasks = [...this.#tasks.values()]
    const over = Promise.allSettled(tasks.map(task => task.settled))
    await Promise.race([over, sleep(this.#dependencies.limits.graceMilliseconds, undefined, { ref: false })])
    await Promise.all([...this.#tasks.values()].map(task => task.release()))
  }

  /** After a crash, the leases of dead processes on this machine need not run out first. */
  async #expireDeadLeases(): Promise<void> {
    const { store, clock, log } = this.#dependencies
    try {
      const leases = (await store.leases()).filter(hasEnded)
      if (leases.length > 0) await store.expire(leases, clock.now())
    } catch (error) {
      log.warn({ err: error }, 'The leases of dead processes could not be expired; they run out on their own')
    }
  }

  async #claimDue(signal: AbortSignal): Promise<void> {
    const { store, clock, limits } = this.#dependencies
    while (!signal.aborted && this.#tasks.size < limits.live) {
      const now = clock.now()
      // Reads first: a claim is a write, and an idle server should not write.
      const due = await store.nextDue()
      if (due === undefined || due > now) return
      const { lease, until } = this.newLease()
      const claimed = await store.claim({ lease, now, until })
      if (!claimed) return
      const { workspaceId, run } = claimed
      // Its previous task still runs here and has not noticed that its lease expired.
      this.#tasks.get(run.id)?.abandon()
      this.begin(await recoverTask(this.#dependencies, workspaceId, run, lease, true))
    }
  }

  async #renewLeases(signal: AbortSignal): Promise<void> {
    const { store, clock, limits, log } = this.#dependencies
    for (;;) {
      await this.#pause(limits.leaseMilliseconds / 3, signal)
      if (signal.aborted) return
      const tasks = [...this.#tasks.values()]
      if (tasks.length === 0) continue
      try {
        const until = clock.now() + limits.leaseMilliseconds
        const leases = tasks.map(task => task.lease)
        const { stop, lost } = await store.renew(leases, until)
        // Not the tasks of this moment: a newer one may run under the same id by now, with a lease of its own.
        for (const task of tasks) {
          if (stop.includes(task.runId)) task.stop()
          if (lost.includes(task.runId)) task.abandon()
          else task.leaseValidUntil = until
        }
      } catch (error) {
        log.warn({ err: error }, 'The leases of runs could not be renewed; trying again')
      }
    }
  }

  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})
  }
}
