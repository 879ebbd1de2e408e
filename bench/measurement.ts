/** One line of the table. A row without a target informs only. */
export interface Row {
  what: string
  ours: string
  /** What the machine gives when nothing but the bare work is done. */
  limit?: string
  ratio?: number
  target?: string
  met?: boolean
}

export interface Measurement {
  name: string
  run(): Promise<Row[]>
}

export const atLeast = (ratio: number, target: number): Pick<Row, 'ratio' | 'target' | 'met'> => ({
  ratio,
  target: `≥ ${target}`,
  met: ratio >= target,
})

export const atMost = (ratio: number, target: number): Pick<Row, 'ratio' | 'target' | 'met'> => ({
  ratio,
  target: `≤ ${target}`,
  met: ratio <= target,
})
