import type { AutosavePorts } from './autosave-ports.ts'

/** When the next save starts. */
export class SaveTimer {
  readonly #ports: Pick<AutosavePorts, 'setTimer' | 'clearTimer'>
  readonly #begin: () => void
  #timer: unknown
  #isPausing = false
  #isStopped = false

  constructor(ports: Pick<AutosavePorts, 'setTimer' | 'clearTimer'>, begin: () => void) {
    this.#ports = ports
    this.#begin = begin
  }

  get isSet(): boolean {
    return this.#timer !== undefined
  }

  /** Whether it is a retry pause, which edits do not shorten. */
  get isPausing(): boolean {
    return this.#isPausing
  }

  start(milliseconds: number, isPause = false): void {
    this.clear()
    if (this.#isStopped) return
    this.#isPausing = isPause
    this.#timer = this.#ports.setTimer(() => {
      this.#timer = undefined
      this.#begin()
    }, milliseconds)
  }

  clear(): void {
    if (this.#timer !== undefined) this.#ports.clearTimer(this.#timer)
    this.#timer = undefined
    this.#isPausing = false
  }

  /** No timer starts any more. */
  stop(): void {
    this.#isStopped = true
    this.clear()
  }
}
