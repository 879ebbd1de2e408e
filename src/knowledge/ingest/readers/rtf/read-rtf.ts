import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { Margins } from '../office/margins.ts'
import { CellBudget, DocumentTable } from '../office/tables.ts'
import { encodingOfCodePage } from '../text/code-pages.ts'
import { type Script, scriptText } from '../text/raised-text.ts'

/** The character set of a font, and its code page. */
const charsets: Record<number, number> = {
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

/** Groups whose text is not part of the document. */
const skipped = new Set(
  (
    'fonttbl colortbl filetbl info pict object objdata themedata colorschememapping datastore latentstyles rsidtbl ' +
    'generator listtable listoverridetable revtbl xmlnstbl fldinst template private bkmkstart bkmkend atnid atrfstart ' +
    'atrfend atnref atndate atnicn datafield nonshppict pgptbl pnseclvl mmathPr sn formfield tc xe'
  ).split(' '),
)
/** Groups that old programs may ignore, and whose text is shown nevertheless. */
const shownExtensions = new Set('shpinst shptxt sv annotation atnauthor ud shppict'.split(' '))

const symbols: Record<string, string> = {
  ...{ tab: '\t', line: '\n', lbr: '\n', softline: '\n', emdash: '—', endash: '–', bullet: '•', cell: '' },
  ...{ lquote: '‘', rquote: '’', ldblquote: '“', rdblquote: '”', emspace: ' ', enspace: ' ', qmspace: ' ' },
}

const maxDepth = 1000
const maxBlocksHeld = 64

interface Group {
  skipped: boolean
  /** Characters after a `\u` that repeat it for programs without Unicode. */
  repeats: number
  codePage: number
  hidden: boolean
  script: Script | undefined
  /** Whether the group is a footnote or comment, whose text is kept out of the paragraph. */
  note: boolean
  /** Set in a header or footer, whose text is kept out of the paragraph as well. */
  margin: 'header' | 'footer' | undefined
  isFontTable: boolean
  isStylesheet: boolean
}

const tokens = (): RegExp =>
  /\{|\}|\\'([0-9a-f]{2})|\\([a-z]{1,32})(-?\d{1,10})? ?|\\([^a-z])|([^{}\\\r\n]+)|[\r\n]+/gi

/** Rich Text Format: a tree of groups with control words, in ASCII with escapes for everything else. */
class RtfReader {
  readonly ready: Block[] = []
  readonly #groups: Group[] = []
  readonly #budget = new CellBudget()
  #group: Group = {
    skipped: false,
    repeats: 1,
    codePage: 1252,
    hidden: false,
    script: undefined,
    note: false,
    margin: undefined,
    isFontTable: false,
    isStylesheet: false,
  }
  readonly #fonts = new Map<number, number>()
  #font = 0
  /** Heading levels of styles. */
  readonly #styles = new Map<number, number>()
  #style = 0
  #styleName = ''
  #defaultCodePage = 1252
  #bytes: number[] = []
  #toSkip = 0
  #text = ''
  #level: number | undefined
  #inTable = false
  #table: DocumentTable | undefined
  #endRow: (() => void) | undefined
  #endCell: (() => void) | undefined
  #notes: string[] = []
  #note = ''
  readonly #margins = new Margins()
  #margin = ''
  #ignorable = false
  #justOpened = false

  open(): void {
    this.#flushBytes()
    if (this.#groups.length >= maxDepth)
      throw new DocumentFailure(
        'too_complex',
        `The file has more than ${maxDepth} nested groups. Simplify it.`,
      )
    this.#groups.push(this.#group)
    this.#group = { ...this.#group }
    this.#justOpened = true
    this.#ignorable = false
  }

  close(): void {
    this.#flushBytes()
    const closed = this.#group
    const outer = this.#groups.pop()
    if (!outer) return
    this.#group = outer
    if (closed.note && !outer.note) {
      if (this.#note.trim() !== '') this.#notes.push(this.#note.trim())
      this.#note = ''
    }
    if (closed.margin && !outer.margin) {
      this.#margins.add(closed.margin, this.#margin)
      this.#margin = ''
    }
  }

  byte(value: number): void {
    if (this.#toSkip > 0) this.#toSkip--
    else this.#bytes.push(value)
  }

  text(text: string): void {
    const rest = this.#toSkip > 0 ? text.slice(this.#toSkip) : text
    this.#toSkip = Math.max(0, this.#toSkip - text.length)
    if (rest === '') return
    // Two-byte characters may have a letter as their second byte, written as it is.
    if (this.#bytes.length > 0 || /[^\x00-\x7f]/.test(rest)) {
      for (const letter of rest) this.#bytes.push(letter.charCodeAt(0) & 0xff)
    } else this.#add(rest)
  }

  symbol(sign: string): void {
    const isFirst = this.#justOpened
    this.#justOpened = false
    if (sign === '*') {
      // The marker only counts at the start of a group.
      this.#ignorable = isFirst
      return
    }
    this.#flushBytes()
    if (sign === '~') this.#add('\u00a0')
    else if (sign === '_') this.#add('-')
    else if (sign === '\\' || sign === '{' || sign === '}') this.#skipOr(sign)
    else if (sign === '\n' || sign === '\r') this.#endParagraph()
  }

  word(name: string, value: number | undefined): void {
    if (this.#toSkip > 0 && name !== 'u') this.#toSkip--
    this.#flushBytes()
    const group = this.#group
    const isIgnorable = this.#ignorable
    this.#justOpened = false
    this.#ignorable = false
    if (isIgnorable && !shownExtensions.has(name)) group.skipped = true
    if (name === 'fonttbl') group.isFontTable = true
    if (name === 'stylesheet') group.isStylesheet = true
    if (skipped.has(name) && value === undefined) group.skipped = true
    this.#property(name, value, group)
    if (group.skipped || group.isStylesheet) return
    const margin = value === undefined ? /^(header|footer)[lrf]?$/.exec(name)?.[1] : undefined
    if (margin !== undefined) group.margin = margin as 'header' | 'footer'
    else if (group.margin && /^(?:par|line|cell|nestcell|row|trowd|sect|page)$/.test(name))
      this.#margin += ' '
    else if (name === 'footnote' || name === 'annotation') {
      group.note = true
      this.#text += this.#groups.at(-1)?.note || group.skipped ? '' : `[${this.#notes.length + 1}]`
    } else if (name === 'u' && value !== undefined) {
      this.#add(String.fromCharCode(value < 0 ? value + 65_536 : value))
      this.#toSkip = group.repeats
    } else if (name === 'par' && group.hidden) return
    else if (name === 'par' || name === 'sect' || name === 'page') this.#endParagraph()
    else if (name === 'trowd') this.#startRow()
    else if (name === 'cell' || name === 'nestcell') this.#finishCell(name === 'nestcell')
    else if (name === 'row') this.#finishRow()
    else if (symbols[name] !== undefined) this.#add(symbols[name])
  }

  #property(name: string, value: number | undefined, group: Group): void {
    if (name === 'ansicpg' && value) {
      this.#defaultCodePage = value
      for (const each of [...this.#groups, group]) each.codePage = value
    } else if (name === 'uc') group.repeats = Math.max(0, Math.min(value ?? 1, 16))
    else if (name === 'v' || name === 'deleted') group.hidden = value !== 0
    else if (name === 'super' || name === 'sub') group.script = value === 0 ? undefined : name
    else if (name === 'nosupersub') group.script = undefined
    else if (name === 'plain') {
      group.hidden = false
      group.script = undefined
      group.codePage = this.#defaultCodePage
    } else if (name === 'f' && value !== undefined) {
      this.#font = value
      if (!group.isFontTable) group.codePage = this.#fonts.get(value) ?? this.#defaultCodePage
    } else if (name === 'fcharset' && group.isFontTable)
      this.#fonts.set(this.#font, charsets[value ?? 0] ?? this.#defaultCodePage)
    else if (name === 's' && group.isStylesheet) {
      this.#style = value ?? 0
      this.#styleName = ''
    } else if (name === 's') this.#level = this.#styles.get(value ?? 0)
    else if (name === 'outlinelevel' && value !== undefined && !group.isStylesheet)
      this.#level = value < 9 ? value + 1 : undefined
    else if (name === 'pard') {
      this.#level = undefined
      this.#inTable = false
    } else if (name === 'intbl') this.#inTable = true
  }

  #skipOr(sign: string): void {
    if (this.#toSkip > 0) this.#toSkip--
    else this.#add(sign)
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return
    const bytes = Uint8Array.from(this.#bytes)
    this.#bytes = []
    this.#add(new TextDecoder(encodingOfCodePage(this.#group.codePage)).decode(bytes))
  }

  #add(text: string): void {
    const { skipped: isSkipped, hidden, note, margin, isStylesheet, script } = this.#group
    if (isStylesheet) this.#nameStyle(text)
    else if (isSkipped || hidden) return
    else if (margin) this.#margin += text
    else if (note) this.#note += text
    else this.#text += scriptText(text, script)
  }

  #nameStyle(text: string): void {
    this.#styleName += text
    const level = /^\s*(?:heading|标题|überschrift|titre)\s*([1-9])\s*;/i.exec(this.#styleName)?.[1]
    if (level !== undefined) this.#styles.set(this.#style, Number(level))
    if (text.includes(';')) this.#styleName = ''
  }

  #endParagraph(): void {
    if (this.#group.note) {
      this.#note += '\n'
      return
    }
    const text = this.#text.trim()
    this.#text = ''
    if (this.#inTable && this.#table) {
      this.#openCell()
      this.#table.add(text)
      return
    }
    this.#finishTable()
    if (text === '') return
    if (this.#level === undefined)
      this.ready.push({ kind: 'paragraph', text: text.replace(/^[·•o§]\s*\t/, '- ').replace('\t', ' ') })
    else this.ready.push({ kind: 'heading', level: this.#level, text })
  }

  #startRow(): void {
    this.#inTable = true
    this.#table ??= new DocumentTable({}, this.#budget)
    this.#endRow ??= this.#table.openRow()
  }

  #openCell(): void {
    if (!this.#table) this.#startRow()
    this.#endRow ??= this.#table!.openRow()
    this.#endCell ??= this.#table!.openCell()
  }

  /** The cells of a nested table become text of the cell around it. */
  #finishCell(isNested: boolean): void {
    this.#inTable = true
    this.#openCell()
    this.#table!.add(this.#text)
    this.#text = ''
    if (isNested) return
    this.#endCell?.()
    this.#endCell = undefined
  }

  #finishRow(): void {
    this.#endCell?.()
    this.#endRow?.()
    this.#endCell = undefined
    this.#endRow = undefined
  }

  #finishTable(): void {
    if (!this.#table) return
    this.#finishRow()
    this.ready.push(...this.#table.blocks())
    this.#table = undefined
  }

  end(): void {
    this.#flushBytes()
    this.#inTable = false
    this.#endParagraph()
    this.#finishTable()
    for (const [index, text] of this.#notes.entries())
      this.ready.push({ kind: 'paragraph', text: `[${index + 1}] ${text}` })
    this.ready.push(...this.#margins.blocks())
  }
}

export function* readRtf(bytes: Uint8Array): Generator<Block> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!/^\s*\{\s*\\rtf/.test(source.slice(0, 100)))
    throw new DocumentFailure(
      'broken_file',
      'The file is not in Rich Text Format, although its name says so.',
    )
  const reader = new RtfReader()
  const token = tokens()
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [whole, hex, word, value, symbol, text] = match
    if (whole === '{') reader.open()
    else if (whole === '}') reader.close()
    else if (hex !== undefined) reader.byte(Number.parseInt(hex, 16))
    // Binary data follows the number of its bytes.
    else if (word === 'bin') token.lastIndex += Math.max(0, Number(value ?? 0))
    else if (word !== undefined) reader.word(word, value === undefined ? undefined : Number(value))
    else if (symbol !== undefined) reader.symbol(symbol)
    else if (text !== undefined) reader.text(text)
    if (reader.ready.length > maxBlocksHeld) yield* reader.ready.splice(0)
  }
  reader.end()
  yield* reader.ready
}
