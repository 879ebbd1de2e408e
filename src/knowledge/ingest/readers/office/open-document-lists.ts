import { type LevelFormat, ListCounter } from './list-numbers.ts'
import type { XmlAttributes } from './xml-parser.ts'

interface ListStyle {
  /** Levels count from 0; bullets have no format. */
  levels: Map<number, LevelFormat>
  /** Whether the items of all levels are counted together. */
  isConsecutive: boolean
}

interface ParagraphStyle {
  list: string | undefined
  base: string | undefined
}

interface OpenList {
  style: string | undefined
  /** The style of the open item, if it differs from that of the list. */
  itemStyle: string | undefined
  counter: ListCounter
}

const numberFormats = new Map([
  ['a', 'lowerAlphabetic'],
  ['A', 'upperAlphabetic'],
  ['a synchronized', 'lowerLetter'],
  ['A synchronized', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
  ['一, 二, 三, ...', 'chineseCounting'],
  ['壹, 贰, 叁, ...', 'chineseLegalSimplified'],
  ['壹, 貳, 參, ...', 'ideographLegalTraditional'],
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

const formatOf = (attributes: XmlAttributes, level: number): LevelFormat => {
  const { 'num-format': name = '1', 'num-list-format': list, 'num-prefix': prefix = '' } = attributes
  const suffix = attributes['num-suffix'] ?? (attributes['num-format'] === undefined ? '.' : '')
  const start = positive(attributes['start-value']) ?? 1
  if (name === '') return { format: 'none', template: `${prefix}${suffix}`, start }
  const shown = Math.min(positive(attributes['display-levels']) ?? 1, level + 1)
  const numbers = Array.from({ length: shown }, (_, index) => `%${level + 2 - shown + index}`).join('.')
  const key = attributes['num-letter-sync'] === 'true' ? `${name} synchronized` : name
  return {
    format: numberFormats.get(key) ?? numberFormats.get(name) ?? 'decimal',
    template: list?.replace(/%(\d{1,2})%/g, '%$1') ?? `${prefix}${numbers}${suffix}`,
    start,
  }
}

const spaced = (label: string): string => (label.trim() === '' ? '' : `${label.trim()} `)

/** The styles of lists and headings, and the numbers that items get by them. */
export class OpenDocumentLists {
  readonly #styles = new Map<string, ListStyle>()
  readonly #paragraphs = new Map<string, ParagraphStyle>()
  readonly #outline: ListStyle = { levels: new Map(), isConsecutive: false }
  readonly #headings = new ListCounter()
  /** Counters by list and by style, because a list may continue another one. */
  readonly #byId = new Map<string, ListCounter>()
  readonly #byStyle = new Map<string, ListCounter>()
  #open: OpenList[] = []
  #style: ListStyle | undefined
  #hasMark = false

  /** Takes a definition from the styles; they precede the text. */
  define(name: string, attributes: XmlAttributes): void {
    if (name === 'list-style') {
      this.#style = { levels: new Map(), isConsecutive: attributes['consecutive-numbering'] === 'true' }
      this.#styles.set(attributes['name'] ?? '', this.#style)
    } else if (name === 'outline-style') {
      this.#style = this.#outline
      this.#styles.set(attributes['name'] ?? 'Outline', this.#outline)
    } else if (name === 'list-level-style-number' || name === 'outline-level-style') {
      const changed = { ...attributes }
      // The outline numbers nothing unless it says so.
      if (name === 'outline-level-style') changed['num-format'] ??= ''
      if (this.#style?.isConsecutive) changed['num-list-format'] = undefined
      const level = levelIn(attributes)
      this.#style?.levels.set(level, formatOf(changed, this.#style.isConsecutive ? 0 : level))
    } else if (name === 'style' && attributes['family'] === 'paragraph')
      this.#paragraphs.set(attributes['name'] ?? '', {
        list: attributes['list-style-name'],
        base: attributes['parent-style-name'],
      })
  }

  openList(attributes: XmlAttributes): () => void {
    const outer = this.#open.at(-1)
    const style = attributes['style-name'] ?? outer?.itemStyle ?? outer?.style
    const counter = outer?.counter ?? this.#counterFor(attributes, style ?? '')
    if (!outer && attributes['id'] !== undefined) this.#byId.set(attributes['id'], counter)
    this.#byStyle.set(style ?? '', counter)
    this.#open.push({ style, itemStyle: undefined, counter })
    return () => {
      this.#open.pop()
    }
  }

  #counterFor(attributes: XmlAttributes, style: string): ListCounter {
    const continued = this.#byId.get(attributes['continue-list'] ?? '')
    if (continued) return continued
    if (this.#styles.get(style) === this.#outline) return this.#headings
    const previous = attributes['continue-numbering'] === 'true' ? this.#byStyle.get(style) : undefined
    return previous ?? new ListCounter()
  }

  openItem(attributes: XmlAttributes): () => void {
    const start = positive(attributes['start-value'])
    const list = this.#open.at(-1)
    if (start !== undefined) list?.counter.restart(this.#open.length - 1, start)
    if (list) list.itemStyle = attributes['style-override']
    this.#hasMark = list !== undefined
    return () => {
      this.#hasMark = false
    }
  }

  /** Opens an item that is a single paragraph; its list may be anywhere else. */
  openNumberedParagraph(attributes: XmlAttributes): () => void {
    const id = attributes['list-id']
    const outermost = { ...attributes, id, 'continue-list': id }
    const ends = Array.from({ length: levelIn(attributes) + 1 }, (_, above) =>
      this.openList(above === 0 ? outermost : {}),
    )
    const end = this.openItem(attributes)
    return () => {
      end()
      for (const endList of ends) endList()
    }
  }

  /** Called for content of a paragraph, such as a note, which is outside of the list around the paragraph. */
  suspend(): () => void {
    const lists = this.#open
    if (lists.length > 0) this.#open = []
    return () => {
      this.#open = lists
    }
  }

  /** The marker of a paragraph: only the first one of an item has one. */
  marker(paragraphStyle: string | undefined): string {
    const list = this.#open.at(-1)
    if (!this.#hasMark || !list) return ''
    this.#hasMark = false
    const style = this.#styles.get(list.itemStyle ?? list.style ?? this.#listStyleOf(paragraphStyle) ?? '')
    const level = Math.min(this.#open.length, maxLevels) - 1
    const own = style?.levels.get(level)
    const label = style?.isConsecutive
      ? list.counter.next(0, () => own)
      : list.counter.next(level, each => style?.levels.get(each))
    return own ? spaced(label) : '- '
  }

  headingMark(attributes: XmlAttributes, level: number): string {
    if (this.#open.length > 0) {
      const mark = this.marker(attributes['style-name'])
      return mark === '- ' ? '' : mark
    }
    const format = this.#outline.levels.get(level - 1)
    if (!format || attributes['is-list-header'] === 'true') return ''
    if (attributes['restart-numbering'] === 'true')
      this.#headings.restart(level - 1, positive(attributes['start-value']) ?? format.start)
    return spaced(this.#headings.next(level - 1, each => this.#outline.levels.get(each)))
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
