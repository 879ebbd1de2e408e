/** One line of the table. A row without a target is for information only. */
export interface Row {
  label: string
  ours: string
  /** The figure of the machine for the essential work alone. */
  limit?: string
  ratio?: number
  target?: string
  met?: boolean
}

export interface BenchOptions {
  /** Leaves out parts that take minutes. */
  isQuick: boolean
  /** The data set, for a measurement with `needsPath`. */
  path: string | undefined
}

export interface Measurement {
  name: string
  /** Measures a data set that is given by its path; runs only when it is requested by name. */
  needsPath?: boolean
  /** Compares with libraries of bench/package.json, which are installed first. */
  needsLibraries?: boolean
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
