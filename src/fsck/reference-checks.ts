import type { Database } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { workspaceTables } from '../database/tables.ts'
import type { ConsistencyCheck } from './check.ts'

interface Reference {
  child: string
  /** Columns that identify the child in a message. */
  key: string[]
  parent: string
  /** Column of the parent, and the column of the child that names it. */
  on: Record<string, string>
  /** Rows to which it applies. */
  where?: string
  /** The child is of no use without its parent. */
  isRemovable: boolean
}

const ofRun = (child: string): Reference => ({
  ...{ child, key: ['run_id'], parent: 'runs', on: { id: 'run_id' }, isRemovable: true },
})
const ofConversation = (child: string): Reference => ({
  ...{ child, key: ['conversation_id'], parent: 'conversations', on: { id: 'conversation_id' } },
  isRemovable: true,
})
const ofBatch = (child: string): Reference => ({
  ...{ child, key: ['batch_id', 'position'], parent: 'batches', on: { id: 'batch_id' }, isRemovable: true },
})

/** Rows in the state `gone` are swept after their generation. */
const ofGeneration = (child: string): Reference => ({
  ...{ child, key: ['id'], parent: 'generations', on: { id: 'generation_id' }, where: "state <> 'gone'" },
  isRemovable: true,
})

const references: Reference[] = [
  { child: 'files', key: ['id'], parent: 'blobs', on: { sha256: 'sha256' }, isRemovable: false },
  { child: 'blobs', key: ['key'], parent: 'files', on: { sha256: 'sha256' }, isRemovable: true },
  {
    ...{ child: 'workflows', key: ['id', 'version'], parent: 'workflow_versions' },
    ...{ on: { workflow_id: 'id', version: 'version' }, isRemovable: false },
  },
  {
    ...{ child: 'workflows', key: ['id', 'published_version'], parent: 'workflow_versions' },
    ...{ on: { workflow_id: 'id', version: 'published_version' }, isRemovable: false },
    where: 'published_version IS NOT NULL',
  },
  {
    ...{ child: 'workflow_versions', key: ['workflow_id', 'version'], parent: 'workflows' },
    ...{ on: { id: 'workflow_id' }, isRemovable: true },
  },
  ...['run_steps', 'run_effects', 'run_events', 'run_contents'].map(ofRun),
  ...['turns', 'messages', 'conversation_memory', 'feedback'].map(ofConversation),
  {
    ...{ child: 'documents', key: ['knowledge_id', 'file_id'], parent: 'knowledge_bases' },
    ...{ on: { id: 'knowledge_id' }, isRemovable: true },
  },
  {
    ...{ child: 'documents', key: ['knowledge_id', 'file_id'], parent: 'files' },
    ...{ on: { id: 'file_id' }, isRemovable: false },
    // The documents of a deleted base are about to be swept.
    where: `EXISTS (SELECT 1 FROM knowledge_bases k WHERE k.workspace_id = documents.workspace_id
      AND k.id = documents.knowledge_id AND k.deleted_at IS NULL)`,
  },
  {
    ...{ child: 'document_values', key: ['knowledge_id', 'file_id'], parent: 'documents' },
    ...{ on: { knowledge_id: 'knowledge_id', file_id: 'file_id' }, isRemovable: true },
  },
  {
    ...{ child: 'knowledge_bases', key: ['id'], parent: 'generations', on: { id: 'generation_id' } },
    ...{ isRemovable: false, where: 'deleted_at IS NULL' },
  },
  {
    ...{ child: 'readings', key: ['generation_id', 'file_id'], parent: 'generations' },
    ...{ on: { id: 'generation_id' }, isRemovable: true },
  },
  ...['batches', 'segments'].map(ofGeneration),
  ...['chunks', 'vectors'].map(ofBatch),
  {
    ...{ child: 'segment_blocks', key: ['segment_id', 'ordinal'], parent: 'segments' },
    ...{ on: { id: 'segment_id' }, isRemovable: true },
  },
]

const deleteBatch = 500

/** Rows of deleted workspaces are being purged, in any order. */
const inWorkspace = 'workspace_id IN (SELECT id FROM workspaces WHERE deleted_at IS NULL)'

function isDangling({ child, parent, on, where }: Reference): string {
  const match = Object.entries(on).map(([theirs, own]) => `p.${theirs} = ${child}.${own}`)
  const found = `SELECT 1 FROM ${parent} p WHERE p.workspace_id = ${child}.workspace_id AND ${match.join(' AND ')}`
  return `${inWorkspace} AND NOT EXISTS (${found})${where ? ` AND ${where}` : ''}`
}

class DanglingRows extends Store {
  /** In batches, so that a running server can write in between. */
  async remove(table: string, where: string, signal: AbortSignal): Promise<void> {
    for (let removed = deleteBatch; removed === deleteBatch && !signal.aborted; )
      removed = await this.database.deletion(transaction =>
        this.deleteSome(transaction, raw(table), sql`${raw(where)}`, deleteBatch),
      )
  }
}

type KeyRow = { workspace_id: string; name: string }

function referenceCheck(database: Database, reference: Reference): ConsistencyCheck {
  const { child, parent, key, isRemovable } = reference
  const where = isDangling(reference)
  const name = key.map(column => `CAST(${column} AS TEXT)`).join(" || ' ' || ")
  return {
    name: `${child} without ${parent}`,
    promise: `Every row of ${child} refers to a row of ${parent}.`,
    find: (report, signal) =>
      database.snapshot(async snapshot => {
        const query = `SELECT workspace_id, ${name} AS name FROM ${child} WHERE ${where}`
        for await (const row of snapshot.each<KeyRow>(query)) {
          signal.throwIfAborted()
          report({ workspaceId: row.workspace_id, message: `${child} ${row.name} has no row in ${parent}` })
        }
      }),
    ...(isRemovable && { repair: signal => new DanglingRows(database).remove(child, where, signal) }),
    remedy: isRemovable
      ? '--repair deletes these rows, which nothing can use.'
      : 'Restore a backup, or delete the named objects and create them again.',
  }
}

/** Finds rows of workspaces that do not exist, which are never read and never deleted. */
function workspaceCheck(database: Database): ConsistencyCheck {
  const where = 'workspace_id NOT IN (SELECT id FROM workspaces)'
  return {
    name: 'rows without workspaces',
    promise: 'Every row belongs to a workspace.',
    find: async report => {
      for (const table of workspaceTables) {
        const rows = await database.all<{ workspace_id: string; count: number }>(
          `SELECT workspace_id, COUNT(*) AS count FROM ${table} WHERE ${where} GROUP BY workspace_id LIMIT 1000`,
        )
        for (const { workspace_id: workspaceId, count } of rows)
          report({
            workspaceId,
            message: `${count} rows of ${table} belong to a workspace that does not exist`,
          })
      }
    },
    repair: async signal => {
      for (const table of workspaceTables) await new DanglingRows(database).remove(table, where, signal)
    },
    remedy: '--repair deletes these rows, which nothing can use.',
  }
}

export const referenceChecks = (database: Database): ConsistencyCheck[] => [
  ...references.map(reference => referenceCheck(database, reference)),
  workspaceCheck(database),
]
