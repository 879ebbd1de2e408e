import { defaultWorkspaceId } from '../src/access/access-service.ts'
import { openDatabase } from '../src/adapters/sql/open-database.ts'
import { WorkflowStore } from '../src/workflow/workflow-store.ts'
import { sampleGraph, sampleNodes, workflowId } from './sample-graph.ts'

/** The number of workflows that share one commit. */
const batch = 256

/** Writes `count` workflows into a new database, before a server opens it. */
export async function seedWorkflows(folder: string, count: number, url?: string): Promise<void> {
  const database = await openDatabase({ url, folder })
  const store = new WorkflowStore(database)
  const save = (number: number) =>
    store.save(defaultWorkspaceId, {
      id: workflowId(number),
      name: '',
      graph: sampleGraph(String(number)),
      nodeCount: sampleNodes,
      hasCredentials: false,
      expected: 'absent',
      at: Date.now(),
    })
  for (let start = 0; start < count; start += batch)
    await Promise.all(Array.from({ length: Math.min(batch, count - start) }, (_, at) => save(start + at)))
  await database.close()
}
