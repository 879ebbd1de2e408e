import { blockTags, inlineTags } from '../html/elements.ts'
import { scriptText } from '../text/raised-text.ts'

/** A run of emphasis markers, which are plain characters until matched. */
interface EmphasisRun {
  mark: string
  /** Its index among the pieces of the text. */
  piece: number
  left: number
  opens: boolean
  closes: boolean
}

const space = /\s/
const wordCharacter = /[\p{L}\p{N}]/u

/** Removes markers where an opening and a closing run match; every step consumes a run, so the time is linear. */
const removeEmphasis = (runs: EmphasisRun[], pieces: string[]): void => {
  const open: Record<string, EmphasisRun[]> = { '*': [], _: [], '~': [] }
  for (const run of runs) {
    const openers = open[run.mark]!
    while (run.closes && run.left > 0 && openers.length > 0) {
      const opener = openers.at(-1)!
      const used = Math.min(run.left, opener.left)
      run.left -= used
      opener.left -= used
      pieces[opener.piece] = opener.mark.repeat(opener.left)
      if (opener.left === 0) openers.pop()
    }
    pieces[run.piece] = run.mark.repeat(run.left)
    if (run.opens && run.left > 0) openers.push(run)
  }
}

const anySpecial = /[\\`*_~[\]!<&]/
const punctuation = /[!-/:-@[-`{-~]/

/** Repetitions of white space are bounded, so that no input causes backtracking. */
const destination =
  /\(\s{0,3}(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s{1,3}(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s{0,3}\)/y
const reference = /\[[^\][\n]{0,300}\]/y
const tag = /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)(?=[\s/>])[^<>]*>/y
const raised = /<su([bp])>([^<>]{1,40})<\/su\1>/iy
const autolink = /<((?:https?|ftp|mailto):[^\s<>]*|[^\s<>@]{1,100}@[^\s<>@]{1,200})>/y
const comment = /<!--[\s\S]*?-->/y
const entity =
  /&(?:(amp|lt|gt|quot|apos|nbsp|copy|reg|hellip|mdash|ndash|middot|times)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/y
const named: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', copy: '©', reg: '®' },
  ...{ hellip: '…', mdash: '—', ndash: '–', middot: '·', times: '×' },
}

/** Labels are compared ignoring case and white space. */
export const labelOf = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

/** The text that a tag stands for. Unknown tags are text themselves, such as <T> in Array<T>. */
const tagMeaning = (name: string): string | undefined => {
  if (name === 'br') return '\n'
  if (blockTags.has(name)) return ' '
  return inlineTags.has(name) ? '' : undefined
}

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The positions of backtick runs by length: each is visited once, even if many never close. */
const backtickRuns = (text: string): Map<number, number[]> => {
  const runs = new Map<number, number[]>()
  for (const { index, 0: run } of text.matchAll(/`+/g)) {
    const places = runs.get(run.length)
    if (places) places.push(index)
    else runs.set(run.length, [index])
  }
  for (const places of runs.values()) places.reverse()
  return runs
}

class InlineReader {
  readonly #text: string
  readonly #pieces: string[] = []
  readonly #runs: EmphasisRun[] = []
  /** Indexes of pieces that are opening brackets. */
  readonly #brackets: number[] = []
  readonly #backticks: Map<number, number[]>
  readonly #lastCommentEnd: number
  readonly #labels: ReadonlySet<string>
  #at = 0

  constructor(text: string, labels: ReadonlySet<string>) {
    this.#text = text
    this.#labels = labels
    this.#backticks = backtickRuns(text)
    this.#lastCommentEnd = text.lastIndexOf('-->')
  }

  read(): string {
    const special = new RegExp(anySpecial, 'g')
    while (this.#at < this.#text.length) {
      special.lastIndex = this.#at
      const next = special.exec(this.#text)?.index ?? this.#text.length
      if (next > this.#at) this.#pieces.push(this.#text.slice(this.#at, next))
      this.#at = next
      if (next < this.#text.length) this.#special(this.#text[next]!)
    }
    removeEmphasis(this.#runs, this.#pieces)
    return this.#pieces.join('')
  }

  #take(length: number, piece: string): void {
    this.#pieces.push(piece)
    this.#at += length
  }

  #special(character: string): void {
    if (character === '\\') this.#escape()
    else if (character === '`') this.#code()
    else if (character === '[') this.#openBracket('[')
    else if (character === ']') this.#closeBracket()
    else if (character === '!' && this.#text[this.#at + 1] === '[') this.#openBracket('![')
    else if (character === '!') this.#take(1, '!')
    else if (character === '<') this.#angle()
    else if (character === '&') this.#entity()
    else this.#emphasis(character)
  }

  #escape(): void {
    const next = this.#text[this.#at + 1]
    if (next === '\n') this.#take(2, '\n')
    else if (next !== undefined && punctuation.test(next)) this.#take(2, next)
    else this.#take(1, '\\')
  }

  #runLength(character: string): number {
    let end = this.#at
    while (this.#text[end] === character) end++
    return end - this.#at
  }

  #code(): void {
    const length = this.#runLength('`')
    const places = this.#backticks.get(length) ?? []
    while (places.length > 0 && places.at(-1)! <= this.#at) places.pop()
    const close = places.at(-1)
    const start = this.#at + length
    if (close === undefined) this.#take(length, this.#text.slice(this.#at, start))
    else this.#take(close + length - this.#at, this.#text.slice(start, close).trim())
  }

  #openBracket(bracket: string): void {
    this.#brackets.push(this.#pieces.length)
    this.#take(bracket.length, bracket)
  }

  /** Replaces a link or image by its text; other brackets stay, such as those of a[0][1]. */
  #closeBracket(): void {
    const open = this.#brackets.pop()
    const after = this.#at + 1
    const target =
      open === undefined
        ? undefined
        : (matchAt(destination, this.#text, after)?.[0] ?? this.#reference(open, after))
    if (open !== undefined && target !== undefined) this.#pieces[open] = ''
    this.#take(1 + (target?.length ?? 0), target === undefined ? ']' : '')
  }

  /** The label after the brackets, which may be omitted if their text is the label. */
  #reference(open: number, after: number): string | undefined {
    if (this.#labels.size === 0) return undefined
    const label = matchAt(reference, this.#text, after)?.[0]
    if (label && label !== '[]') return this.#labels.has(labelOf(label.slice(1, -1))) ? label : undefined
    const text = this.#pieces.length - open > 20 ? '' : this.#pieces.slice(open + 1).join('')
    return this.#labels.has(labelOf(text)) ? (label ?? '') : undefined
  }

  #angle(): void {
    const hidden =
      this.#text.startsWith('<!--', this.#at) && this.#at < this.#lastCommentEnd
        ? matchAt(comment, this.#text, this.#at)
        : null
    const link = matchAt(autolink, this.#text, this.#at)
    const found = matchAt(tag, this.#text, this.#at)
    const script = matchAt(raised, this.#text, this.#at)
    const scripted = script && scriptText(script[2]!, script[1]!.toLowerCase() === 'p' ? 'super' : 'sub')
    const meaning = found ? tagMeaning(found[2]!.toLowerCase()) : undefined
    if (hidden) this.#take(hidden[0].length, '')
    else if (link) this.#take(link[0].length, link[1]!.replace(/^mailto:/, ''))
    else if (script && scripted !== script[2]) this.#take(script[0].length, scripted!)
    else if (found && meaning !== undefined) this.#take(found[0].length, meaning)
    else this.#take(1, '<')
  }

  #entity(): void {
    const found = matchAt(entity, this.#text, this.#at)
    const code = Number.parseInt(found?.[2] ?? found?.[3] ?? '0', found?.[2] ? 10 : 16)
    const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    if (!found) this.#take(1, '&')
    else this.#take(found[0].length, found[1] ? named[found[1]]! : valid ? String.fromCodePoint(code) : '')
  }

  /** Laxer than CommonMark, whose rules fail next to Chinese punctuation. */
  #emphasis(mark: string): void {
    const length = this.#runLength(mark)
    const before = this.#text[this.#at - 1] ?? ' '
    const after = this.#text[this.#at + length] ?? ' '
    // Underscores inside a word are part of it, as in snake_case.
    const isPlain =
      mark === '_' ? wordCharacter.test(before) && wordCharacter.test(after) : mark === '~' && length !== 2
    const opens = !space.test(after)
    const closes = !space.test(before)
    if (!isPlain) this.#runs.push({ mark, left: length, opens, closes, piece: this.#pieces.length })
    this.#take(length, mark.repeat(length))
  }
}

/** The rendered text of inline Markdown. `labels` are the link labels that have a definition. */
export const plainInline = (text: string, labels: ReadonlySet<string>): string =>
  anySpecial.test(text) ? new InlineReader(text, labels).read() : text
