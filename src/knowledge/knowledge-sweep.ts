export interface KnowledgeSweep {
  /** Removes a bounded number of rows that nobody can see any more; true when there may be more. */
  sweep(now: number): Promise<boolean>
}
