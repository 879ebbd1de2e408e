import type { LayoutShape } from '../contract/layout-shape.ts'
import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { tooManyShapes } from './layout-shapes.ts'
import type { Layout, LayoutStore, Position, Shapes } from './layout-store.ts'
import { noWorkflow } from './workflow-store.ts'

/** Positions of nodes, sticky notes and groups in the drawing. They are stored beside the graph, so that moving a node creates no version. */
export class LayoutService {
  readonly #store: LayoutStore

  constructor(store: LayoutStore) {
    this.#store = store
  }

  async get(workspaceId: string, workflowId: string): Promise<Layout> {
    const layout = await this.#store.find(workspaceId, workflowId)
    if (!layout) throw noWorkflow(workflowId)
    return layout
  }

  async shapes(workspaceId: string, workflowId: string): Promise<Shapes> {
    const shapes = await this.#store.findShapes(workspaceId, workflowId)
    if (!shapes) throw noWorkflow(workflowId)
    return shapes
  }

  async putShapes(
    workspaceId: string,
    workflowId: string,
    changes: ReadonlyMap<string, LayoutShape | undefined>,
  ): Promise<void> {
    const count = await this.#store.putShapes(workspaceId, workflowId, changes, limits.layoutShapes)
    if (count === undefined) throw noWorkflow(workflowId)
    if (count > limits.layoutShapes) throw tooManyShapes('/shapes', count)
  }

  async place(workspaceId: string, workflowId: string, changes: ReadonlyMap<string, Position | undefined>) {
    if (changes.size > limits.graphNodes)
      throw invalidField(
        '/positions',
        `names ${changes.size} nodes, but a graph has at most ${limits.graphNodes}; send fewer`,
      )
    const longest = Math.max(0, ...[...changes.keys()].map(({ length }) => length))
    if (longest > limits.placedNodeIdLength)
      throw invalidField(
        '/positions',
        `names a node by ${longest} characters; ids of at most ${limits.placedNodeIdLength} can be placed`,
      )
    if (!(await this.#store.place(workspaceId, workflowId, changes, limits.graphNodes)))
      throw noWorkflow(workflowId)
  }
}
