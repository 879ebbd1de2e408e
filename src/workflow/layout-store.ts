import type { LayoutShape } from '../contract/layout-shape.ts'
import { limits } from '../contract/limits.ts'
import { raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { as, optional, table, text } from '../database/table.ts'
import { checkPositions, tooManyShapes } from './layout-shapes.ts'
import { noWorkflow } from './workflow-store.ts'
import { workflows } from './workflow-tables.ts'

export const workflowLayouts = table('workflow_layouts', {
  workspaceId: text(),
  workflowId: text(),
  positions: text(),
  shapes: optional(text()),
})

/** Left upper corner of a node in the drawing. */
export interface Position {
  x: number
  y: number
}

/** Stored beside the graph, so that moving a node creates no version. */
interface Layout {
  /** By node id, in the order in which the nodes were last placed. */
  positions: Map<string, Position>
  /** Sticky notes and groups by id. */
  shapes: Map<string, LayoutShape>
}

/** A list and not an object: only a list keeps the order of ids that look like numbers. */
type StoredPosition = [id: string, x: number, y: number]

const columns = workflowLayouts.columns('positions', 'shapes')
const positionsColumn = as('positions', optional(text()))
const shapesColumn = as('shapes', optional(text()))

/** As JSON, because an id may hold characters that a text column cannot. */
const writers = {
  positions: ({ positions }: Layout): string =>
    JSON.stringify([...positions].map(([id, { x, y }]): StoredPosition => [id, x, y])),
  shapes: ({ shapes }: Layout): string => JSON.stringify([...shapes]),
}

const readLayout = ({ positions = '[]', shapes = '[]' }: Partial<(typeof columns)['row']>): Layout => ({
  positions: new Map((JSON.parse(positions) as StoredPosition[]).map(([id, x, y]) => [id, { x, y }])),
  shapes: new Map(JSON.parse(shapes) as [string, LayoutShape][]),
})

/** Its operations fail with `not_found` if there is no such workflow. */
export class LayoutStore extends Store {
  async get(workspaceId: string, workflowId: string): Promise<Layout> {
    const row = await this.database.get(sql`
      SELECT l.positions ${positionsColumn}, l.shapes ${shapesColumn} FROM workflows w
      LEFT JOIN workflow_layouts l ON l.workspace_id = w.workspace_id AND l.workflow_id = w.id
      WHERE w.workspace_id = ${workspaceId} AND w.id = ${workflowId}`)
    if (!row) throw noWorkflow(workflowId)
    return readLayout(row)
  }

  /** Stores shapes; undefined removes one. */
  putShapes(
    workspaceId: string,
    workflowId: string,
    changes: ReadonlyMap<string, LayoutShape | undefined>,
    max: number = limits.layoutShapes,
  ): Promise<void> {
    return this.#change(workspaceId, workflowId, 'shapes', ({ shapes }) => {
      for (const [id, shape] of changes) {
        if (shape) shapes.set(id, shape)
        else shapes.delete(id)
      }
      if (shapes.size > max) throw tooManyShapes('/shapes', shapes.size)
    })
  }

  /** Stores positions; undefined removes one. Above `max`, those placed longest ago are removed. */
  async place(
    workspaceId: string,
    workflowId: string,
    changes: ReadonlyMap<string, Position | undefined>,
    max: number = limits.graphNodes,
  ): Promise<void> {
    checkPositions(changes)
    await this.#change(workspaceId, workflowId, 'positions', ({ positions }) => {
      for (const [id, position] of changes) {
        // Deleting it first moves the node to the end: the order is that of the latest changes.
        positions.delete(id)
        if (position) positions.set(id, position)
      }
      for (const id of [...positions.keys()].slice(0, Math.max(0, positions.size - max))) positions.delete(id)
    })
  }

  #change(
    workspaceId: string,
    workflowId: string,
    name: 'positions' | 'shapes',
    change: (layout: Layout) => void,
  ): Promise<void> {
    return this.database.transaction(async transaction => {
      // The row of the workflow is the lock: concurrent changes take turns, and none survives a deletion.
      const workflow = workflows.where({ workspaceId, id: workflowId })
      const lock = sql`SELECT 1 FROM workflows WHERE ${workflow} ${this.database.forUpdate}`
      if (!(await transaction.get(lock))) throw noWorkflow(workflowId)
      const stored = await transaction.get(workflowLayouts.select(columns, { workspaceId, workflowId }))
      const layout = readLayout(stored ?? {})
      change(layout)
      const changed = writers[name](layout)
      if (changed === (stored?.[name] ?? '[]')) return
      const row = { workspaceId, workflowId, positions: '[]', shapes: undefined, [name]: changed }
      await transaction.run(sql`
        ${workflowLayouts.insert(row)}
        ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET ${raw(`${name} = excluded.${name}`)}`)
    })
  }
}
