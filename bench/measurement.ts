/** One line of the table. A row without a target informs only. */
export interface Row {
  what: string
  ours: string
  /** What the machine reaches when it does only the essential work. */
  limit?: string
  ratio?: number
  target?: string
  met?: boolean
}

export interface BenchOptions {
  /** Leave out what takes minutes. */
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
