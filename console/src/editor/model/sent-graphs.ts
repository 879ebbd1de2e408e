import type { AutosavePorts, SavedWorkflow } from './autosave-ports.ts'
import type { Graph } from './graph.ts'
import { sameJson } from './same-json.ts'

/** How many tries are remembered whose end nobody knows. */
const mostSent = 20

/** What was sent by tries whose end nobody knows: the server may have one of them. */
export class SentGraphs {
  readonly #ports: Pick<AutosavePorts, 'readVersion' | 'mayPass'>
  #graphs: readonly Graph[]

  constructor(graphs: readonly Graph[], ports: Pick<AutosavePorts, 'readVersion' | 'mayPass'>) {
    this.#graphs = graphs
    this.#ports = ports
  }

  get graphs(): readonly Graph[] {
    return this.#graphs
  }

  add(graph: Graph): void {
    this.#graphs = [...this.#graphs, graph].slice(-mostSent)
  }

  clear(): void {
    this.#graphs = []
  }

  /**
   * A try of our own from `version` that got there after all, only its answer was lost: that is no work of anybody
   * else.
   */
  async findStored(version: number, current: SavedWorkflow): Promise<Graph | undefined> {
    if (this.#graphs.length === 0) return undefined
    // Only the version right after ours can be it: every later one began with something that we never had.
    const next = version + 1
    const stored = current.version === next ? current.graph : await this.#readVersion(next)
    return this.#graphs.find(sent => sameJson(sent, stored))
  }

  async #readVersion(version: number): Promise<Graph | undefined> {
    try {
      return await this.#ports.readVersion?.(version)
    } catch (error) {
      // A version that is gone for good tells nothing; one that cannot be read just now is worth another try.
      if (this.#ports.mayPass?.(error)) throw error
      return undefined
    }
  }
}
