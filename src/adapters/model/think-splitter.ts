const opening = '<think>'
const closing = '</think>'

type Sink = (piece: string) => void

/** The length of the end of a text that may be the beginning of `tag`. */
function partialTag(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length
  return 0
}

/**
 * Separates the `<think>…</think>` with which servers without a parser for it begin the text of a reasoning model. Tags
 * further on belong to the answer.
 */
export class ThinkSplitter {
  readonly #onText: Sink
  readonly #onReasoning: Sink
  #state: 'start' | 'thinking' | 'gap' | 'text' = 'start'
  #held = ''

  constructor(onText: Sink, onReasoning: Sink) {
    this.#onText = onText
    this.#onReasoning = onReasoning
  }

  write(piece: string): void {
    if (this.#state === 'text') {
      this.#onText(piece)
      return
    }
    this.#held += piece
    if (this.#state === 'start') this.#begin()
    if (this.#state === 'thinking') this.#think()
    if (this.#state === 'gap') this.#skipGap()
  }

  /** No more text follows: what was held back is sent. */
  end(): void {
    if (this.#held === '') return
    if (this.#state === 'thinking') this.#onReasoning(this.#held)
    else if (this.#state === 'start') this.#onText(this.#held)
    this.#held = ''
  }

  #begin(): void {
    const text = this.#held.trimStart()
    if (opening.startsWith(text)) return
    if (text.startsWith(opening)) {
      this.#state = 'thinking'
      this.#held = text.slice(opening.length)
    } else this.#answer(this.#held)
  }

  #think(): void {
    const end = this.#held.indexOf(closing)
    const length = end < 0 ? this.#held.length - partialTag(this.#held, closing) : end
    if (length > 0) this.#onReasoning(this.#held.slice(0, length))
    this.#held = this.#held.slice(end < 0 ? length : end + closing.length)
    if (end >= 0) this.#state = 'gap'
  }

  /** The blank lines between reasoning and answer. */
  #skipGap(): void {
    const text = this.#held.trimStart()
    if (text !== '') this.#answer(text)
  }

  #answer(text: string): void {
    this.#state = 'text'
    this.#held = ''
    this.#onText(text)
  }
}
