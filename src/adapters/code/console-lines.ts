const maxLines = 20

/** The last lines that the code wrote to its console: they are shown when it fails. */
export class ConsoleLines {
  readonly #lines: string[] = []

  add(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > maxLines) this.#lines.shift()
  }

  epilogue(): string {
    return this.#lines.length === 0 ? '' : `\nIts console said:\n${this.#lines.join('\n')}`
  }
}
