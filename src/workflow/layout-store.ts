import type { LayoutShape } from '../contract/layout-shape.ts'
import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { as, optional, table, text } from '../database/table.ts'
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

export type Layout = ReadonlyMap<string, Position>

/** Sticky notes and groups by id. */
export type Shapes = ReadonlyMap<string, LayoutShape>

/** A list and not an object: only a list keeps the order of ids that look like numbers. */
type StoredPosition = [id: string, x: number, y: number]

const positions = workflowLayouts.columns('positions')
const joinedPositions = as('positions', optional(text()))
const joinedShapes = as('shapes', optional(text()))
const shapesColumn = workflowLayouts.columns('positions', 'shapes')

const readShapes = (text: string | undefined): Map<string, LayoutShape> =>
  new Map(text === undefined ? [] : (JSON.parse(text) as [string, LayoutShape][]))

function readPositions(text: string | undefined): Map<string, Position> {
  const stored = text === undefined ? [] : (JSON.parse(text) as StoredPosition[])
  return new Map(stored.map(([id, x, y]) => [id, { x, y }]))
}

/** As JSON, because an id may hold characters that a text column cannot. */
const writePositions = (layout: Layout): string =>
  JSON.stringify([...layout].map(([id, { x, y }]): StoredPosition => [id, x, y]))

export class LayoutStore extends Store {
  /** In the order in which the nodes were last placed; undefined when there is no such workflow. */
  async find(workspaceId: string, workflowId: string): Promise<Layout | undefined> {
    const row = await this.database.get(sql`
      SELECT l.positions ${joinedPositions} FROM workflows w
      LEFT JOIN workflow_layouts l ON l.workspace_id = w.workspace_id AND l.workflow_id = w.id
      WHERE w.workspace_id = ${workspaceId} AND w.id = ${workflowId}`)
    return row && readPositions(row.positions)
  }

  /** Undefined when there is no such workflow. */
  async findShapes(workspaceId: string, workflowId: string): Promise<Shapes | undefined> {
    const row = await this.database.get(sql`
      SELECT l.shapes ${joinedShapes} FROM workflows w
      LEFT JOIN workflow_layouts l ON l.workspace_id = w.workspace_id AND l.workflow_id = w.id
      WHERE w.workspace_id = ${workspaceId} AND w.id = ${workflowId}`)
    return row && readShapes(row.shapes)
  }

  /**
   * Stores shapes; undefined removes one. Returns the number of shapes after the change, which is not stored if there are
   * more than `max`; undefined if there is no such workflow.
   */
  putShapes(
    workspaceId: string,
    workflowId: string,
    changes: ReadonlyMap<string, LayoutShape | undefined>,
    max: number,
  ): Promise<number | undefined> {
    return this.database.transaction(async transaction => {
      const workflow = workflows.where({ workspaceId, id: workflowId })
      const lock = sql`SELECT 1 FROM workflows WHERE ${workflow} ${this.database.forUpdate}`
      if (!(await transaction.get(lock))) return undefined
      const stored = await transaction.get(workflowLayouts.select(shapesColumn, { workspaceId, workflowId }))
      const shapes = readShapes(stored?.shapes)
      for (const [id, shape] of changes) {
        if (shape) shapes.set(id, shape)
        else shapes.delete(id)
      }
      if (shapes.size > max) return shapes.size
      const row = { workspaceId, workflowId, positions: stored?.positions ?? '[]' }
      await transaction.run(sql`
        ${workflowLayouts.insert({ ...row, shapes: JSON.stringify([...shapes]) })}
        ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET shapes = excluded.shapes`)
      return shapes.size
    })
  }

  /**
   * Stores positions; undefined removes one. Above `max`, those placed longest ago are removed. False if there is no such
   * workflow.
   */
  place(
    workspaceId: string,
    workflowId: string,
    changes: ReadonlyMap<string, Position | undefined>,
    max: number,
  ): Promise<boolean> {
    return this.database.transaction(async transaction => {
      // The row of the workflow is the lock: concurrent changes take turns, and none survives a deletion.
      const workflow = workflows.where({ workspaceId, id: workflowId })
      const lock = sql`SELECT 1 FROM workflows WHERE ${workflow} ${this.database.forUpdate}`
      if (!(await transaction.get(lock))) return false
      const stored = await transaction.get(workflowLayouts.select(positions, { workspaceId, workflowId }))
      const layout = readPositions(stored?.positions)
      for (const [id, position] of changes) {
        // Deleting it first moves the node to the end: the order is that of the latest changes.
        layout.delete(id)
        if (position) layout.set(id, position)
      }
      for (const id of [...layout.keys()].slice(0, Math.max(0, layout.size - max))) layout.delete(id)
      const changed = writePositions(layout)
      if (changed !== (stored?.positions ?? '[]'))
        await transaction.run(sql`
          ${workflowLayouts.insert({ workspaceId, workflowId, positions: changed, shapes: undefined })}
          ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET positions = excluded.positions`)
      return true
    })
  }
}
