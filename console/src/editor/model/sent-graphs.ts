import type { AutosavePorts, SavedWorkflow } from './autosave-ports.ts'
import type { Graph } from './graph.ts'
import { sameJson } from './same-json.ts'

/** How many attempts with unknown results are remembered. */
const maxSent = 20

/** Graphs of attempts with unknown results: the server may have one of them. */
export class SentGraphs {
  readonly #ports: Pick<AutosavePorts, 'readVersion' | 'isTransient'>
  #graphs: readonly Graph[]

  constructor(graphs: readonly Graph[], ports: Pick<AutosavePorts, 'readVersion' | 'isTransient'>) {
    this.#graphs = graphs
    this.#ports = ports
  }

  get graphs(): readonly Graph[] {
    return this.#graphs
  }

  add(graph: Graph): void {
    this.#graphs = [...this.#graphs, graph].slice(-maxSent)
  }

  clear(): void {
    this.#graphs = []
  }

  /**
   * Finds our own attempt from `version` that succeeded although its response was lost: it is no change by
   * another user.
   */
  async findStored(version: number, current: SavedWorkflow): Promise<Graph | undefined> {
    if (this.#graphs.length === 0) return undefined
    // Only the version right after ours can be it: every later one is based on a graph that we never had.
    const next = version + 1
    const stored = current.version === next ? current.graph : await this.#readVersion(next)
    return this.#graphs.find(sent => sameJson(sent, stored))
  }

  async #readVersion(version: number): Promise<Graph | undefined> {
    try {
      return await this.#ports.readVersion?.(version)
    } catch (error) {
      // A deleted version is no evidence; one that cannot be loaded now is worth a retry.
      if (this.#ports.isTransient?.(error)) throw error
      return undefined
    }
  }
}
