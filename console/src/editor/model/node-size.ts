export interface Size {
  readonly width: number
  readonly height: number
}
export type SizeOf = (id: string) => Size

/** Space between nodes: across from one layer to the next, and down between two of the same layer. */
export const gaps = { across: 80, down: 40 } as const
