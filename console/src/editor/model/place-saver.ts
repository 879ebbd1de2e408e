import { placeOf, samePoint } from './apply-edit.ts'
import { type AutosavePorts, pauseAfter, saveDelay } from './autosave-ports.ts'
import type { EditorStore } from './editor-store.ts'
import type { Graph, Point, Positions } from './graph.ts'

type Ports = Pick<AutosavePorts, 'place' | 'mayPass' | 'setTimer' | 'clearTimer'>

/** Saves where nodes are drawn. There are no versions of that: who places a node last is right. */
export class PlaceSaver {
  readonly #store: EditorStore
  readonly #ports: Ports
  readonly #unsubscribe: () => void
  /** What the server has. */
  #placed: Positions
  #seen: Positions
  #failures = 0
  #timer: unknown
  #isPausing = false
  #working: Promise<void> | undefined
  #isStopped = false

  constructor(store: EditorStore, placed: Positions, ports: Ports) {
    this.#store = store
    this.#ports = ports
    this.#placed = placed
    this.#seen = placed
    this.#unsubscribe = store.subscribe(() => this.#noticeChange())
    this.#noticeChange()
  }

  /** Resolves when all was tried; a place that could not be saved is tried again later and keeps nobody from working. */
  async flush(): Promise<void> {
    if (this.#working) await this.#working
    await this.#work()
  }

  /** Takes the places that others gave to nodes of theirs, and hands back those that are new here. */
  adopt(graph: Graph, theirs: Positions): Positions {
    const { positions } = this.#store.state()
    const places = graph.nodes.flatMap(({ id }): [string, Point][] => {
      const place = placeOf(theirs, id)
      return place && !placeOf(positions, id) ? [[id, place]] : []
    })
    const adopted = Object.fromEntries(places)
    this.#placed = { ...this.#placed, ...adopted }
    return adopted
  }

  stop(): void {
    this.#isStopped = true
    this.#unsubscribe()
    this.#clearTimer()
  }

  #noticeChange(): void {
    const { positions } = this.#store.state()
    if (positions === this.#seen) return
    this.#seen = positions
    if (!this.#working && !this.#isPausing) this.#startTimer(saveDelay)
  }

  #work(): Promise<void> {
    this.#working ??= this.#place().finally(() => {
      this.#working = undefined
      if (this.#seen !== this.#placed && this.#timer === undefined && this.#failures === 0)
        this.#startTimer(saveDelay)
    })
    return this.#working
  }

  async #place(): Promise<void> {
    this.#clearTimer()
    const { positions } = this.#store.state()
    const moved = movedPlaces(this.#placed, positions)
    try {
      if (Object.keys(moved).length > 0) await this.#ports.place(moved)
      this.#placed = positions
      this.#failures = 0
    } catch (error) {
      this.#failures++
      if (this.#ports.mayPass?.(error) ?? true) this.#startTimer(pauseAfter(this.#failures), true)
    }
  }

  #startTimer(milliseconds: number, isPause = false): void {
    this.#clearTimer()
    if (this.#isStopped) return
    this.#isPausing = isPause
    this.#timer = this.#ports.setTimer(() => void this.#work(), milliseconds)
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#ports.clearTimer(this.#timer)
    this.#timer = undefined
    this.#isPausing = false
  }
}

function movedPlaces(from: Positions, to: Positions): Record<string, Point | null> {
  const ids = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  const moved = ids.filter(id => !samePoint(placeOf(from, id), placeOf(to, id)))
  return Object.fromEntries(moved.map(id => [id, placeOf(to, id) ?? null]))
}
