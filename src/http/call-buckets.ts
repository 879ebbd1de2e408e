import type { Clock } from '../kernel/clock.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { groupsOf } from '../kernel/groups-of.ts'
import { LruMap } from '../kernel/lru-map.ts'

const maxCallers = 20_000
/** How often replicas send each other the calls that they accepted. */
const exchangeMilliseconds = 200
const callersPerMessage = 50

export interface Bucket {
  readonly caller: string
  perMinute: number
  calls: number
  at: number
  /** Calls that other replicas do not know yet. */
  unsent: number
}

/** The calls of one caller that another replica accepted. */
type AcceptedCalls = [kind: string, caller: string, perMinute: number, calls: number]

/** Token buckets: a burst of one minute's calls, then refilled continuously. */
export class Buckets {
  readonly #clock: Clock
  readonly #kind: string
  readonly #shared: SharedCalls | undefined
  readonly #callers = new LruMap<string, Bucket>(maxCallers)

  constructor(clock: Clock, kind: string, shared?: SharedCalls) {
    this.#clock = clock
    this.#kind = kind
    this.#shared = shared
    shared?.receive(kind, (caller, perMinute, calls) => {
      const bucket = this.of(caller, perMinute)
      // Replicas may have accepted more than allowed before they knew; a caller pays that back within a minute.
      bucket.calls = Math.max(-perMinute, bucket.calls - calls)
    })
  }

  /** The bucket of a caller, refilled until now. */
  of(caller: string, perMinute: number): Bucket {
    const now = this.#clock.now()
    let bucket = this.#callers.get(caller)
    if (!bucket) {
      bucket = { caller, perMinute, calls: perMinute, at: now, unsent: 0 }
      this.#callers.set(caller, bucket)
    }
    const refill = (Math.max(0, now - bucket.at) * perMinute) / 60_000
    bucket.perMinute = perMinute
    bucket.calls = Math.min(perMinute, bucket.calls + refill)
    bucket.at = now
    return bucket
  }

  take(bucket: Bucket): void {
    bucket.calls--
    this.#shared?.add(this.#kind, bucket)
  }
}

/** Sends accepted calls to the other replicas, so that all of them count together. */
export class SharedCalls {
  readonly #exchange: Exchange
  readonly #receivers = new Map<string, (caller: string, perMinute: number, calls: number) => void>()
  #unsent: { kind: string; bucket: Bucket }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
    exchange.receive(message => {
      for (const [kind, ...calls] of JSON.parse(message) as AcceptedCalls[])
        this.#receivers.get(kind)?.(...calls)
    })
  }

  receive(kind: string, receiver: (caller: string, perMinute: number, calls: number) => void): void {
    this.#receivers.set(kind, receiver)
  }

  add(kind: string, bucket: Bucket): void {
    if (bucket.unsent++ > 0) return
    this.#unsent.push({ kind, bucket })
    this.#timer ??= setTimeout(() => this.#send(), exchangeMilliseconds).unref()
  }

  #send(): void {
    const accepted = this.#unsent.map(({ kind, bucket }): AcceptedCalls => {
      const { caller, perMinute, unsent } = bucket
      bucket.unsent = 0
      return [kind, caller, perMinute, unsent]
    })
    this.#unsent = []
    this.#timer = undefined
    for (const batch of groupsOf(accepted, callersPerMessage)) this.#exchange.send(JSON.stringify(batch))
  }
}
