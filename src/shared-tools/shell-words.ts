import { invalidField } from '../kernel/app-error.ts'

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0' }

/** Understands quotes and escapes of POSIX shells, `$'…'` as browsers copy it, and carets of cmd.exe. */
export function shellWords(text: string): string[] {
  const isCmd = /\^["\r\n]/.test(text)
  // In cmd.exe a caret escapes one character, also inside quotes as browsers write them; in PowerShell a backtick continues a line.
  const command = isCmd
    ? text.replace(/\^\r?\n/g, ' ').replace(/\^(.)/gs, '$1')
    : text.replace(/[ \t]`\r?\n/g, ' ')
  return new WordReader(command).read()
}

class WordReader {
  readonly #text: string
  readonly #words: string[] = []
  #at = 0
  #word: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  read(): string[] {
    while (this.#at < this.#text.length && this.#step());
    this.#end()
    return this.#words
  }

  #end(): void {
    if (this.#word !== undefined) this.#words.push(this.#word)
    this.#word = undefined
  }

  #take(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  /** Reads one character or quoted part; false at the end of the command. */
  #step(): boolean {
    const text = this.#text
    const character = text[this.#at]!
    const next = text[this.#at + 1] ?? ''
    if (/\s/.test(character)) {
      this.#end()
      this.#at += 1
    } else if (character === '\\') {
      this.#at += 2
      if (next === '\r' && text[this.#at] === '\n') this.#at += 1
      if (next !== '\n' && next !== '\r') this.#take(next)
    } else if (character === "'") this.#quoted("'", this.#at + 1)
    else if (character === '$' && next === "'") this.#quoted("$'", this.#at + 2)
    else if (character === '"') this.#quoted('"', this.#at + 1)
    // A URL is often written without quotes, with & between its parameters.
    else if (
      /[|;<>]/.test(character) ||
      (character === '&' && (this.#word === undefined || !/\S/.test(next)))
    )
      return false
    else {
      this.#take(character)
      this.#at += 1
    }
    return true
  }

  #quoted(quote: "'" | "$'" | '"', from: number): void {
    const text = this.#text
    const close = quote === '"' ? '"' : "'"
    this.#take('')
    for (this.#at = from; text[this.#at] !== close; this.#at++) {
      if (this.#at >= text.length) throw invalidField('/content', `has a quote ${close} that is not closed`)
      const character = text[this.#at]!
      const next = text[this.#at + 1] ?? ''
      const isEscape = character === '\\' && (quote === "$'" || (quote === '"' && /["\\$`\n]/.test(next)))
      if (!isEscape) this.#take(character)
      else {
        this.#at += 1
        if (quote === "$'") this.#escaped(next)
        else if (next !== '\n') this.#take(next)
      }
    }
    this.#at += 1
  }

  /** Reads an escape of `$'…'`, from the character after the backslash on. */
  #escaped(character: string): void {
    const digits = /^(?:u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|x([0-9a-f]{1,2}))/i.exec(
      this.#text.slice(this.#at, this.#at + 9),
    )
    if (!digits) {
      this.#take(escapes[character] ?? character)
      return
    }
    const code = Number.parseInt(digits[1] ?? digits[2] ?? digits[3]!, 16)
    // Browsers write characters beyond the basic plane as two escapes, which are a pair of surrogates.
    this.#take(code > 0x10ffff ? '' : code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code))
    this.#at += digits[0].length - 1
  }
}
