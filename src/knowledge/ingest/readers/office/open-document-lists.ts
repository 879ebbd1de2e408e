import { type LevelFormat, ListCounter } from './list-numbers.ts'
import type { XmlAttributes } from './xml-parser.ts'

/** Levels count from 0; bullets have no format. */
type ListStyle = Map<number, LevelFormat | undefined>

interface ParagraphStyle {
  list: string | undefined
  base: string | undefined
}

interface OpenList {
  style: string | undefined
  counter: ListCounter
}

const numberFormats = new Map([
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
  ['一, 二, 三, ...', 'chineseCounting'],
  ['①, ②, ③, ...', 'decimalEnclosedCircle'],
  ['甲, 乙, 丙, ...', 'ideographTraditional'],
  ['子, 丑, 寅, ...', 'ideographZodiac'],
  ['１, ２, ３, ...', 'decimalFullWidth'],
])

const maxBases = 20
const maxLevels = 10

const positive = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined

const levelIn = (attributes: XmlAttributes): number =>
  Math.min(maxLevels, Math.max(1, positive(attributes['level']) ?? 1)) - 1

const formatOf = (attributes: XmlAttributes, level: number): LevelFormat | undefined => {
  const { 'num-format': name = '1', 'num-list-format': list, 'num-prefix': prefix = '' } = attributes
  if (name === '') return { format: 'none', template: '', start: positive(attributes['start-value']) ?? 1 }
  const shown = Math.min(positive(attributes['display-levels']) ?? 1, level + 1)
  const numbers = Array.from({ length: shown }, (_, index) => `%${level + 2 - shown + index}`).join('.')
  const suffix = attributes['num-suffix'] ?? (attributes['num-format'] === undefined ? '.' : '')
  return {
    format: numberFormats.get(name) ?? 'decimal',
    template: list?.replace(/%(\d{1,2})%/g, '%$1') ?? `${prefix}${numbers}${suffix}`,
    start: positive(attributes['start-value']) ?? 1,
  }
}

/** The styles of lists and headings, and the numbers that items get by them. */
export class OpenDocumentLists {
  readonly #styles = new Map<string, ListStyle>()
  readonly #paragraphs = new Map<string, ParagraphStyle>()
  readonly #outline: ListStyle = new Map()
  readonly #headings = new ListCounter()
  /** Counters by list and by style, because a list may continue another one. */
  readonly #byId = new Map<string, ListCounter>()
  readonly #byStyle = new Map<string, ListCounter>()
  readonly #open: OpenList[] = []
  #style: ListStyle | undefined
  #hasMark = false

  /** Takes a definition from the styles; they precede the text. */
  define(name: string, attributes: XmlAttributes): void {
    if (name === 'list-style') {
      this.#style = new Map()
      this.#styles.set(attributes['name'] ?? '', this.#style)
    } else if (name === 'outline-style') this.#style = this.#outline
    else if (name === 'list-level-style-number' || name === 'outline-level-style') {
      const level = levelIn(attributes)
      // The outline numbers nothing unless it says so.
      const isOff = name === 'outline-level-style' && attributes['num-format'] === undefined
      this.#style?.set(level, formatOf(isOff ? { ...attributes, 'num-format': '' } : attributes, level))
    } else if (name === 'style' && attributes['family'] === 'paragraph')
      this.#paragraphs.set(attributes['name'] ?? '', {
        list: attributes['list-style-name'],
        base: attributes['parent-style-name'],
      })
  }

  openList(attributes: XmlAttributes): () => void {
    const outer = this.#open.at(-1)
    const style = attributes['style-name'] ?? outer?.style
    const counter = outer?.counter ?? this.#counterFor(attributes, style ?? '')
    if (!outer && attributes['id'] !== undefined) this.#byId.set(attributes['id'], counter)
    this.#byStyle.set(style ?? '', counter)
    this.#open.push({ style, counter })
    return () => {
      this.#open.pop()
    }
  }

  #counterFor(attributes: XmlAttributes, style: string): ListCounter {
    const continued = this.#byId.get(attributes['continue-list'] ?? '')
    if (continued) return continued
    const previous = attributes['continue-numbering'] === 'true' ? this.#byStyle.get(style) : undefined
    return previous ?? new ListCounter()
  }

  openItem(attributes: XmlAttributes): () => void {
    const start = positive(attributes['start-value'])
    if (start !== undefined) this.#open.at(-1)?.counter.restart(this.#open.length - 1, start)
    this.#hasMark = this.#open.length > 0
    return () => {
      this.#hasMark = false
    }
  }

  /** The marker of a paragraph: only the first one of an item has one. */
  marker(paragraphStyle: string | undefined): string {
    const list = this.#open.at(-1)
    if (!this.#hasMark || !list) return ''
    this.#hasMark = false
    const style = this.#styles.get(list.style ?? this.#listStyleOf(paragraphStyle) ?? '')
    const level = this.#open.length - 1
    const label = list.counter.next(level, each => style?.get(each)).trim()
    const format = style?.get(level)?.format
    if (format === undefined) return '- '
    return format === 'none' || label === '' ? '' : `${label} `
  }

  headingMark(attributes: XmlAttributes, level: number): string {
    if (this.#open.length > 0) {
      const mark = this.marker(attributes['style-name'])
      return mark === '- ' ? '' : mark
    }
    const format = this.#outline.get(level - 1)?.format
    if (format === undefined || format === 'none' || attributes['is-list-header'] === 'true') return ''
    const start = positive(attributes['start-value'])
    if (start !== undefined && attributes['restart-numbering'] === 'true')
      this.#headings.restart(level - 1, start)
    const label = this.#headings.next(level - 1, each => this.#outline.get(each)).trim()
    return label === '' ? '' : `${label} `
  }

  #listStyleOf(paragraphStyle: string | undefined): string | undefined {
    let name = paragraphStyle
    for (let bases = 0; name !== undefined && bases < maxBases; bases++) {
      const style = this.#paragraphs.get(name)
      if (style?.list !== undefined) return style.list
      name = style?.base
    }
    return undefined
  }
}
