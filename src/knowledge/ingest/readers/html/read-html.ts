import type { Block } from '../../block.ts'
import { isUnspaced } from '../text/lines.ts'
import { type Script, scriptText } from '../text/raised-text.ts'
import {
  areaOf,
  blockTags,
  type Frame,
  Frames,
  isDropped,
  isNamedLikeMenu,
  landmarkLabel,
  unseenInDrawings,
  voidTags,
} from './elements.ts'
import { HtmlTable, type Item } from './html-table.ts'
import { PageMath } from './page-math.ts'
import { menuBlocks, partsOf } from './page-parts.ts'
import { type Attributes, declaresXhtml, type HtmlEvents, tokenizeHtml } from './tokenize-html.ts'

/** Collapses white space as a browser does; a line break between Chinese characters is dropped. */
const collapse = (text: string): string =>
  text.replace(/[ \t\n\r\f]+/g, (run, at: number) =>
    run.includes('\n') && isUnspaced(text[at - 1]) && isUnspaced(text[at + run.length]) ? '' : ' ',
  )

const headingLevel = (name: string): number => (/^h[1-6]$/.test(name) ? Number(name[1]) : 0)

const isMath = (name: string): boolean => name === 'math' || name.endsWith(':math')

const isPre = (name: string): boolean => name === 'pre' || name === 'xmp' || name === 'listing'

const scripts = new Map<string, Script>([
  ['sup', 'super'],
  ['sub', 'sub'],
])

/** Longer "headings" are text after a missing end tag. */
const maxHeadingLength = 300

/** Converts the tags and text of a page into blocks in one pass. */
class HtmlReader implements HtmlEvents {
  readonly items: Item[] = []
  title = ''
  /** The first h1 in the page's chrome, used when there is no other title. */
  chromeTitle = ''
  readonly #frames = new Frames(frame => this.#closed(frame))
  /** `outside` receives the blocks after the table. */
  readonly #tables: { table: HtmlTable; outside: Item[] }[] = []
  #sink = this.items
  #pieces: string[] = []
  /** Where the text of the last `sup` or `sub` begins in `#pieces`. */
  #scriptStart = 0
  #linked = 0
  #mark = ''
  #heading = 0
  #inPre = false
  #math: PageMath | undefined
  #isMathBlock = false
  /** The number of pieces after the last formula. */
  #mathEnd = -1

