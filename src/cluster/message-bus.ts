/** The subscribers of this process, by topic. */
export class MessageBus {
  readonly #subscribers = new Map<string, Set<(message: string) => void>>()

  subscribe(topic: string, receive: (message: string) => void): () => void {
    const those = this.#subscribers.get(topic) ?? new Set()
    this.#subscribers.set(topic, those)
    // A function may subscribe twice.
    const subscriber = (message: string): void => receive(message)
    those.add(subscriber)
    return () => {
      those.delete(subscriber)
      if (those.size === 0 && this.#subscribers.get(topic) === those) this.#subscribers.delete(topic)
    }
  }

  deliver(topic: string, message: string): void {
    for (const receive of [...(this.#subscribers.get(topic) ?? [])]) receive(message)
  }
}
