import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import {
  referencedValue,
  type Template,
  type TemplateReference,
  textOfValue,
  type Values,
} from './template.ts'

/** The same when a step is run again after a crash, so that the message is sent once; as hard to guess as the run's id. */
export const messageId = (runId: string, path: string, name: string | number): string =>
  `msg_${hash('sha256', `${runId}\n${path}\n${name}`, 'buffer').toString('base64url', 0, 16)}`

/** The values of a graph that a streamed message reads. */
export interface MessageSource extends Values {
  isSettled(node: number): boolean
  /** The text that a running node has streamed so far for this output; undefined where it does not stream it. */
  written(node: number, output: string): string | undefined
}

interface MessageSink {
  send(text: string): void
  /** Discards what was sent so far. */
  reset(): void
}

/** Streams a text while its parts become available: literal text at once, a model's while that still writes. */
export class StreamedMessage {
  readonly #template: Template
  readonly #source: MessageSource
  readonly #sink: MessageSink
  #next = 0
  /** The length of the text sent before the part at `next`. */
  #partStart = 0
  /** Whether a model wrote some of the text sent, and not only the author of the graph. */
  hasModelText = false
  sent = ''

  constructor(template: Template, source: MessageSource, sink: MessageSink) {
    this.#template = template
    this.#source = source
    this.#sink = sink
  }

  /** The node it waits for; undefined when it is complete, or waits for its own node to run. */
  get waitsFor(): number | undefined {
    const part = this.#template.parts[this.#next]
    return typeof part === 'object' && part.from === 'node' ? part.node : undefined
  }

  /** Sends all text that is available. A text that is too long fails when the node runs. */
  advance(): void {
    for (const { parts } = this.#template; this.#next < parts.length; ) {
      if (this.sent.length > limits.filledTextLength) return
      const part = parts[this.#next]!
      if (typeof part === 'string') this.#send(part)
      else if (!this.#insert(part)) return
      this.#next += 1
      this.#partStart = this.sent.length
    }
  }

  /** The node has run: completes the text sent so far to `text`, or replaces it where it differs. */
  finish(text: string): void {
    if (!text.startsWith(this.sent)) this.reset()
    this.#send(text.slice(this.sent.length))
    this.#next = this.#template.parts.length
  }

  /** Adds a piece that a node streamed, if the template is at this output. */
  append(node: number, piece: string): void {
    if (!this.#isAt(node)) return
    this.hasModelText = true
    this.#send(piece)
  }

  /** Starts over if a node discarded text that this message has sent. */
  discard(node: number): void {
    if (!this.#isAt(node) || this.sent.length === this.#partStart) return
    this.reset()
    this.advance()
  }

  /** Starts over from an empty text. */
  reset(): void {
    this.#next = 0
    this.#partStart = 0
    this.hasModelText = false
    if (this.sent === '') return
    this.sent = ''
    this.#sink.reset()
  }

  #isAt(node: number): boolean {
    const part = this.#template.parts[this.#next]
    return (
      typeof part === 'object' &&
      part.from === 'node' &&
      part.node === node &&
      part.path.length === 1 &&
      this.#source.written(node, part.path[0]!) !== undefined
    )
  }

  /** Inserts the value of a reference; false if it has to wait. Memory may change until the node itself runs. */
  #insert(part: TemplateReference): boolean {
    if (part.from === 'memory') return false
    const sent = this.sent.slice(this.#partStart)
    if (part.from === 'node' && !this.#source.isSettled(part.node)) {
      const written = part.path.length === 1 ? this.#source.written(part.node, part.path[0]!) : undefined
      if (written !== undefined && written.length > sent.length) {
        this.hasModelText = true
        this.#send(written.slice(sent.length))
      }
      return false
    }
    const text = textOfValue(referencedValue(part, this.#source))
    if (text.startsWith(sent)) {
      this.#send(text.slice(sent.length))
      return true
    }
    // The output differs from what was streamed. All parts before this one are available, so the recursion ends.
    this.reset()
    this.advance()
    return false
  }

  #send(text: string): void {
    if (text === '') return
    this.sent += text
    this.#sink.send(text)
  }
}
