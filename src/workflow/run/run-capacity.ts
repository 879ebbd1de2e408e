import type { Leases } from '../../cluster/leases.ts'
import { AppError } from '../../kernel/app-error.ts'
import { FairShare } from '../../kernel/fair-share.ts'
import { endOfString } from '../../kernel/json-strings.ts'
import type { RunKey } from './store/run-records.ts'

/** Memory is reserved in blocks of this size, so that most steps only add two numbers; each run holds at least one block. */
const blockBytes = 64 << 10

/** Estimates the memory of a value from its JSON: short members take more than their text. */
export function weightOf(json: string): number {
  let members = 0
  let containers = 0
  // Skips the content of strings: looking at megabytes of text would block the event loop for too long.
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index)
    if (code === 34 /* " */) index = endOfString(json, index)
    else if (code === 44 /* , */) members += 1
    else if (code === 123 /* { */ || code === 91 /* [ */) containers += 1
  }
  return 2 * json.length + 16 * members + 48 * containers
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

const full = (message: string): AppError =>
  new AppError('rate_limited', message, { headers: { 'retry-after': '1' } })

/** The resources of this process that live runs hold, shared fairly between workspaces: slots, and memory for outputs. */
export class RunCapacity {
  readonly #slots: FairShare
  readonly #memory: FairShare
  readonly #leases: Pick<Leases<RunKey>, 'mint' | 'drop'>
  /** For workspaces with a limit: their maximum number of runs, and how many other processes had at the last count. */
  readonly #limits = new Map<string, { maxRuns: number; elsewhere: number }>()

  constructor(
    { live, memoryBytes }: { live: number; memoryBytes: number },
    leases: Pick<Leases<RunKey>, 'mint' | 'drop'>,
  ) {
    this.#leases = leases
    this.#slots = new FairShare(live)
    this.#memory = new FairShare(memoryBytes)
  }

  /** Limits the runs of a workspace, `elsewhere` of which are in other processes. 0: only its fair share is a limit. */
  limit(workspaceId: string, maxRuns: number, elsewhere = 0): void {
    if (maxRuns > 0) this.#limits.set(workspaceId, { maxRuns, elsewhere })
    else this.#limits.delete(workspaceId)
  }

  /** Fails with `rate_limited` if the workspace has used up its share, or its maximum number of runs. */
  reserve(workspaceId: string): RunReservation {
    const limit = this.#limits.get(workspaceId)
    if (limit && this.runsOf(workspaceId) + limit.elsewhere >= limit.maxRuns)
      throw full(`This workspace may have ${limit.maxRuns} runs in progress. Try again when one has ended.`)
    const reservation = this.tryReserve(workspaceId)
    if (reservation) return reservation
    const runs = this.runsOf(workspaceId)
    const usage =
      runs >= this.#slots.total - this.#slots.taken
        ? `${runs} runs in progress`
        : `${megabytes(this.#memory.held(workspaceId))} of outputs in memory`
    throw full(
      `This workspace has ${usage}, the most that fits on this server now. Try again when a run has ended.`,
    )
  }

  tryReserve(workspaceId: string): RunReservation | undefined {
    if (!this.#slots.take(workspaceId, 1)) return undefined
    const lease = this.#leases.mint()
    const reservation = new RunReservation({ workspaceId, lease }, this.#memory, () => {
      this.#slots.give(workspaceId, 1)
      this.#leases.drop(lease)
    })
    if (reservation.take(0)) return reservation
    reservation.release()
    return undefined
  }

  runsOf(workspaceId: string): number {
    return this.#slots.held(workspaceId)
  }
}

/** The capacity that one run holds. */
export class RunReservation {
  readonly lease: string
  readonly #workspaceId: string
  readonly #memory: FairShare
  readonly #onRelease: () => void
  #taken = 0
  #used = 0
  #isReleased = false

  constructor(
    { workspaceId, lease }: { workspaceId: string; lease: string },
    memory: FairShare,
    onRelease: () => void,
  ) {
    this.#workspaceId = workspaceId
    this.lease = lease
    this.#memory = memory
    this.#onRelease = onRelease
  }

  /** What a run can hold at most when there is no other. */
  get max(): number {
    return this.#memory.max
  }

  /** Whether the run could ever hold that much more. */
  canHold(bytes: number): boolean {
    return this.#used + bytes <= this.max - blockBytes
  }

  /** False, and nothing is taken, when the workspace has its share of the memory. */
  take(bytes: number): boolean {
    const used = this.#used + bytes
    if (used > this.#taken || this.#taken === 0) {
      const more = Math.max(1, Math.ceil((used - this.#taken) / blockBytes)) * blockBytes
      if (this.#isReleased || !this.#memory.take(this.#workspaceId, more)) return false
      this.#taken += more
    }
    this.#used = used
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
    const spare = Math.floor((this.#taken - this.#used) / blockBytes) * blockBytes
    if (this.#isReleased || spare <= 0) return
    this.#taken -= spare
    this.#memory.give(this.#workspaceId, spare)
  }

  /** The run has ended here. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#memory.give(this.#workspaceId, this.#taken)
    this.#onRelease()
  }
}
