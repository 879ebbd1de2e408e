import { placeOf, samePoint } from './apply-edit.ts'
import { type AutosavePorts, type Places, pauseAfter, saveDelay } from './autosave-ports.ts'
import type { EditorStore } from './editor-store.ts'
import type { Graph, Point, Positions } from './graph.ts'
import { SaveTimer } from './save-timer.ts'
import { mergeShapes, type ShapeChanges, type Shapes, shapeChanges } from './shapes.ts'

type Ports = Pick<AutosavePorts, 'place' | 'readShapes' | 'isTransient' | 'setTimer' | 'clearTimer'>

/** The state on the server. */
interface Placed {
  readonly positions: Positions
  readonly shapes: Shapes
}

interface PlaceSaverOptions {
  /** The server's graph: an id that is new here may belong to another user's node there. */
  stored(): Graph
  /** Called on every status change. */
  notify(): void
}

/**
 * Saves node positions, notes and groups. They have no versions: for positions the last write wins, and notes and
 * groups of two users are merged.
 */
export class PlaceSaver {
  readonly #store: EditorStore
  readonly #ports: Ports
  readonly #about: PlaceSaverOptions
  readonly #unsubscribe: () => void
  /** The positions on the server. */
  #placed: Positions
  #seen: Positions
  /** The notes and groups on the server. */
  #shapes: Shapes
  #seenShapes: Shapes
  #failures = 0
  #error: unknown
  readonly #timer: SaveTimer
  #working: Promise<void> | undefined

  constructor(store: EditorStore, stored: Placed, ports: Ports, about: PlaceSaverOptions) {
    this.#store = store
    this.#ports = ports
    this.#timer = new SaveTimer(ports, () => void this.#work())
    this.#about = about
    this.#placed = stored.positions
    this.#seen = stored.positions
    this.#shapes = stored.shapes
    this.#seenShapes = stored.shapes
    this.#unsubscribe = store.subscribe(() => this.#noticeChange() && about.notify())
    this.#noticeChange()
  }

  status(): { status: 'saved' | 'changed' | 'saving' | 'failed'; error: unknown } {
    if (Object.keys(this.pending()).length + Object.keys(this.pendingShapes()).length === 0)
      return { status: 'saved', error: undefined }
    if (this.#failures > 0) return { status: 'failed', error: this.#error }
    return { status: this.#working ? 'saving' : 'changed', error: undefined }
  }

  /** Positions that the server does not have yet. */
  pending(): Places {
    return movedPlaces(this.#placed, this.#store.state().positions)
  }

  /** Notes and groups that the server does not have yet. */
  pendingShapes(): ShapeChanges {
    return shapeChanges(this.#shapes, this.#store.state().shapes)
  }

  /** Merges the notes and groups of others. */
  meetShapes(theirs: Shapes): Shapes {
    const { shapes } = this.#store.state()
    const merged = mergeShapes(this.#shapes, shapes, theirs)
    this.#shapes = theirs
    // No undo step, which would revert changes of others.
    this.#store.edit({ type: 'shapes.put', shapes: shapeChanges(shapes, merged) }, { silent: true })
    return this.#store.state().shapes
  }

  /** Resolves after an attempt; a failed position is retried later and blocks nothing. */
  async flush(): Promise<void> {
    if (this.#working) await this.#working
    await this.#work()
  }

  /** Takes positions of other users' nodes, and returns those that are new here. */
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

  /** Saves positions that can be saved now, for example after new nodes were stored. */
  goOn(): void {
    const isIdle = !this.#working && !this.#timer.isSet
    const hasMore = { ...this.#placeable(), ...this.pendingShapes() }
    if (isIdle && Object.keys(hasMore).length > 0) this.#timer.start(saveDelay)
  }

  stop(): void {
    this.#unsubscribe()
    this.#timer.stop()
  }

  #noticeChange(): boolean {
    const { positions, shapes } = this.#store.state()
    if (positions === this.#seen && shapes === this.#seenShapes) return false
    this.#seen = positions
    this.#seenShapes = shapes
    if (!this.#working && !this.#timer.isPausing) this.#timer.start(saveDelay)
    return true
  }

  #work(): Promise<void> {
    this.#working ??= this.#place().finally(() => {
      this.#working = undefined
      if (this.#failures === 0) this.goOn()
      this.#about.notify()
    })
    return this.#working
  }

  #placeable(): Places {
    const stored = new Set(this.#about.stored().nodes.map(({ id }) => id))
    const places = Object.entries(this.pending())
    return Object.fromEntries(places.filter(([id, place]) => place === null || stored.has(id)))
  }

  async #place(): Promise<void> {
    this.#timer.clear()
    const moved = this.#placeable()
    try {
      if (Object.keys(moved).length > 0) await this.#ports.place(moved)
      this.#placed = placesAfter(this.#placed, moved)
      await this.#saveShapes()
      this.#failures = 0
    } catch (error) {
      this.#failures++
      this.#error = error
      if (this.#ports.isTransient?.(error) ?? true) this.#timer.start(pauseAfter(this.#failures), true)
    }
  }

  /** Reads before it writes, so that only the moment in between can lose another user's change. */
  async #saveShapes(): Promise<void> {
    if (Object.keys(this.pendingShapes()).length === 0) return
    const theirs = (await this.#ports.readShapes?.()) ?? this.#shapes
    const merged = this.meetShapes(theirs)
    const changes = shapeChanges(theirs, merged)
    if (Object.keys(changes).length > 0) await this.#ports.place({}, changes)
    this.#shapes = merged
  }
}

function movedPlaces(from: Positions, to: Positions): Places {
  if (from === to) return {}
  const ids = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  const moved = ids.filter(id => !samePoint(placeOf(from, id), placeOf(to, id)))
  return Object.fromEntries(moved.map(id => [id, placeOf(to, id) ?? null]))
}

export function placesAfter(placed: Positions, places: Places): Positions {
  const known = Object.entries({ ...placed, ...places })
  return Object.fromEntries(known.filter((entry): entry is [string, Point] => entry[1] !== null))
}
