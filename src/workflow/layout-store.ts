/** Left upper corner of a node in the drawing. */
export interface Position {
  x: number
  y: number
}

export type Layout = ReadonlyMap<string, Position>

export interface LayoutStore {
  /** In the order in which the nodes were last placed; undefined when there is no such workflow. */
  find(workspaceId: string, workflowId: string): Promise<Layout | undefined>
  /**
   * Places these nodes and forgets those that are undefined; all others stay where they are, also when somebody else
   * places some at the same time. Of more than `most` nodes those that were placed longest ago are forgotten. False
   * when there is no such workflow.
   */
  place(
    workspaceId: string,
    workflowId: string,
    changes: ReadonlyMap<string, Position | undefined>,
    most: number,
  ): Promise<boolean>
}
