import type { Graph, Point, Positions } from './graph.ts'

export type SaveStatus = 'saved' | 'changed' | 'saving' | 'conflict' | 'failed'

export interface SaveConflict {
  /** What both sides began with. */
  readonly base: Graph
  readonly theirs: Graph
  readonly theirVersion: number
  /** Where they placed the nodes. */
  readonly positions: Positions
}

export interface AutosaveState {
  /** Of the graph, and of the places once the graph is saved. */
  readonly status: SaveStatus
  /** Version that the server has of what was loaded or saved last. */
  readonly version: number
  /** Why the last try failed. */
  readonly error: unknown
  readonly conflict: SaveConflict | undefined
}

export interface SavedWorkflow {
  readonly graph: Graph
  readonly version: number
  /** Where the server has the nodes placed. */
  readonly positions?: Positions
}

export interface LoadedWorkflow extends SavedWorkflow {
  /** What an earlier visit sent without hearing how it ended. */
  readonly sent?: readonly Graph[]
}

export interface AutosavePorts {
  /** Stores the graph if the server still has `version`. */
  save(graph: Graph, version: number): Promise<{ version: number }>
  /** Whether an error of `save` says that the server has another version. */
  isConflict(error: unknown): boolean
  /** Whether an error may be over by itself, as a broken connection; without it all may. */
  mayPass?(error: unknown): boolean
  /** Places nodes, or forgets where they were. */
  place(positions: Places): Promise<void>
  readCurrent(): Promise<SavedWorkflow>
  /**
   * One old version. It tells whether a save whose answer was lost got there before somebody else went on from it;
   * without it, what was taken back here meanwhile may come back with their version.
   */
  readVersion?(version: number): Promise<Graph>
  setTimer(action: () => void, milliseconds: number): unknown
  clearTimer(timer: unknown): void
}

/** New places by the ids of nodes; null where one is to be forgotten. */
export type Places = Readonly<Record<string, Point | null>>

/** How long after the last change a save begins. */
export const saveDelay = 800
const firstPause = 1000
const longestPause = 30_000

/** Pauses between tries grow, so that a server in trouble is left in peace. */
export const pauseAfter = (failures: number): number =>
  Math.min(longestPause, firstPause * 2 ** Math.min(failures - 1, 10))

/** Two versions have to be merged by hand before anything can be saved. */
export class UnsettledConflict extends Error {
  constructor() {
    super('Somebody else changed this workflow meanwhile: merge both versions, then try again')
    this.name = 'UnsettledConflict'
  }
}

/** There is nothing any more to save to. */
export class WorkflowDeleted extends Error {
  constructor() {
    super('Somebody deleted this workflow: save it as a new one to keep it')
    this.name = 'WorkflowDeleted'
  }
}
