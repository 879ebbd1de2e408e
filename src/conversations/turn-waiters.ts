/** Wakes whoever waits in this process for a turn of a conversation to end. Other processes look now and then. */
export class TurnWaiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Resolves when a turn of the conversation ends here, or after the time; rejects with the signal's reason. */
  wait(conversationId: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const waiting = this.#waiting.get(conversationId) ?? new Set()
      this.#waiting.set(conversationId, waiting)
      const leave = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        waiting.delete(onWake)
        if (waiting.size === 0 && this.#waiting.get(conversationId) === waiting)
          this.#waiting.delete(conversationId)
      }
      const onWake = (): void => {
        leave()
        resolve()
      }
      const onAbort = (): void => {
        leave()
        reject(signal.reason)
      }
      const timer = setTimeout(onWake, milliseconds)
      waiting.add(onWake)
      signal.addEventListener('abort', onAbort)
    })
  }

  wake(conversationId: string): void {
    for (const wake of [...(this.#waiting.get(conversationId) ?? [])]) wake()
  }
}
