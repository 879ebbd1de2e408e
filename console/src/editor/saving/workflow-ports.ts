import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import type { AutosavePorts } from '../model/autosave-ports.ts'
import type { Graph } from '../model/graph.ts'

/** The ETag of a version. */
export const tagOf = (version: number): string => `"${version}"`

export const isConflict = (error: unknown): boolean =>
  error instanceof ApiFailure && error.reason === 'version_conflict'

/** Stores a graph if the server still has that version. */
export const saveGraph = (id: string, graph: Graph, version: number): Promise<{ version: number }> =>
  call('POST /api/v1/workflow/update', {
    body: { id, workflow: graph },
    headers: { 'if-match': tagOf(version) },
  })

/** Autosave's way to the server. */
export const workflowPorts = (id: string): AutosavePorts => ({
  save: (graph, version) => saveGraph(id, graph, version),
  isConflict,
  mayPass: error =>
    !(error instanceof ApiFailure) ||
    error.reason === 'unreachable' ||
    error.status >= 500 ||
    error.status === 429,
  place: async positions => {
    await call('POST /api/v1/workflow/layout', { body: { id, positions: { ...positions } } })
  },
  readCurrent: async () => {
    const [{ workflow }, { positions }] = await Promise.all([
      call('GET /api/v1/workflow', { query: { id } }),
      call('GET /api/v1/workflow/layout', { query: { id } }),
    ])
    if (!workflow)
      throw new ApiFailure('This workflow has been deleted', { reason: 'not_found', status: 404 })
    return { graph: workflow.config as Graph, version: workflow.version, positions }
  },
  readVersion: async version => {
    const { config } = await call('GET /api/v1/workflow/version', { query: { id, version } })
    return config as Graph
  },
  setTimer: (action, milliseconds) => setTimeout(action, milliseconds),
  clearTimer: timer => clearTimeout(timer as ReturnType<typeof setTimeout>),
})
