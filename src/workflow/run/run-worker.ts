import { workspaceDeleted } from '../../cluster/cluster.ts'
import { LeaseLost } from '../../cluster/lease-name.ts'
import { AppError } from '../../kernel/app-error.ts'
import { pause } from '../../kernel/pause.ts'
import { isTemporary } from '../../kernel/retry-temporary.ts'
import { WakeLoop } from '../../kernel/wake-loop.ts'
import { recoverTask } from './recovery.ts'
import type { RunReservation } from './run-capacity.ts'
import type { RunDependencies, TaskStart } from './run-context.ts'
import { EventHub } from './run-event.ts'
import type { RunResult } from './run-listener.ts'
import { RunRelay } from './run-relay.ts'
import { RunTask } from './run-task.ts'
import type { DueRun, NewLease, RunLease } from './store/run-records.ts'

/** Messages between processes: stop a run (`stop`), and look for runs to claim (`due`). */
const topics = { stop: 'runs.stop', due: 'runs.due' }
/** How long a run that did not fit into memory waits before it is claimed again. */
const crowdedMilliseconds = 2000
/** For a run that no process works on. */
const endedHub = new EventHub()
endedHub.close()

/** Works on runs in this process: holds their leases, and claims runs whose lease has expired. */
export class RunWorker {
  readonly #dependencies: RunDependencies
  readonly #loop = new WakeLoop()
  readonly #tasks = new Map<string, RunTask>()
  /** Leases that are not needed any more, until the database knows. */
  readonly #unreleased = new Set<RunLease>()
  /** Workspaces that were deleted since this process started. */
  readonly #deleted = new Set<string>()
  /** Carries the events of runs that other processes work on. */
  readonly relay: RunRelay
  #isStopping = false

