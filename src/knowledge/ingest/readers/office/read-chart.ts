import type { Block, Place } from '../../block.ts'
import type { CellBudget } from './tables.ts'
import { parseXml, type XmlAttributes, type XmlEnd, type XmlHandler } from './xml-parser.ts'

interface Series {
  name: string
  /** Texts by their position. */
  categories: Map<number, string>
  values: Map<number, string>
}

const maxPoints = 10_000

/** Titles, names and the values that a chart was last drawn with. */
class ChartReader implements XmlHandler {
  readonly titles: string[] = []
  readonly series: Series[] = []
  readonly #budget: CellBudget
  #paragraph: string | undefined
  #part: 'name' | 'categories' | 'values' | undefined
  #point = 0

  constructor(budget: CellBudget) {
    this.#budget = budget
  }

  open(name: string, { idx }: XmlAttributes): XmlEnd {
    if (name === 'ser') this.series.push({ name: '', categories: new Map(), values: new Map() })
    else if (name === 'tx' && this.series.length > 0) return this.#openPart('name')
    else if (name === 'cat' || name === 'xVal') return this.#openPart('categories')
    else if (name === 'val' || name === 'yVal') return this.#openPart('values')
    else if (name === 'pt') this.#point = Math.min(maxPoints, Math.max(0, Math.trunc(Number(idx)) || 0))
    else if (name === 'p') return this.#openParagraph()
  }

  text(text: string, parent: string): void {
    if (parent === 't' && this.#paragraph !== undefined) this.#paragraph += text
    if (parent !== 'v') return
    const series = this.series.at(-1)
    if (!series || !this.#part) return
    if (this.#part === 'name') series.name += text
    else {
      const points = series[this.#part]
      if (!points.has(this.#point)) this.#budget.take(1)
      points.set(this.#point, (points.get(this.#point) ?? '') + text)
    }
  }

  #openPart(part: 'name' | 'categories' | 'values'): XmlEnd {
    this.#part = part
    return () => {
      this.#part = undefined
    }
  }

  #openParagraph(): XmlEnd {
    this.#paragraph = ''
    return () => {
      const text = this.#paragraph?.trim() ?? ''
      this.#paragraph = undefined
      if (text !== '') this.titles.push(text)
    }
  }
}

/** Values are stored with all their digits. */
const shortened = (value: string): string =>
  /^-?\d+\.\d{5,}(?:e[-+]?\d+)?$/i.test(value) ? String(Number(Number(value).toPrecision(6))) : value

/** A chart as its titles and the table of its values. */
export const readChart = async (
  chunks: AsyncIterable<Uint8Array>,
  place: Place,
  budget: CellBudget,
): Promise<Block[]> => {
  const chart = new ChartReader(budget)
  await parseXml(chunks, chart)
  const blocks: Block[] = chart.titles.map(text => ({ kind: 'paragraph', text, ...place }))
  const { series } = chart
  const categories = series.find(each => each.categories.size > 0)?.categories ?? new Map<number, string>()
  const points = [...new Set(series.flatMap(each => [...each.categories.keys(), ...each.values.keys()]))]
  const rows = points
    .sort((one, other) => one - other)
    .map(point => [
      categories.get(point) ?? '',
      ...series.map(({ values }) => shortened(values.get(point) ?? '')),
    ])
  budget.takePadded(rows.length * (series.length + 1))
  if (rows.length > 0)
    blocks.push({ kind: 'table', header: ['', ...series.map(({ name }) => name)], rows, ...place })
  return blocks
}
