import {
  referencedValue,
  type Template,
  type TemplateReference,
  textOfValue,
  type Values,
} from './template.ts'

/** What a speech needs to know of the run around it. */
export interface SpeechWorld extends Values {
  isSettled(node: number): boolean
  /** What a node that runs has written so far of this output; undefined where it does not stream it. */
  written(node: number, output: string): string | undefined
  say(text: string): void
  /** What was said so far does not count. */
  takeBack(): void
}

/**
 * Says the text of a node piece by piece, as the parts it is made of come into being: literal text at once, the text
 * of a model while that model still writes.
 */
export class Speech {
  readonly #template: Template
  readonly #world: SpeechWorld
  #next = 0
  /** How much had been said when the part at `next` began. */
  #partStart = 0
  #isLive = false
  #said = ''

  constructor(template: Template, world: SpeechWorld) {
    this.#template = template
    this.#world = world
  }

  get said(): string {
    return this.#said
  }

  /** Whether something was said that a model wrote, and not the author of the graph. */
  get isWorthKeeping(): boolean {
    return this.#isLive
  }

  /** The node it has to wait for; undefined when it is through, or waits for its own node to run. */
  get waitsFor(): number | undefined {
    const part = this.#template.parts[this.#next]
    return typeof part === 'object' && part.from === 'node' ? part.node : undefined
  }

  /** Says what can be said by now. */
  advance(): void {
    for (const { parts } = this.#template; this.#next < parts.length; ) {
      const part = parts[this.#next]!
      if (typeof part === 'string') this.#speak(part)
      else if (!this.#insert(part)) return
      this.#next += 1
      this.#partStart = this.#said.length
    }
  }

  /** Everything it is made of is there: what was said must be the beginning of `text`, and is made so. */
  finish(text: string): void {
    if (!text.startsWith(this.#said)) this.takeBack()
    this.#speak(text.slice(this.#said.length))
    this.#next = this.#template.parts.length
  }

  /** A node wrote another piece of the outputs that it streams. */
  hear(node: number, piece: string): void {
    if (!this.#isAt(node)) return
    this.#isLive = true
    this.#speak(piece)
  }

  /** What a node wrote so far does not count. */
  forget(node: number): void {
    if (!this.#isAt(node) || this.#said.length === this.#partStart) return
    this.takeBack()
    this.advance()
  }

  /** Begins anew. */
  takeBack(): void {
    this.#next = 0
    this.#partStart = 0
    this.#isLive = false
    if (this.#said === '') return
    this.#said = ''
    this.#world.takeBack()
  }

  #isAt(node: number): boolean {
    const part = this.#template.parts[this.#next]
    return (
      typeof part === 'object' &&
      part.from === 'node' &&
      part.node === node &&
      part.path.length === 1 &&
      this.#world.written(node, part.path[0]!) !== undefined
    )
  }

  /** False when it has to wait. Memory may still change until the node itself runs. */
  #insert(part: TemplateReference): boolean {
    if (part.from === 'memory') return false
    const heard = this.#said.slice(this.#partStart)
    if (part.from === 'node' && !this.#world.isSettled(part.node)) {
      const written = part.path.length === 1 ? this.#world.written(part.node, part.path[0]!) : undefined
      if (written !== undefined && written.length > heard.length) {
        this.#isLive = true
        this.#speak(written.slice(heard.length))
      }
      return false
    }
    const text = textOfValue(referencedValue(part, this.#world))
    if (text.startsWith(heard)) {
      this.#speak(text.slice(heard.length))
      return true
    }
    // It gave something else than it wrote. All that stands before this part is there, so this ends.
    this.takeBack()
    this.advance()
    return false
  }

  #speak(text: string): void {
    if (text === '') return
    this.#said += text
    this.#world.say(text)
  }
}
