/** What a thread is asked to run, one task at a time. */
export interface CodeTask {
  code: string
  /** JSON of an object. */
  inputs: string
  timeMilliseconds: number
}

/** What a thread reports: that it starts, and then how it ended. */
export type CodeReport =
  | { kind: 'started' }
  | { kind: 'returned'; json: string; lines: readonly string[] }
  /** With a message for the author of the code. */
  | { kind: 'failed'; message: string }
  | { kind: 'broken'; message: string }

/** Largest JSON of the inputs, and of the result. */
export const maxJsonBytes = 8 << 20

/** Memory of the code, in addition to the interpreter's own. */
export const userMemoryBytes = 64 << 20
