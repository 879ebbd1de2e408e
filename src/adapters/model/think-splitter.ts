const opening = '<think>'
const closing = '</think>'
/** Blank space that may stand before a tag: more would be searched again with every piece. */
const maxBlank = 1000
/** In an answer, a closing tag at the beginning of a line nearly always has an opening tag before it. */
const closingLine = `\n${closing}`

type Sink = (piece: string) => void
/** With `restarts`, what was passed on before does not belong to the text. */
type TextSink = (piece: string, restarts: boolean) => void

/** The length of the end of a text that may be the beginning of `tag`. */
function partialTag(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length
  return 0
}

/**
 * Separates the `<think>…</think>` with which servers without a parser for it begin the text of a reasoning model. Where
 * the template of the model opens it, only a line with `</think>` is in the text: all before it was reasoning.
 * Tags further on belong to the answer.
 */
export class ThinkSplitter {
  readonly #onText: TextSink
  readonly #onReasoning: Sink
  #state: 'start' | 'thinking' | 'gap' | 'unsure' | 'text' = 'start'
  /** Text that is held back, because it may be the beginning of a tag. */
  #held = ''
  /** What was passed on as text, as long as it may turn out to be reasoning. */
  #passed = ''

  constructor(onText: TextSink, onReasoning: Sink) {
    this.#onText = onText
    this.#onReasoning = onReasoning
  }

  write(piece: string): void {
    if (this.#state === 'text') {
      this.#onText(piece, false)
      return
    }
    this.#held += piece
    if (this.#state === 'start') this.#begin()
    if (this.#state === 'thinking') this.#think()
    if (this.#state === 'unsure') this.#passOn()
    if (this.#state === 'gap') this.#skipGap()
  }

  /** Called at the end of the text; passes on what was held back. */
  end(): void {
    if (this.#held === '') return
    if (this.#state === 'thinking') this.#onReasoning(this.#held)
    else if (this.#state !== 'gap') this.#onText(this.#held, false)
    this.#held = ''
  }

  #begin(): void {
    const text = this.#held.trimStart()
    const mayBeTag = opening.startsWith(text) || closing.startsWith(text)
    if (mayBeTag && this.#held.length <= maxBlank) return
    const tag = [opening, closing].find(each => text.startsWith(each))
    if (tag === undefined) this.#state = 'unsure'
    else {
      this.#state = tag === opening ? 'thinking' : 'gap'
      this.#held = text.slice(tag.length)
    }
  }

  #think(): void {
    const end = this.#held.indexOf(closing)
    const length = end < 0 ? this.#held.length - partialTag(this.#held, closing) : end
    if (length > 0) this.#onReasoning(this.#held.slice(0, length))
    this.#held = this.#held.slice(end < 0 ? length : end + closing.length)
    if (end >= 0) this.#state = 'gap'
  }

  /** Text, unless a closing tag follows. */
  #passOn(): void {
    const text = this.#held
    const end = text.indexOf(closingLine)
    const isOpened = text.slice(0, end < 0 ? undefined : end).includes(opening)
    if (isOpened) this.#answer(text)
    else if (end >= 0) {
      this.#onReasoning(this.#passed + text.slice(0, end))
      if (this.#passed !== '') this.#onText('', true)
      this.#held = text.slice(end + closingLine.length)
      this.#state = 'gap'
    } else {
      const partial = Math.max(partialTag(text, closingLine), partialTag(text, opening))
      const sure = text.slice(0, text.length - partial)
      this.#held = text.slice(sure.length)
      this.#passed += sure
      if (sure !== '') this.#onText(sure, false)
    }
  }

  /** The blank lines between reasoning and answer. */
  #skipGap(): void {
    this.#held = this.#held.trimStart()
    if (this.#held !== '') this.#answer(this.#held)
  }

  #answer(text: string): void {
    this.#state = 'text'
    this.#held = ''
    this.#onText(text, false)
  }
}
