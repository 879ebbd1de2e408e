import type { CallData } from '../../api/operations.ts'
import type { NodeMark } from '../workflow-editor.ts'

export type RunDetails = CallData<'GET /api/v1/workflow/runs/{run_id}'>
export type NodeRecord = RunDetails['nodes'][number]
export type RunStatus = RunDetails['status']
export type NodeStatus = NodeRecord['status']

export interface RunProblem {
  readonly reason: string
  readonly message: string
  /** Path of the failed node, if there is one. */
  readonly path: string | undefined
}

/** One node of a run, as far as it is known. */
export interface NodeView {
  /** The ids of the surrounding nodes and its own, as the server writes them. */
  readonly path: string
  readonly nodeId: string
  /** The depth of nested workflows. */
  readonly depth: number
  readonly kind: string
  readonly title: string
  readonly status: NodeStatus
  /** Milliseconds since 1970, by the server's clock. */
  readonly startedAt: number | undefined
  readonly elapsedMs: number | undefined
  readonly tokens: number
  /** Undefined: not known yet. Events omit inputs and large outputs. */
  readonly inputs: unknown
  readonly outputs: unknown
  readonly error: RunProblem | undefined
  readonly attempts: number
  /** The progress that a running node reports; empty if it reports none. */
  readonly progress: string
  /** The output so far. */
  readonly text: string
}

/** A message of the run. */
export interface RunMessage {
  readonly id: string
  readonly by: 'user' | 'run'
  readonly text: string
  /** `text`, or another message type, such as `action`. */
  readonly dataType: string
  readonly files: readonly string[]
  readonly isComplete: boolean
}

export interface RunView {
  readonly runId: string
  /** Number of the last processed event; 0 before the first. */
  readonly lastEvent: number
  readonly status: RunStatus
  readonly messages: readonly RunMessage[]
  /** In the order they started. */
  readonly nodes: readonly NodeView[]
  readonly waiting: { path: string; question: string; options: readonly string[] } | undefined
  readonly startedAt: number | undefined
  readonly elapsedMs: number | undefined
  readonly tokens: number
  readonly inputs: unknown
  readonly outputs: unknown
  readonly error: RunProblem | undefined
}

export const emptyView = (runId = ''): RunView => ({
  runId,
  lastEvent: 0,
  status: 'queued',
  messages: [],
  nodes: [],
  waiting: undefined,
  startedAt: undefined,
  elapsedMs: undefined,
  tokens: 0,
  inputs: undefined,
  outputs: undefined,
  error: undefined,
})

export const emptyNode = (path: string): NodeView => ({
  path,
  nodeId: nodeOfPath(path),
  depth: depthOfPath(path),
  kind: '',
  title: '',
  status: 'running',
  startedAt: undefined,
  elapsedMs: undefined,
  tokens: 0,
  inputs: undefined,
  outputs: undefined,
  error: undefined,
  attempts: 1,
  progress: '',
  text: '',
})

/** The node id at the end of a path; `/` in an id is escaped as `~1` and `~` as `~0`. */
export const nodeOfPath = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')

/** The path has the name of the call between a node and a nested one: `each/3/answer`. */
const depthOfPath = (path: string): number => Math.floor(path.split('/').length / 2)

/** The name of the call that a nested node runs in, such as the index of an item; empty at the top level. */
export const callOfPath = (path: string): string => path.split('/').at(-2) ?? ''

/** Whether no further events follow without input. */
export const isSettled = (status: RunStatus): boolean => status !== 'queued' && status !== 'running'

export const isOver = (status: RunStatus): boolean => isSettled(status) && status !== 'waiting'

/** The status of the nodes on the canvas; nodes of nested workflows are not drawn there. */
export function marksOf(view: RunView | undefined): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>()
  for (const node of view?.nodes ?? [])
    if (node.depth === 0)
      marks.set(node.nodeId, {
        status: node.status,
        ...(node.elapsedMs !== undefined && { elapsedMs: node.elapsedMs }),
        ...(node.tokens > 0 && { tokens: node.tokens }),
        ...(node.error && node.status === 'failed' && { error: node.error.message }),
      })
  return marks
}

/** Message events arrive many times a second and change no status. */
export const areSameMarks = (
  one: ReadonlyMap<string, NodeMark>,
  other: ReadonlyMap<string, NodeMark>,
): boolean => {
  if (one.size !== other.size) return false
  for (const [id, { status, elapsedMs, tokens, error }] of one) {
    const found = other.get(id)
    if (
      found?.status !== status ||
      found.elapsedMs !== elapsedMs ||
      found.tokens !== tokens ||
      found.error !== error
    )
      return false
  }
  return true
}
