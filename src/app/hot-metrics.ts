type Label = string | number

interface Series {
  /** The number of values in each bucket: up to its bound, and above the bound before. */
  buckets: number[]
  sum: number
  count: number
}

/** A counter or, with bounds, a histogram. An update takes 0.1 µs, and with labels in prom-client 3 to 5. */
export class HotMetric {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  readonly type: 'counter' | 'histogram'
  readonly #bounds: readonly number[]
  /** By the values of the first and the second label, so that an update creates no object. */
  readonly #series = new Map<Label, Map<Label, Series>>()

  constructor(name: string, help: string, labelNames: readonly string[], bounds?: readonly number[]) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
    this.type = bounds ? 'histogram' : 'counter'
    this.#bounds = bounds ?? []
    if (labelNames.length === 0) this.#create('', '')
  }

  add(value: number, first: Label = '', second: Label = ''): void {
    const series = this.#series.get(first)?.get(second) ?? this.#create(first, second)
    series.sum += value
    series.count++
    let bucket = 0
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket++
    if (bucket < this.#bounds.length) series.buckets[bucket]!++
  }

  #create(first: Label, second: Label): Series {
    const branch = this.#series.get(first) ?? new Map<Label, Series>()
    const series = { buckets: this.#bounds.map(() => 0), sum: 0, count: 0 }
    this.#series.set(first, branch.set(second, series))
    return series
  }

  /** Called by the registry. */
  async get() {
    const values = [...this.#series].flatMap(([first, branch]) =>
      [...branch].flatMap(([second, series]) => this.#samples([first, second], series)),
    )
    return { name: this.name, help: this.help, type: this.type, values, aggregator: 'sum' }
  }

  #samples(given: Label[], { buckets, sum, count }: Series) {
    const labels = Object.fromEntries(this.labelNames.map((name, at) => [name, given[at]!]))
    if (this.type === 'counter') return [{ labels, value: sum }]
    const bucket = (le: Label, value: number) => ({
      metricName: `${this.name}_bucket`,
      labels: { ...labels, le },
      value,
    })
    const below = (at: number): number => buckets.slice(0, at + 1).reduce((total, each) => total + each, 0)
    return [
      ...this.#bounds.map((bound, at) => bucket(bound, below(at))),
      bucket('+Inf', count),
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ]
  }
}
