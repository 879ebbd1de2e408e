/** A name with more dots than this is not found by a reference, so that no text can make the search long. */
const mostDots = 16

/**
 * Finds which of many names a dotted path starts with, where names may hold dots themselves: for the names
 * `a` and `a.b`, the path `a.b.text` starts with `a.b`.
 */
export class DottedNames {
  readonly #names: Set<string>
  /** Most dots of any name, which is none almost always: then one look is enough. */
  readonly #dots: number

  constructor(names: Iterable<string>) {
    this.#names = new Set(names)
    let dots = 0
    for (const name of this.#names) if (name.includes('.')) dots = Math.max(dots, name.split('.').length - 1)
    this.#dots = Math.min(dots, mostDots)
  }

  /** The longest name that `path` starts with, followed by a dot. */
  longestStartOf(path: string): string | undefined {
    const ends: number[] = []
    for (
      let end = path.indexOf('.');
      end !== -1 && ends.length <= this.#dots;
      end = path.indexOf('.', end + 1)
    )
      ends.push(end)
    for (const end of ends.reverse()) {
      const start = path.slice(0, end)
      if (this.#names.has(start)) return start
    }
    return undefined
  }
}
