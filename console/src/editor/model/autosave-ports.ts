import type { Graph, Point, Positions } from './graph.ts'
import type { ShapeChanges, Shapes } from './shapes.ts'

type SaveStatus = 'saved' | 'changed' | 'saving' | 'conflict' | 'failed'

export interface SaveConflict {
  /** The common base of both sides. */
  readonly base: Graph
  readonly theirs: Graph
  readonly theirVersion: number
  /** The positions on the other side. */
  readonly positions: Positions
}

export interface AutosaveState {
  /** The status of the graph, and of the positions once the graph is saved. */
  readonly status: SaveStatus
  /** The server's version of what was loaded or saved last. */
  readonly version: number
  /** Why the last attempt failed. */
  readonly error: unknown
  readonly conflict: SaveConflict | undefined
}

export interface SavedWorkflow {
  readonly graph: Graph
  readonly version: number
  /** The positions, notes and groups on the server. */
  readonly positions?: Positions
  readonly shapes?: Shapes
}

export interface LoadedWorkflow extends SavedWorkflow {
  /** Saves of an earlier visit whose result is unknown. */
  readonly sent?: readonly Graph[]
}

export interface AutosavePorts {
  /** Stores the graph if the server still has `version`. `isKept`: it stays in the history beside the next save. */
  save(graph: Graph, version: number, isKept: boolean): Promise<{ version: number }>
  /** Whether an error of `save` means that the server has another version. */
  isConflict(error: unknown): boolean
  /** Whether an error may be temporary, such as a broken connection; if omitted, all are. */
  isTransient?(error: unknown): boolean
  /** Stores positions of nodes, notes and groups, or deletes them. */
  place(positions: Places, shapes?: ShapeChanges): Promise<void>
  /** The notes and groups on the server; if omitted, no other user changes them. */
  readShapes?(): Promise<Shapes>
  readCurrent(): Promise<SavedWorkflow>
  /**
   * Loads an old version. This shows whether a save without a response succeeded before another user continued from it.
   * Without it, edits that were undone here in the meantime may come back with that user's version.
   */
  readVersion?(version: number): Promise<Graph>
  setTimer(action: () => void, milliseconds: number): unknown
  clearTimer(timer: unknown): void
}

/** New positions by node id; null deletes one. */
export type Places = Readonly<Record<string, Point | null>>

/** Delay between the last change and a save. */
export const saveDelay = 800
const firstPause = 1000
const longestPause = 30_000

/** Pauses between attempts grow, so that a struggling server is not flooded. */
export const pauseAfter = (failures: number): number =>
  Math.min(longestPause, firstPause * 2 ** Math.min(failures - 1, 10))

/** Two versions have to be merged by the user before anything can be saved. */
export class UnsettledConflict extends Error {
  constructor() {
    super('Another user changed this workflow: merge both versions, then try again')
    this.name = 'UnsettledConflict'
  }
}

/** The workflow no longer exists on the server. */
export class WorkflowDeleted extends Error {
  constructor() {
    super('Another user deleted this workflow: save it as a new one to keep it')
    this.name = 'WorkflowDeleted'
  }
}
