import type { GraphLinks } from '../graph-links.ts'
import type { Outputs } from '../step.ts'
import type { Plan } from './plan.ts'
import type { StepRecord } from './store/run-records.ts'

/** Smaller outputs are held to the end. */
const largeWeight = 256 << 10

/** The states and outputs of a graph's nodes, by their places, and the number of their settled edges. */
export class GraphState {
  readonly statuses: ('queued' | 'running' | 'waiting' | 'settled' | undefined)[]
  /** Undefined for a node that was skipped or has not ended. */
  readonly outputs: (Outputs | undefined)[]
  readonly #links: GraphLinks
  /** The number of edges into each node that are not settled yet, and of those that are live. */
  readonly #open: Int32Array
  readonly #live: Int32Array
  readonly #readers: Plan['readers']
  /** The weights of large outputs that are held, by place. */
  readonly #large = new Map<number, number>()
  /** Which nodes were started by this attempt of the run; kept only after a crash. */
  readonly #startedHere: Set<number> | undefined

  constructor(
    { links, readers }: Pick<Plan, 'links' | 'readers'>,
    { isCrashed, given }: { isCrashed?: boolean; given?: ReadonlyMap<number, Outputs> | undefined } = {},
  ) {
    this.#readers = readers
    this.statuses = new Array(links.size)
    this.outputs = new Array(links.size)
    this.#links = links
    this.#open = Int32Array.from(links.incoming, incoming => incoming.length)
    this.#live = new Int32Array(links.size)
    this.#startedHere = isCrashed ? new Set() : undefined
    for (const [place, outputs] of given ?? []) this.settle(place, outputs)
  }

  start(place: number): void {
    this.statuses[place] = 'running'
    this.#startedHere?.add(place)
  }

  /** Without outputs it was skipped. */
  settle(place: number, outputs: Outputs | undefined): void {
    this.statuses[place] = 'settled'
    this.outputs[place] = outputs
  }

  /** Notes how much memory the outputs of a node take. */
  hold(place: number, weight: number): void {
    if (weight > largeWeight && this.#readers[place]) this.#large.set(place, weight)
  }

  /** Drops large outputs that no node will read any more, and returns their weight. */
  dropUnread(): number {
    let dropped = 0
    for (const [place, weight] of this.#large) {
      if (this.#readers[place]!.some(reader => this.statuses[reader] !== 'settled')) continue
      this.outputs[place] = {}
      this.#large.delete(place)
      dropped += weight
    }
    return dropped
  }

  /**
   * Settles the edges out of a node. `chosen` is the case it chose; `null` settles all of them as skipped; after a
   * failure (`isFailed`) only the edges of that case are live. A node may start when every edge into it is settled and at
   * least one is live; a node with only skipped edges is skipped, which settles its own edges in turn. Every edge is
   * visited once per run.
   */
  settleEdges(
    place: number,
    chosen: string | undefined | null,
    isFailed = false,
  ): { ready: number[]; skipped: number[] } {
    const ready: number[] = []
    const skipped: number[] = []
    this.#follow(place, chosen, ready, skipped, isFailed)
    for (let next = 0; next < skipped.length; next += 1) this.#follow(skipped[next]!, null, ready, skipped)
    return { ready, skipped }
  }

  #follow(
    place: number,
    chosen: string | undefined | null,
    ready: number[],
    skipped: number[],
    isFailed = false,
  ): void {
    for (const link of this.#links.outgoing[place]!) {
      const isLive = chosen !== null && (link.case === undefined ? !isFailed : link.case === chosen)
      if (isLive) this.#live[link.to]! += 1
      this.#open[link.to]! -= 1
      if (this.#open[link.to]! > 0) continue
      if (this.#live[link.to]! > 0) ready.push(link.to)
      else skipped.push(link.to)
    }
  }

  /**
   * How often a step was interrupted by a crash; `isCrashed`: the last lease holder crashed. The journal learns of a step
   * a moment after its start. So a step without a record counts as started by the previous lease holder if all steps
   * before it had ended by then.
   */
  startsBefore(place: number, record: StepRecord | undefined, isCrashed: boolean): number {
    if (record?.status === 'running') return record.starts - (isCrashed ? 0 : 1)
    if (!this.#startedHere) return 0
    return this.#links.incoming[place]!.some(link => this.#startedHere!.has(link.from)) ? 0 : 1
  }
}

/** Limits how many steps of a run execute at the same time; the others wait in a queue. */
export class Slots {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Calls `start` as soon as a slot is free, possibly at once. */
  take(start: () => void): void {
    if (this.#free > 0) {
      this.#free -= 1
      start()
    } else if (this.#free > Number.NEGATIVE_INFINITY) this.#queue.push(start)
  }

  /** Hands out no more slots and drops the queue. */
  close(): void {
    this.#free = Number.NEGATIVE_INFINITY
    this.#queue.length = 0
  }

  /** Takes a slot without waiting, for a step that continues: the limit may be exceeded by one for a moment. */
  retake(): void {
    this.#free -= 1
  }

  give(): void {
    this.#free += 1
    while (this.#free > 0 && this.#queue.length > 0) {
      this.#free -= 1
      this.#queue.shift()!()
    }
  }
}
