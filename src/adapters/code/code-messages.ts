/** What the runner asks of a thread: one run at a time. */
export interface CodeTask {
  code: string
  /** JSON of an object. */
  inputs: string
  timeMilliseconds: number
}

/** What a thread says: that it begins, and then how it ended. */
export type CodeReport =
  | { kind: 'started' }
  | { kind: 'returned'; json: string; lines: readonly string[] }
  /** In the words of the person who wrote the code. */
  | { kind: 'failed'; message: string }
  | { kind: 'broken'; message: string }

/** Largest JSON that goes into a run, and out of it. */
export const maxJsonBytes = 8 << 20

/** What the code may use; the interpreter's own comes on top. */
export const userMemoryBytes = 64 << 20
