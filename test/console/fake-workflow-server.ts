import type { AutosavePorts } from '../../console/src/editor/model/autosave-ports.ts'
import type { Graph, Point } from '../../console/src/editor/model/graph.ts'
import type { VirtualClock } from './virtual-clock.ts'

export class Conflict extends Error {}
export class Broken extends Error {}
export class Refused extends Error {}

/** What happens to the next request: it succeeds, never arrives, loses its response, or is rejected permanently. */
export type Fate = 'works' | 'breaks' | 'is lost' | 'is refused'

/** Stores versions of one graph as the real server does, and provides the ports of an autosave. */
export class FakeWorkflowServer {
  readonly versions: Graph[]
  readonly positions: Record<string, Point> = {}
  /** All requests, such as `save 1`. */
  readonly requests: string[] = []
  readonly placings: Readonly<Record<string, Point | null>>[] = []
  fate: () => Fate = () => 'works'
  latency: () => number = () => 10
  readonly #clock: VirtualClock

  constructor(graph: Graph, clock: VirtualClock) {
    this.versions = [graph]
    this.#clock = clock
  }

  get version(): number {
    return this.versions.length
  }

  get graph(): Graph {
    return this.versions.at(-1)!
  }

  ports(): AutosavePorts {
    const { setTimer, clearTimer } = this.#clock
    return {
      save: (graph, version) => this.#answer(`save ${version}`, () => this.store(graph, version)),
      place: positions => this.#answer('place', () => this.#place(positions)),
      readCurrent: () =>
        this.#answer('read', () => ({
          graph: this.graph,
          version: this.version,
          positions: { ...this.positions },
        })),
      readVersion: version => this.#answer(`read ${version}`, () => this.versions[version - 1]!),
      isConflict: error => error instanceof Conflict,
      isTransient: error => !(error instanceof Refused),
      setTimer,
      clearTimer,
    }
  }

  store(graph: Graph, version: number): { version: number } {
    if (version !== this.version) throw new Conflict('another version')
    this.versions.push(graph)
    return { version: this.version }
  }

  #place(positions: Readonly<Record<string, Point | null>>): void {
    this.placings.push(positions)
    for (const [id, place] of Object.entries(positions)) {
      if (place) this.positions[id] = place
      else delete this.positions[id]
    }
  }

  async #answer<Answer>(request: string, act: () => Answer): Promise<Answer> {
    const fate = this.fate()
    this.requests.push(request)
    await this.#clock.wait(this.latency())
    if (fate === 'breaks') throw new Broken('never arrived')
    if (fate === 'is refused') throw new Refused('not like this')
    // Through JSON, as over the wire: no objects are shared with the server.
    const answer = act() as Answer
    await this.#clock.wait(this.latency())
    if (fate === 'is lost') throw new Broken('no answer')
    return (answer === undefined ? answer : JSON.parse(JSON.stringify(answer))) as Answer
  }
}
