import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import { type AutosavePorts, WorkflowDeleted } from '../model/autosave-ports.ts'
import type { Graph } from '../model/graph.ts'

/** The ETag of a version. */
export const tagOf = (version: number): string => `"${version}"`

export const isConflict = (error: unknown): boolean =>
  error instanceof ApiFailure && error.reason === 'version_conflict'

/** Whether the workflow does not exist on the server. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiFailure && error.reason === 'not_found'

/** Reports a missing workflow as deleted, because it existed when it was opened. */
async function ofExisting<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    throw isMissing(error) ? new WorkflowDeleted() : error
  }
}

/** The server calls of autosave. */
export const workflowPorts = (id: string): AutosavePorts => ({
  save: (graph, version, isKept) => {
    const headers = { 'if-match': tagOf(version) }
    const body = { id, workflow: graph, autosave: !isKept }
    return ofExisting(call('POST /api/v1/workflow/update', { body, headers }))
  },
  isConflict,
  isTransient: error => {
    if (!(error instanceof ApiFailure)) return !(error instanceof WorkflowDeleted)
    return error.reason === 'unreachable' || error.status >= 500 || error.status === 429
  },
  place: async (positions, shapes = {}) => {
    const body = { id, positions: { ...positions }, shapes: { ...shapes } }
    await ofExisting(call('POST /api/v1/workflow/layout', { body }))
  },
  readShapes: async () => {
    const { shapes } = await ofExisting(call('GET /api/v1/workflow/layout', { query: { id } }))
    return shapes
  },
  readCurrent: async () => {
    const [{ workflow }, { positions, shapes }] = await ofExisting(
      Promise.all([
        call('GET /api/v1/workflow', { query: { id } }),
        call('GET /api/v1/workflow/layout', { query: { id } }),
      ]),
    )
    if (!workflow) throw new WorkflowDeleted()
    return { graph: workflow.config as Graph, version: workflow.version, positions, shapes }
  },
  readVersion: async version => {
    const { config } = await call('GET /api/v1/workflow/version', { query: { id, version } })
    return config as Graph
  },
  setTimer: (action, milliseconds) => setTimeout(action, milliseconds),
  clearTimer: timer => clearTimeout(timer as ReturnType<typeof setTimeout>),
})
