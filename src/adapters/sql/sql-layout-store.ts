import type { Database, Reader, Transaction } from '../../database/database.ts'
import type { Layout, LayoutStore, Position } from '../../workflow/layout-store.ts'

/** A list and not an object: only a list keeps the order of ids that look like numbers. */
type StoredPosition = [id: string, x: number, y: number]

function readPositions(text: string | null): Map<string, Position> {
  const stored = text === null ? [] : (JSON.parse(text) as StoredPosition[])
  return new Map(stored.map(([id, x, y]) => [id, { x, y }]))
}

/** Escaped as JSON, an id may hold what no column of text can. */
const writePositions = (layout: Layout): string =>
  JSON.stringify([...layout].map(([id, { x, y }]): StoredPosition => [id, x, y]))

export class SqlLayoutStore implements LayoutStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(workspaceId: string, workflowId: string): Promise<Layout | undefined> {
    const row = await this.#database.get<{ positions: string | null }>(
      `SELECT l.positions FROM workflows w
       LEFT JOIN workflow_layouts l ON l.workspace_id = w.workspace_id AND l.workflow_id = w.id
       WHERE w.workspace_id = ? AND w.id = ?`,
      workspaceId,
      workflowId,
    )
    return row && readPositions(row.positions)
  }

  place(
    workspaceId: string,
    workflowId: string,
    changes: ReadonlyMap<string, Position | undefined>,
    most: number,
  ): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      if (!(await this.#lock(transaction, workspaceId, workflowId))) return false
      const before = await this.#stored(transaction, workspaceId, workflowId)
      const layout = readPositions(before)
      for (const [id, position] of changes) {
        // Taken out first, so that it stands last: what was moved lately is what is looked at.
        layout.delete(id)
        if (position) layout.set(id, position)
      }
      for (const id of [...layout.keys()].slice(0, Math.max(0, layout.size - most))) layout.delete(id)
      const positions = writePositions(layout)
      if (positions !== (before ?? '[]'))
        await transaction.run(
          `INSERT INTO workflow_layouts (workspace_id, workflow_id, positions) VALUES (?, ?, ?)
           ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET positions = excluded.positions`,
          workspaceId,
          workflowId,
          positions,
        )
      return true
    })
  }

  /** The row of the workflow is the lock: two who place take turns, and none places on what is being deleted. */
  async #lock(transaction: Transaction, workspaceId: string, workflowId: string): Promise<boolean> {
    const sql = `SELECT 1 AS one FROM workflows WHERE workspace_id = ? AND id = ? ${this.#database.forUpdate}`
    return (await transaction.get(sql, workspaceId, workflowId)) !== undefined
  }

  async #stored(reader: Reader, workspaceId: string, workflowId: string): Promise<string | null> {
    const row = await reader.get<{ positions: string }>(
      'SELECT positions FROM workflow_layouts WHERE workspace_id = ? AND workflow_id = ?',
      workspaceId,
      workflowId,
    )
    return row?.positions ?? null
  }
}
