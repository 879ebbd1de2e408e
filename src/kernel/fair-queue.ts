export interface FairQueueOptions {
  /** How many tasks of all tenants together may run at once. */
  places: number
  /** How many tasks of one tenant may run. Below `places`, no tenant alone can make the others wait. */
  share: number
  /** How many tasks of one tenant may wait; further ones fail. */
  maxWaiting: number
  tooMany(): Error
}

interface Tenant {
  readonly key: string
  held: number
  /** Functions that start the waiting tasks, in order. */
  readonly waiting: Set<() => void>
}

/** Waiting tenants take turns, so that none waits for all tasks of another. Every operation takes constant time. */
export class FairQueue {
  readonly #options: FairQueueOptions
  #free: number
  /** Tenants that hold a place or wait for one. */
  readonly #tenants = new Map<string, Tenant>()
  /** Tenants that wait and may hold more places, in the order of their turns. Empty while a place is free. */
  readonly #turns = new Set<Tenant>()

  constructor(options: FairQueueOptions) {
    this.#options = options
    this.#free = options.places
  }

  /** Runs the task when the tenant gets a place. Fails with the reason of the signal while the task waits. */
  async run<Result>(key: string, task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted()
    const tenant = this.#tenants.get(key) ?? { key, held: 0, waiting: new Set() }
    if (this.#free > 0 && tenant.held < this.#options.share) this.#take(tenant)
    else await this.#waitForTurn(tenant, signal)
    try {
      return await task()
    } finally {
      tenant.held--
      this.#free++
      this.#update(tenant)
      this.#startNext()
    }
  }

  #take(tenant: Tenant): void {
    tenant.held++
    this.#free--
    this.#update(tenant)
  }

  #waitForTurn(tenant: Tenant, signal: AbortSignal): Promise<void> {
    if (tenant.waiting.size >= this.#options.maxWaiting) throw this.#options.tooMany()
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        tenant.waiting.delete(start)
        this.#update(tenant)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      tenant.waiting.add(start)
      this.#update(tenant)
    })
  }

  /** A tenant that may take a turn again goes to the end of the line. */
  #update(tenant: Tenant): void {
    const { key, held, waiting } = tenant
    if (waiting.size > 0 && held < this.#options.share) this.#turns.add(tenant)
    else this.#turns.delete(tenant)
    if (waiting.size > 0 || held > 0) this.#tenants.set(key, tenant)
    else this.#tenants.delete(key)
  }

  #startNext(): void {
    const [tenant] = this.#turns
    if (!tenant || this.#free === 0) return
    const [start] = tenant.waiting
    tenant.waiting.delete(start!)
    this.#turns.delete(tenant)
    this.#take(tenant)
    start!()
  }
}
