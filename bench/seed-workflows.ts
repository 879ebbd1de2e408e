import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../src/adapters/sql/open-database.ts'
import { sampleGraph, sampleNodes, workflowId } from './sample-graph.ts'

/** Writes so many workflows straight into a new database, before a server opens it. */
export async function seedWorkflows(folder: string, count: number): Promise<void> {
  await (await openDatabase({ url: undefined, folder })).close()
  const database = new DatabaseSync(join(folder, 'banyan.db'))
  const now = Date.now()
  database.exec('PRAGMA synchronous = NORMAL; BEGIN')
  const addWorkflow = database.prepare(
    `INSERT INTO workflows (workspace_id, id, name, version, node_count, created_at, updated_at)
     VALUES ('default', ?, '', 1, ${sampleNodes}, ?, ?)`,
  )
  const addVersion = database.prepare(
    `INSERT INTO workflow_versions (workspace_id, workflow_id, version, graph, node_count, created_at)
     VALUES ('default', ?, 1, ?, ${sampleNodes}, ?)`,
  )
  for (let number = 0; number < count; number++) {
    const id = workflowId(number)
    addWorkflow.run(id, now + number, now + number)
    addVersion.run(id, sampleGraph(String(number)), now + number)
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}
