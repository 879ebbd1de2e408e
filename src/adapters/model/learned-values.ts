import { limits } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Exchange } from '../../kernel/exchange.ts'
import { LruMap } from '../../kernel/lru-map.ts'

const maxValues = 10_000

/** What requests to providers have taught, remembered for a while and shared between processes. */
export class LearnedValues<Value> {
  readonly #clock: Clock
  readonly #exchange: Exchange | undefined
  readonly #values = new LruMap<string, { value: Value; end: number }>(maxValues)

  constructor(clock: Clock, exchange?: Exchange) {
    this.#clock = clock
    this.#exchange = exchange
    exchange?.receive(message => {
      const [key, value] = JSON.parse(message) as [string, Value]
      this.#remember(key, value)
    })
  }

  get(key: string): Value | undefined {
    const found = this.#values.get(key)
    return found && found.end > this.#clock.now() ? found.value : undefined
  }

  set(key: string, value: Value): void {
    this.#remember(key, value)
    this.#exchange?.send(JSON.stringify([key, value]))
  }

  #remember(key: string, value: Value): void {
    this.#values.set(key, { value, end: this.#clock.now() + limits.rejectedParameterMilliseconds })
  }
}
