import type { Block, Place } from '../../block.ts'
import type { CellBudget } from './tables.ts'
import { parseXml } from './xml-parser.ts'

interface Series {
  name: string
  /** Texts by their position. */
  categories: Map<number, string>
  values: Map<number, string>
}

const maxPoints = 10_000

/** Values are stored with all their digits. */
const shortened = (value: string): string =>
  /^-?\d+\.\d{5,}(?:e[-+]?\d+)?$/i.test(value) ? String(Number(Number(value).toPrecision(6))) : value

/** A chart as its titles and the table of the values that it was last drawn with. */
export const readChart = async (
  chunks: AsyncIterable<Uint8Array>,
  place: Place,
  budget: CellBudget,
): Promise<Block[]> => {
  const titles: string[] = []
  const series: Series[] = []
  let paragraph: string | undefined
  let part: keyof Series | undefined
  let point = 0
  const openPart = (opened: keyof Series) => {
    part = opened
    return () => {
      part = undefined
    }
  }
  const openParagraph = () => {
    paragraph = ''
    return () => {
      const text = paragraph?.trim() ?? ''
      paragraph = undefined
      if (text !== '') titles.push(text)
    }
  }
  await parseXml(chunks, {
    open(name, { idx }) {
      if (name === 'ser') series.push({ name: '', categories: new Map(), values: new Map() })
      else if (name === 'tx' && series.length > 0) return openPart('name')
      else if (name === 'cat' || name === 'xVal') return openPart('categories')
      else if (name === 'val' || name === 'yVal') return openPart('values')
      else if (name === 'pt') point = Math.min(maxPoints, Math.max(0, Math.trunc(Number(idx)) || 0))
      else if (name === 'p') return openParagraph()
    },
    text(text, parent) {
      if (parent === 't' && paragraph !== undefined) paragraph += text
      const last = series.at(-1)
      if (parent !== 'v' || !last || !part) return
      if (part === 'name') last.name += text
      else {
        const points = last[part]
        if (!points.has(point)) budget.take(1)
        points.set(point, (points.get(point) ?? '') + text)
      }
    },
  })
  const blocks: Block[] = titles.map(text => ({ kind: 'paragraph', text, ...place }))
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
