/** A task for a worker, which runs one at a time. */
export interface CodeTask {
  code: string
  /** The file of a script that the code uses. */
  library?: string | undefined
  /** JSON of an object. */
  inputs: string
  timeMilliseconds: number
}

/** A report of a worker: first that it is ready, then how each task ended. */
export type CodeReport =
  | { kind: 'ready' }
  | { kind: 'returned'; json: string; lines: readonly string[] }
  /** With a message for the author of the code. */
  | { kind: 'failed'; message: string }
  | { kind: 'broken'; message: string }

export const brokenReport = (error: unknown): CodeReport => ({
  kind: 'broken',
  message: error instanceof Error ? (error.stack ?? error.message) : String(error),
})

/** By the clock, code may take this many times its limit, because on a busy machine it waits for a processor. */
export const busyFactor = 4

/** Largest JSON of the inputs, and of the result. */
export const maxJsonBytes = 8 << 20

/** Memory of the code, in addition to the interpreter's own. */
export const userMemoryBytes = 64 << 20
