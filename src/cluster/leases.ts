import { pause } from '../kernel/pause.ts'
import type { WarnLog } from '../kernel/warn-log.ts'
import type { Cluster } from './cluster.ts'
import type { DatabaseTime } from './database-time.ts'
import { hasEnded, isHeldByNeighbour, newLease } from './lease-name.ts'
import type { Leased, LeaseTable } from './lease-table.ts'

interface LeaseHolder<Row> {
  /** The lease now ends at `until`. */
  renewed?(row: Row, until: number): void
  /** Another process has the row, or the row was deleted: nothing done here counts any more. */
  lost(): void
}

type LeaseTime = Pick<DatabaseTime, 'now' | 'refresh' | 'reachableMilliseconds'>

interface LeasesOptions<Key extends object, Row extends object> {
  rows: LeaseTable<Key, Row>
  cluster: Pick<Cluster, 'isAlone'> & { time: LeaseTime }
  log: WarnLog
  /** A name for the rows, for the log. */
  subject: string
  milliseconds?: number
}

/** How long a lease lasts without renewal. */
export const leaseMilliseconds = 15_000
/** After a database interruption, holders may renew within the interval between renewals plus this much. */
const lateMilliseconds = 2000

/** The leases of this process on the rows of one table. It renews all of them in one statement. */
export class Leases<Key extends object, Row extends object = object> {
  readonly milliseconds: number
  readonly #options: LeasesOptions<Key, Row>
  /** Leases by name; undefined while the row is being claimed. */
  readonly #held = new Map<string, { leased: Leased<Key>; holder: LeaseHolder<Row> } | undefined>()

  constructor(options: LeasesOptions<Key, Row>) {
    this.#options = options
    this.milliseconds = options.milliseconds ?? leaseMilliseconds
  }

  get time(): LeaseTime {
    return this.#options.cluster.time
  }

  /** A name for a row that is about to be claimed. It counts as held until it is dropped. */
  mint(): string {
    const name = newLease()
    this.#held.set(name, undefined)
    return name
  }

  /** The end of a lease that is taken or renewed now. */
  until(): number {
    return this.time.now() + this.milliseconds
  }

  /** Renews the lease from now on. */
  keep(leased: Leased<Key>, holder: LeaseHolder<Row>): void {
    this.#held.set(leased.lease, { leased, holder })
  }

  drop(name: string): void {
    this.#held.delete(name)
  }

  /** Whether this process holds the lease, or is about to. */
  holds(name: string | undefined): boolean {
    return name !== undefined && this.#held.has(name)
  }

  /**
   * Whether an expired lease may be taken over: not from this process or a living one on this machine, which is only
   * late, and not right after the database was unreachable for all processes.
   */
  mayTakeOver(name: string): boolean {
    const { isAlone, time } = this.#options.cluster
    return (
      !this.holds(name) &&
      !isHeldByNeighbour(name) &&
      (isAlone || time.reachableMilliseconds >= this.milliseconds / 3 + lateMilliseconds)
    )
  }

  async renew(): Promise<void> {
    const { rows } = this.#options
    const held = [...this.#held.values()].flatMap(each => each ?? [])
    if (held.length === 0) return
    await this.time.refresh()
    const until = this.until()
    const renewed = await rows.renew(
      held.map(({ leased }) => leased),
      until,
    )
    for (const { leased, holder } of held) {
      const row = renewed.get(leased.lease)
      // A lease that was not renewed may have been dropped meanwhile.
      if (row) holder.renewed?.(row, until)
      else if (this.#held.has(leased.lease)) holder.lost()
    }
  }

  /** Renews all leases while `work` claims rows and works on them. */
  async whileRenewing(work: () => Promise<void>): Promise<void> {
    await this.#expireDead()
    const done = new AbortController()
    const renewing = this.run(done.signal)
    try {
      await work()
    } finally {
      done.abort()
      await renewing
    }
  }

  /** Renews all leases until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, subject } = this.#options
    for (;;) {
      await pause(this.milliseconds / 3, signal)
      if (signal.aborted) return
      await this.renew().catch((error: unknown) =>
        log.warn({ err: error }, `The leases of ${subject} could not be renewed; trying again`),
      )
    }
  }

  /** After a crash, the leases of dead processes on this machine need not run out first. */
  async #expireDead(): Promise<void> {
    const { rows, cluster, log, subject } = this.#options
    await this.time.refresh()
    // Otherwise it is not known which processes have ended.
    if (!cluster.isAlone) return
    try {
      await rows.expire((await rows.all()).filter(hasEnded), this.time.now())
    } catch (error) {
      log.warn({ err: error }, `Leases of ${subject} of a previous process could not be ended; they run out`)
    }
  }
}