  constructor(dependencies: RunDependencies) {
    this.#dependencies = dependencies
    const { cluster } = dependencies
    this.relay = new RunRelay(dependencies, runId => this.#tasks.get(runId))
    cluster.subscribe(topics.stop, runId => this.#tasks.get(runId)?.stop())
    cluster.subscribe(topics.due, () => this.#loop.wake())
    cluster.subscribe(workspaceDeleted, workspaceId => this.#abandonWorkspace(workspaceId))
  }

  find(runId: string): RunTask | undefined {
    return this.#tasks.get(runId)
  }

  /** Reserves capacity and a lease for a new run. Fails with `rate_limited` if the workspace has used up its share. */
  reserve(workspaceId: string): RunReservation {
    if (this.#isStopping)
      throw new AppError('unavailable', 'The server is shutting down; try again in a moment')
    return this.#dependencies.capacity.reserve(workspaceId)
  }

  leaseOf({ lease }: RunReservation): NewLease {
    return { lease, until: this.#dependencies.leases.until() }
  }

  /** Stops a run that another process may be working on. */
  stop(runId: string): void {
    this.#dependencies.cluster.publish(topics.stop, runId)
  }

  #abandonWorkspace(workspaceId: string): void {
    this.#deleted.add(workspaceId)
    for (const task of this.#tasks.values()) if (task.lease.workspaceId === workspaceId) task.abandon()
  }

  begin(start: TaskStart): RunTask {
    const { trace } = this.#dependencies
    const task = trace
      ? trace(start, () => new RunTask(this.#dependencies, start))
      : new RunTask(this.#dependencies, start)
    this.#tasks.set(task.runId, task)
    // The request was accepted before its workspace was deleted.
    if (this.#deleted.has(start.workspaceId)) task.abandon()
    const { observer, log, leases } = this.#dependencies
    leases.keep(task.lease, {
      renewed: ({ stopRequested }, until) => {
        task.leaseValidUntil = until
        if (stopRequested) task.stop()
      },
      lost: () => task.abandon(),
    })
    observer?.runStarted(start.run.trigger, start.previous.isTakenOver)
    const remove = (status?: string): void => {
      observer?.runEnded(status)
      start.reservation.release()
      if (this.#tasks.get(task.runId) === task) this.#tasks.delete(task.runId)
    }
    task.settled.then(
      ({ run }) => remove(run.status),
      (error: unknown) => {
        remove()
        if (!this.#isStopping)
          log.warn({ err: error, run_id: task.runId }, 'A run was interrupted; it will be claimed again')
        // After any other error the lease is left to expire, which counts as a crash: the run itself may be the cause.
        if (error instanceof LeaseLost || isTemporary(error)) this.#unreleased.add(task.lease)
      },
    )
    return task
  }

  /** Continues a run that was claimed with this reservation, or queues it if that is not possible now. */
  async resume(
    reservation: RunReservation,
    claimed: { workspaceId: string; run: TaskStart['run'] },
  ): Promise<Pick<RunTask, 'runId' | 'settled' | 'events'>> {
    try {
      return this.begin(await recoverTask(this.#dependencies, { ...claimed, reservation, left: 'settled' }))
    } catch (error) {
      const runId = claimed.run.id
      await this.#giveBack(reservation, { workspaceId: claimed.workspaceId, id: runId })
      if (!(error instanceof AppError)) throw error
      // The answer of the user is stored: to report a failure would ask the client to send it again.
      const settled = Promise.reject<RunResult>(error)
      settled.catch(() => {})
      return { runId, settled, events: signal => endedHub.subscribe(signal) }
    }
  }

  /** Works until the signal; then active runs get a grace period, and the rest is released. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, limits, log } = this.#dependencies
    await leases.whileRenewing(async () => {
      await this.#loop.run(signal, async woken => {
        await this.#claimDue(signal).catch((error: unknown) =>
          log.warn({ err: error }, 'Runs that are due could not be claimed'),
        )
        await pause(limits.pollMilliseconds, woken)
      })
      this.#isStopping = true
      await this.#drain()
    })
  }

  async #drain(): Promise<void> {
    const tasks = [...this.#tasks.values()]
    const over = Promise.allSettled(tasks.map(task => task.settled))
    await Promise.race([over, pause(this.#dependencies.limits.graceMilliseconds)])
    await Promise.all([...this.#tasks.values()].map(task => task.release()))
    await this.#releaseLeases().catch((error: unknown) =>
      this.#dependencies.log.warn({ err: error }, 'The leases of runs could not be released; they run out'),
    )
  }

  async #releaseLeases(): Promise<void> {
    const { store, leases, cluster } = this.#dependencies
    if (this.#unreleased.size === 0) return
    for (const lease of this.#unreleased) {
      await store.release(lease, leases.time.now())
      this.#unreleased.delete(lease)
    }
    cluster.publish(topics.due)
  }

  async #claimDue(signal: AbortSignal): Promise<void> {
    const { store, leases } = this.#dependencies
    await leases.time.refresh()
    await this.#releaseLeases()
    const now = leases.time.now()
    // An idle server does not read more than this.
    const next = await store.nextDue()
    if (next === undefined || next > now) return
    const due = await store.due(now)
    // If its own runs are due, this process was too slow or the clock was set: it renews them instead of claiming them.
    if (due.some(({ lease }) => leases.holds(lease))) await leases.renew()
    const full = new Set<string>()
    for (const run of due) {
      if (signal.aborted) return
      const { workspaceId, lease } = run
      if (full.has(workspaceId) || (lease !== undefined && !leases.mayTakeOver(lease))) continue
      if (!(await this.#takeOver(run))) full.add(workspaceId)
    }
  }

  /** Claims one run at a time, so that no more is read than fits into memory. False if its workspace has no capacity left. */
  async #takeOver(due: DueRun): Promise<boolean> {
    const { workspaceId } = due
    const reservation = this.#dependencies.capacity.tryReserve(workspaceId)
    if (!reservation) return false
    const claimed = await this.#dependencies.store
      .claim(due, this.leaseOf(reservation))
      .catch((error: unknown) => {
        reservation.release()
        throw error
      })
    if (!claimed) {
      reservation.release()
      return true
    }
    const { stopRequested, ...run } = claimed
    // A task of this run that still works here has not noticed that it lost its lease.
    this.#tasks.get(run.id)?.abandon()
    try {
      const left = due.lease === undefined ? 'released' : 'crashed'
      const task = this.begin(await recoverTask(this.#dependencies, { workspaceId, run, reservation, left }))
      if (stopRequested) task.stop()
      return true
    } catch (error) {
      await this.#giveBack(reservation, due, due)
      if (error instanceof AppError && error.reason === 'rate_limited') return false
      throw error
    }
  }

  /** A run that was claimed cannot be continued here now. */
  async #giveBack(
    reservation: RunReservation,
    run: { workspaceId: string; id: string },
    before?: DueRun,
  ): Promise<void> {
    const { store, leases } = this.#dependencies
    const lease = { workspaceId: run.workspaceId, runId: run.id, lease: reservation.lease }
    reservation.release()
    await store
      .release(lease, leases.time.now() + crowdedMilliseconds, before)
      .catch(() => void this.#unreleased.add(lease))
  }
}
