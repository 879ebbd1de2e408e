import type { Step } from '../../workflow/step.ts'

/** What a step has streamed in this attempt, so that its output is exactly what was seen. */
export class SpokenText {
  readonly #step: Step
  #text = ''
  #pause = false

  constructor(step: Step) {
    this.#step = step
  }

  get text(): string {
    return this.#text
  }

  write(piece: string): void {
    if (piece === '') return
    const whole = this.#pause && this.#text !== '' ? `\n\n${piece}` : piece
    this.#pause = false
    this.#text += whole
    this.#step.write(whole)
  }

  /** A blank line goes before the next piece, if one comes. */
  pause(): void {
    this.#pause = true
  }

  /** What was said does not count. */
  restart(): void {
    if (this.#text !== '') this.#step.restart()
    this.#text = ''
    this.#pause = false
  }
}
