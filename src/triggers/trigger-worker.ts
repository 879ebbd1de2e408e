import type { QuotaService } from '../access/quota-service.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { leaseMilliseconds } from '../cluster/leases.ts'
import { AppError } from '../kernel/app-error.ts'
import { isoTime } from '../kernel/clock.ts'
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts'
import { derivedId } from '../kernel/ids.ts'
import { pause } from '../kernel/pause.ts'
import { isTemporary } from '../kernel/retry-temporary.ts'
import { WakeLoop } from '../kernel/wake-loop.ts'
import type { WarnLog } from '../kernel/warn-log.ts'
import type { Runs } from '../workflow/run/run-service.ts'
import { type Firing, maxMissed, planFiring } from './occurrences.ts'
import type { TriggerFailure } from './trigger.ts'
import { failureOf, type TriggerService } from './trigger-service.ts'
import type { DueSchedule, TriggerStore } from './trigger-store.ts'

interface TriggerWorkerParts {
  store: TriggerStore
  triggers: Pick<TriggerService, 'runOf'>
  runs: Pick<Runs, 'start'>
  quotas: Pick<QuotaService, 'admitRun'>
  cluster: Pick<Cluster, 'time' | 'subscribe'>
  log: WarnLog
}

/** A message between processes: a schedule was created or changed. */
export const schedulesChanged = 'triggers.changed'
/** If a message gets lost, schedules that other processes changed are found after this time. */
const pollMilliseconds = 5000
/** The delay before an occurrence whose run could not start for now is tried again. */
const retryMilliseconds = 2000
const firedAtOnce = 8

/**
 * Fires schedules, in every process. A process claims an occurrence by moving `due_at` ahead, and moves on to the next
 * one when the run is stored. If it crashes in between, another process claims the occurrence when the claim has expired.
 * The id of the run is derived from the occurrence, so that no occurrence has two runs.
 */
export class TriggerWorker {
  readonly #parts: TriggerWorkerParts
  readonly #loop = new WakeLoop()

  constructor(parts: TriggerWorkerParts) {
    this.#parts = parts
    parts.cluster.subscribe(schedulesChanged, () => this.#loop.wake())
  }

  async run(signal: AbortSignal): Promise<void> {
    const { store, cluster, log } = this.#parts
    await this.#loop.run(signal, async woken => {
      let wait = pollMilliseconds
      try {
        await cluster.time.refresh()
        const due = await store.due(cluster.time.now())
        await forEachConcurrently(firedAtOnce, due, each => this.#fire(each))
        const next = await store.nextDue()
        if (next !== undefined) wait = Math.min(wait, Math.max(0, next - cluster.time.now()))
      } catch (error) {
        log.warn({ err: error }, 'Schedules could not be fired; trying again')
      }
      await pause(wait, woken)
    })
  }

  async #fire(due: DueSchedule): Promise<void> {
    const { store, cluster } = this.#parts
    const now = cluster.time.now()
    if (!(await store.claim(due, now + leaseMilliseconds))) return
    const firing = planFiring(due.trigger.settings, due.nextAt, now)
    if (firing.at === undefined) return store.advance(due, firing.nextAt, missedFailure(due, firing, now))
    const error = await this.#start(due, firing.at)
    const failure = error && failureAt(due, firing.at, now, error)
    // The server is stopping, or the workspace has reached its maximum of runs: the occurrence stays due.
    if (failure && (isTemporary(error) || error.reason === 'rate_limited'))
      return store.postpone(due, now + retryMilliseconds, failure)
    const missed = firing.missed > 0 ? missedFailure(due, firing, now) : undefined
    await store.advance(due, firing.nextAt, failure ?? missed)
  }

  /** Starts the run of an occurrence; returns the error if it could not start. */
  async #start({ workspaceId, limits, trigger }: DueSchedule, at: number): Promise<AppError | undefined> {
    const { triggers, runs, quotas, log } = this.#parts
    try {
      const request = await triggers.runOf(workspaceId, trigger, { at })
      await quotas.admitRun({ workspaceId, limits })
      await runs.start(workspaceId, { ...request, runId: derivedId('run', [trigger.id, at]) })
      return undefined
    } catch (error) {
      if (!(error instanceof AppError)) {
        log.warn({ err: error, trigger_id: trigger.id }, 'A schedule failed')
        return new AppError('internal', 'Internal server error; look up the trigger id in the server log')
      }
      // The process that started it crashed before it could move on to the next occurrence.
      return error.reason === 'already_exists' ? undefined : error
    }
  }
}

const failureAt = (
  { trigger }: DueSchedule,
  scheduledAt: number,
  at: number,
  { reason, message }: AppError,
): TriggerFailure => failureOf(trigger.failure, { at, scheduledAt, reason, message })

function missedFailure(
  { trigger, nextAt }: DueSchedule,
  { missed, at: fired }: Firing,
  at: number,
): TriggerFailure {
  const outcome = fired === undefined ? 'none of them was run' : `the latest, ${isoTime(fired)}, was run`
  const count =
    missed === 1 ? '1 occurrence' : `${missed < maxMissed ? '' : 'at least '}${missed} occurrences`
  const message = `Missed ${count} from ${isoTime(nextAt)} on, because no server was running or runs could not start; ${outcome}`
  return { ...failureOf(trigger.failure, { at, scheduledAt: nextAt, reason: 'missed', message }) }
}
