import type { CallData } from '../../api/operations.ts'

export type RunDetails = CallData<'GET /api/v1/workflow/runs/{run_id}'>
export type NodeRecord = RunDetails['nodes'][number]
export type RunStatus = RunDetails['status']
export type NodeStatus = NodeRecord['status']

export interface RunProblem {
  readonly reason: string
  readonly message: string
  /** Path of the node that failed, where it was one. */
  readonly path: string | undefined
}

/** One node of a run, as far as it is known by now. */
export interface NodeView {
  /** The names of the nodes around it, and its own, as the server writes them. */
  readonly path: string
  readonly nodeId: string
  /** How many workflows it is inside of. */
  readonly depth: number
  readonly kind: string
  readonly title: string
  readonly status: NodeStatus
  /** Milliseconds since 1970, by the server's clock. */
  readonly startedAt: number | undefined
  readonly elapsedMs: number | undefined
  readonly tokens: number
  /** Undefined: not known yet. Events do not tell them, and leave large outputs out. */
  readonly inputs: unknown
  readonly outputs: unknown
  readonly error: RunProblem | undefined
  readonly attempts: number
  /** What it has written so far for others to use. */
  readonly text: string
}

/** What was said, in its order. */
export interface Utterance {
  readonly id: string
  readonly by: 'user' | 'run'
  readonly text: string
  /** `text`, or what else a message can hold, such as `action`. */
  readonly dataType: string
  readonly files: readonly string[]
  readonly isComplete: boolean
}

export interface RunView {
  readonly runId: string
  /** Number of the last event that counted; 0 before the first. */
  readonly lastEvent: number
  readonly status: RunStatus
  readonly said: readonly Utterance[]
  /** In the order they began. */
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
  said: [],
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
  text: '',
})

/** The id of the node that a path ends with; a slash in an id is written as `~1` and a tilde as `~0`. */
export const nodeOfPath = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')

/** Between a node and one inside of it stands the name of the call: `each/3/answer`. */
const depthOfPath = (path: string): number => Math.floor(path.split('/').length / 2)

/** The name of the call that a nested node runs in, such as the number of an item; empty at the top. */
export const callOfPath = (path: string): string => path.split('/').at(-2) ?? ''

/** Nothing more comes from it by itself. */
export const isSettled = (status: RunStatus): boolean => status !== 'queued' && status !== 'running'

export const isOver = (status: RunStatus): boolean => isSettled(status) && status !== 'waiting'