  open(name: string, attributes: Attributes, selfClosing: boolean): void {
    if (this.#math) {
      if (this.#math.isSkipping || !blockTags.has(name)) {
        this.#math.open(name, selfClosing)
        return
      }
      // Its end tag is missing.
      this.#endMath()
    }
    if (isMath(name) && this.#openMath(name, attributes, selfClosing)) return
    if (voidTags.has(name)) {
      this.#void(name, attributes)
      return
    }
    // Labels of a drawing are placed apart.
    if (name === 'text') this.text(' ')
    const block = blockTags.has(name)
    this.#frames.closeImplied(name, block)
    if (block && !this.#frames.top.dropped) this.#breakAt(name)
    const frame = this.#frameOf(name, block, attributes)
    if (!block && !this.#matters(frame)) return
    if (!this.#frames.push(frame)) return
    if (!frame.dropped) this.#opened(frame, attributes)
    if (selfClosing) this.#frames.close(name)
  }

  close(name: string): void {
    if (this.#math) {
      if (isMath(name)) this.#endMath()
      if (!this.#math || this.#math.close(name) || this.#math.isSkipping || !blockTags.has(name)) return
      this.#endMath()
    }
    if (name === 'br') this.#void(name, new Map())
    else if (!voidTags.has(name)) this.#frames.close(name)
  }

  text(data: string): void {
    if (this.#math) {
      this.#math.text(data)
      return
    }
    const top = this.#frames.top
    if (top.name === 'title' && !top.dropped) this.title += data
    else if (!top.dropped && data !== '') {
      this.#pieces.push(data)
      if (top.link) this.#linked += data.trim().length
    }
  }

  end(): void {
    if (this.#math) this.#endMath()
    this.#frames.closeAll()
    this.#flush()
  }

  #openMath(name: string, attributes: Attributes, selfClosing: boolean): boolean {
    if (this.#frames.top.dropped || isDropped(name, attributes)) return false
    this.#isMathBlock = attributes.get('display') === 'block'
    this.#math = new PageMath()
    if (selfClosing) this.#endMath()
    return true
  }

  #endMath(): void {
    const line = this.#math!.finish()
    this.#math = undefined
    if (line === '') return
    if (this.#isMathBlock) this.#void('br', new Map())
    this.#pieces.push(line)
    if (this.#isMathBlock) this.#void('br', new Map())
    this.#mathEnd = this.#pieces.length
  }

  /** Inline elements are tracked only if they change state or if their end tag could close one that does. */
  #matters(frame: Frame): boolean {
    const top = this.#frames.top
    return (
      frame.dropped !== top.dropped ||
      frame.link !== top.link ||
      frame.area !== top.area ||
      scripts.has(frame.name) ||
      this.#frames.has(frame.name)
    )
  }

  #frameOf(name: string, block: boolean, attributes: Attributes): Frame {
    const parent = this.#frames.top
    const isList = name === 'ul' || name === 'ol' || name === 'menu'
    const start = Number.parseInt(attributes.get('start') ?? '1', 10)
    return {
      name,
      block,
      dropped:
        parent.dropped ||
        isDropped(name, attributes) ||
        // KaTeX draws each formula after its MathML.
        (this.#pieces.length === this.#mathEnd && attributes.get('aria-hidden') === 'true') ||
        (unseenInDrawings.has(name) && this.#frames.has('svg')),
      link: parent.link || name === 'a',
      area: areaOf(name, attributes, parent.area, parent.inSection),
      label: landmarkLabel(name, attributes) ?? parent.label,
      inSection: parent.inSection || name === 'section',
      menu: isNamedLikeMenu(name, attributes) ? { text: 0, linked: 0 } : parent.menu,
      list: isList ? { ordered: name === 'ol', next: Number.isNaN(start) ? 1 : start } : parent.list,
    }
  }

  /** Inside a heading or preformatted text a block element is only a break. */
  #breakAt(name: string): void {
    if (this.#inPre) this.#newLine()
    else if (this.#heading > 0 && headingLevel(name) === 0) this.#pieces.push(' ')
    else this.#flush()
  }

  #newLine(): void {
    const last = this.#pieces.at(-1)
    if (last !== undefined && !last.endsWith('\n')) this.#pieces.push('\n')
  }

  #opened(frame: Frame, attributes: Attributes): void {
    const { name } = frame
    if (scripts.has(name)) this.#scriptStart = this.#pieces.length
    else if (headingLevel(name) > 0 && !this.#inPre) this.#heading = headingLevel(name)
    else if (name === 'li') this.#mark = frame.list?.ordered ? `${frame.list.next++}. ` : '- '
    else if (isPre(name)) this.#inPre = true
    else if (name === 'table') this.#tables.push({ table: new HtmlTable(attributes), outside: this.#sink })
    else if (name === 'tr') this.#tables.at(-1)?.table.startRow(this.#frames.has('thead'))
    else if (name === 'td' || name === 'th') {
      const cell = this.#tables.at(-1)?.table.startCell(name === 'th', this.#frames.has('thead'), attributes)
      if (cell) this.#sink = cell
    }
  }

  #closed(frame: Frame): void {
    const { name } = frame
    const script = scripts.get(name)
    if (script && !frame.dropped) this.#endScript(script)
    if (frame.dropped || !frame.block) return
    if (this.#inPre && !isPre(name)) {
      this.#newLine()
      return
    }
    if (this.#heading > 0 && headingLevel(name) === 0 && name !== 'td' && name !== 'th') {
      this.#pieces.push(' ')
      return
    }
    this.#flush(frame)
    if (headingLevel(name) > 0) this.#heading = 0
    if (isPre(name)) this.#inPre = false
    if (name === 'li') this.#mark = ''
    const open = this.#tables.at(-1)
    if (open && (name === 'td' || name === 'th')) this.#sink = open.outside
    if (open && name === 'table') this.#closeTable(frame)
  }

  /** Converts at the end of the element, because a number can come in several pieces: "&minus;" and "1". */
  #endScript(script: Script): void {
    const text = this.#pieces.splice(this.#scriptStart).join('')
    if (text !== '') this.#pieces.push(scriptText(text, script))
    this.#scriptStart = this.#pieces.length
  }

  #closeTable(frame: Frame): void {
    const { table, outside } = this.#tables.pop()!
    this.#sink = outside
    for (const item of table.finish(frame)) outside.push(item)
    this.#tables.at(-1)?.table.addNested(table.depth)
  }

  #void(name: string, attributes: Attributes): void {
    if (this.#frames.top.dropped) return
    if (name === 'br') this.#pieces.push(this.#heading > 0 ? ' ' : '\u000b')
    else if (name === 'hr') this.#breakAt(name)
    else if (name === 'img' && !isDropped(name, attributes)) this.text(attributes.get('alt') ?? '')
  }

  #blockOf(raw: string): Block | undefined {
    if (this.#inPre) {
      const text = raw
        .replaceAll('\u000b', '\n')
        .replace(/^\r?\n/, '')
        .trimEnd()
      return text.trim() === '' ? undefined : { kind: 'code', text }
    }
    const text = collapse(raw)
      .replace(/ ?\u000b ?/g, '\n')
      .trim()
    if (text === '') return undefined
    if (this.#heading > 0 && text.length <= maxHeadingLength)
      return { kind: 'heading', level: this.#heading, text }
    return { kind: 'paragraph', text: this.#mark + text }
  }

  #flush(frame: Frame = this.#frames.top): void {
    if (this.#pieces.length === 0) return
    const block = this.#blockOf(this.#pieces.join(''))
    const linked = this.#linked
    this.#pieces = []
    this.#scriptStart = 0
    this.#mathEnd = -1
    this.#linked = 0
    if (!block || block.kind === 'table') return
    this.#mark = ''
    const { area, menu, label } = frame
    if (menu) {
      menu.text += block.text.length
      menu.linked += linked
    }
    if (area === 'chrome' && block.kind === 'heading' && block.level === 1) this.chromeTitle ||= block.text
    this.#sink.push({ block, area, menu, label, linked })
  }
}

const words = /[\p{L}\p{N}]+/gu

/**
 * The text of a page, without scripts and hidden elements: its content, then the notes around it, then its menus. The
 * title of a chapter is mostly that of the book, and only used if the chapter has no other.
 */
export function* readHtml(html: string, isXhtml = declaresXhtml(html), isChapter = false): Generator<Block> {
  const reader = new HtmlReader()
  tokenizeHtml(html, isXhtml, reader)
  reader.end()
  const { text, menus } = partsOf(reader.items)
  const ownTitle = reader.title.trim().replace(/\s+/g, ' ')
  const title = ownTitle || reader.chromeTitle.replace(/\s+/g, ' ')
  const headings = text.flatMap(block => (block.kind === 'heading' && block.level === 1 ? block.text : []))
  if (title !== '' && headings.length === 0) yield { kind: 'heading', level: 1, text: title }
  else if (!isChapter && saysMore(ownTitle, headings.join('\n'))) yield { kind: 'paragraph', text: ownTitle }
  yield* text
  // Without any text, the page consists of its menus.
  yield* menuBlocks(menus, text.length > 0)
}

/** Whether a title has words that the headings lack. */
const saysMore = (title: string, headings: string): boolean => {
  const known = headings.toLowerCase()
  return (title.toLowerCase().match(words) ?? []).some(word => !known.includes(word))
}
