const maxLines = 20

/** The last lines that the code wrote to its console. */
export class ConsoleLines {
  readonly #lines: string[] = []

  get all(): readonly string[] {
    return this.#lines
  }

  add(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > maxLines) this.#lines.shift()
  }
}
