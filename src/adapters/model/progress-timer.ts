/** Aborts when a model is silent for too long: before it begins, and between what it writes. */
export class ProgressTimer {
  readonly #controller = new AbortController()
  readonly #failure: () => Error
  readonly #idleMilliseconds: number
  #timer: NodeJS.Timeout
  #hasBegun = false

  constructor(firstMilliseconds: number, idleMilliseconds: number, failure: () => Error) {
    this.#failure = failure
    this.#idleMilliseconds = idleMilliseconds
    this.#timer = this.#start(firstMilliseconds)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** True for the first time. */
  progress(): boolean {
    if (this.#hasBegun) {
      this.#timer.refresh()
      return false
    }
    this.#hasBegun = true
    clearTimeout(this.#timer)
    this.#timer = this.#start(this.#idleMilliseconds)
    return true
  }

  /** Must be called when the call is over. */
  end(): void {
    clearTimeout(this.#timer)
  }

  #start(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(this.#failure()), milliseconds)
  }
}
