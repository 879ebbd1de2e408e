const maxNumberLength = 8

/** Different names for different things. A wanted name that another thing has gets the next number after its beginning. */
export class UniqueNames {
  readonly #taken: Set<string>
  readonly #maxLength: number
  readonly #names = new Map<string, string>()
  /** The last number after names with the same beginning: to count from 2 each time would take quadratic time. */
  readonly #numbers = new Map<string, number>()

  constructor(taken: Iterable<string> = [], maxLength = Number.POSITIVE_INFINITY) {
    this.#taken = new Set(taken)
    this.#maxLength = maxLength
  }

  nameOf(thing: string, wanted: string): string {
    let name = this.#names.get(thing)
    if (name !== undefined) return name
    name = wanted
    const stem = wanted.slice(0, this.#maxLength - maxNumberLength)
    let number = this.#numbers.get(stem) ?? 1
    while (this.#taken.has(name)) name = `${stem}_${++number}`
    this.#numbers.set(stem, number)
    this.#taken.add(name)
    this.#names.set(thing, name)
    return name
  }
}
