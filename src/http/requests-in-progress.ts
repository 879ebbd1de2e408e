import type { FastifyRequest } from 'fastify'

/** The requests that a shutdown waits for. Event streams are not among them: they may last for hours, and can be resumed. */
export class RequestsInProgress {
  readonly #requests = new Set<FastifyRequest>()
  #onNone: (() => void) | undefined

  begin(request: FastifyRequest): void {
    this.#requests.add(request)
  }

  end(request: FastifyRequest): void {
    if (this.#requests.delete(request) && this.#requests.size === 0) this.#onNone?.()
  }

  /** Waits until there is none, but not longer than this. */
  async finish(milliseconds: number): Promise<void> {
    if (this.#requests.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onNone = resolve
    const timer = setTimeout(resolve, milliseconds)
    await promise
    clearTimeout(timer)
  }
}
