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

export interface BenchOptions {
  /** Leave out what takes minutes. */
  isQuick: boolean
  /** What stands behind the name of a measurement that needs a data set. */
  path: string | undefined
}

export interface Measurement {
  name: string
  /** It measures a data set that is given by its path, and only when it is asked for by name. */
  needsPath?: boolean
  run(options: BenchOptions): Promise<Row[]>
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
