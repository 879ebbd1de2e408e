const maxLines = 20

/** Longest line of the console; the rest of a longer one is cut off. */
export const maxLineLength = 500

const cutLine = (line: string): string =>
  line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line

/** The last lines that code has written. */
export class ConsoleLines {
  readonly lines: string[] = []
  /** The beginning of a line that is not complete. */
  #open = ''

  add(line: string): void {
    this.lines.push(line)
    if (this.lines.length > maxLines) this.lines.shift()
  }

  /** Text with or without line breaks. */
  write(text: string): void {
    const [first = '', ...rest] = text.split('\n')
    // One more character than a line may have shows that it was cut.
    this.#open = (this.#open + first.slice(0, maxLineLength + 1)).slice(0, maxLineLength + 1)
    for (const next of rest) {
      this.add(cutLine(this.#open))
      this.#open = next.slice(0, maxLineLength + 1)
    }
  }

  /** All lines, also one without a line break at its end. */
  end(): readonly string[] {
    if (this.#open !== '') this.write('\n')
    return this.lines
  }
}
