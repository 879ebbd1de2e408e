import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../kernel/app-error.ts'
import { hasEnded, processName } from '../../kernel/lease.ts'
import type { RunDependencies } from './run-parts.ts'
import { RunTask, type TaskStart } from './run-task.ts'
import { taskStart } from './task-start.ts'

/** The runs at work in this process. It holds their leases, and takes up those that others left. */
export class LiveRuns {
  readonly #parts: RunDependencies
  readonly #tasks = new Map<string, RunTask>()
  #isStopping = false

  constructor(parts: RunDependencies) {
    this.#parts = parts
  }

  /** A fresh proof that this process works on a run. */
  newLease(): { lease: string; until: number } {
    const lease = `${processName()}/${randomBytes(12).toString('base64url')}`
    return { lease, until: this.#parts.clock.now() + this.#parts.limits.leaseMilliseconds }
  }

  find(runId: string): RunTask | undefined {
    return this.#tasks.get(runId)
  }

  /** Fails with `rate_limited` when no more can be taken on. */
  makeRoom(): void {
    if (this.#isStopping) throw new AppError('unavailable', 'The server stops; try again in a moment')
    if (this.#tasks.size >= this.#parts.limits.live)
      throw new AppError('rate_limited', 'Too many runs are under way; try again in a moment', {
        headers: { 'retry-after': '1' },
      })
  }

  begin(start: TaskStart): RunTask {
    const task = new RunTask(this.#parts, start)
    this.#tasks.set(task.runId, task)
    const leave = (): void => {
      if (this.#tasks.get(task.runId) === task) this.#tasks.delete(task.runId)
    }
    task.settled.then(leave, (error: unknown) => {
      leave()
      if (!(error instanceof AppError))
        this.#parts.log.warn({ err: error, run_id: task.runId }, 'A run broke off; it is taken up again')
    })
    return task
  }

  /** Works until the signal; then runs under way may go on for a moment, and the rest is left to others. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#parts.limits.isAlone) await this.#takeOver()
    const done = new AbortController()
    const renewing = this.#renewOften(done.signal)
    while (!signal.aborted) {
      await this.#takeUp(signal).catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, 'Runs that wait to be taken up could not be read'),
      )
      await this.#pause(this.#parts.limits.pollMilliseconds, signal)
    }
    this.#isStopping = true
    await this.#windDown()
    done.abort()
    await renewing
  }

  async #windDown(): Promise<void> {
    const tasks = [...this.#tasks.values()]
    const over = Promise.allSettled(tasks.map(task => task.settled))
    await Promise.race([over, sleep(this.#parts.limits.graceMilliseconds, undefined, { ref: false })])
    await Promise.all([...this.#tasks.values()].map(task => task.release()))
  }

  /** After a crash nobody needs to wait for the leases to run out. */
  async #takeOver(): Promise<void> {
    const { store, clock, log } = this.#parts
    try {
      const leases = (await store.leases()).filter(hasEnded)
      if (leases.length > 0) await store.expire(leases, clock.now())
    } catch (error) {
      log.warn({ err: error }, 'Leases of an earlier run could not be taken over; they run out by themselves')
    }
  }

  async #takeUp(signal: AbortSignal): Promise<void> {
    const { store, clock, limits } = this.#parts
    while (!signal.aborted && this.#tasks.size < limits.live) {
      const now = clock.now()
      // Looks first: a claim is a write, and an idle server should not write.
      const due = await store.nextDue()
      if (due === undefined || due > now) return
      const { lease, until } = this.newLease()
      const claimed = await store.claim({ lease, now, until })
      if (!claimed) return
      const { workspaceId, run } = claimed
      // Its own task still runs here and has not noticed yet that its lease ran out.
      this.#tasks.get(run.id)?.abandon()
      this.begin(await taskStart(this.#parts, workspaceId, run, lease, true))
    }
  }

  async #renewOften(signal: AbortSignal): Promise<void> {
    const { store, clock, limits, log } = this.#parts
    for (;;) {
      await this.#pause(limits.leaseMilliseconds / 3, signal)
      if (signal.aborted) return
      const tasks = [...this.#tasks.values()]
      if (tasks.length === 0) continue
      try {
        const until = clock.now() + limits.leaseMilliseconds
        const { stop, lost } = await store.renew(
          tasks.map(task => task.hold),
          until,
        )
        for (const task of tasks) if (!lost.includes(task.runId)) task.renewed(until)
        for (const task of tasks) {
          // Under the same id another task may be at work by now, with a lease of its own.
          if (stop.includes(task.runId)) task.stop()
          if (lost.includes(task.runId)) task.abandon()
        }
      } catch (error) {
        log.warn({ err: error }, 'The leases of runs could not be prolonged; it is tried again')
      }
    }
  }

  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})
  }
}
