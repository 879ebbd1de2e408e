/** What the files in deploy/ hold. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of a manifest is what the tests are there to check
export type Yaml = any

interface Line {
  indent: number
  text: string
  number: number
}

const fail = ({ number, text }: Line): never => {
  throw new Error(`Line ${number} is not in the simple YAML of deploy/: ${text}`)
}

function scalar(text: string, line: Line): Yaml {
  if (/^["[{]/.test(text)) return JSON.parse(text)
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (text === 'true' || text === 'false') return text === 'true'
  // Anything that YAML could read in another way has to be quoted.
  if (/^['&*!|>%@`]|: | #|^(null|~|yes|no|on|off)$/i.test(text)) fail(line)
  return text
}

const member = /^((?:[^\s"':#]|:(?=\S))+):(?:\s+(.*))?$/

class Reader {
  readonly #lines: Line[]
  readonly #raw: string[]
  #at = 0

  constructor(text: string) {
    this.#raw = text.split('\n')
    this.#lines = this.#raw.map((raw, index) => ({
      indent: raw.length - raw.trimStart().length,
      text: raw.trim(),
      number: index + 1,
    }))
  }

  #peek(): Line | undefined {
    while (this.#at < this.#lines.length && /^(#|$)/.test(this.#lines[this.#at]!.text)) this.#at++
    return this.#lines[this.#at]
  }

  value(indent: number): Yaml {
    const line = this.#peek()!
    if (line.text.startsWith('- ')) return this.#list(indent)
    return this.#map(indent)
  }

  #list(indent: number): Yaml[] {
    const items: Yaml[] = []
    for (
      let line = this.#peek();
      line?.indent === indent && line.text.startsWith('- ');
      line = this.#peek()
    ) {
      const text = line.text.slice(2)
      if (member.test(text)) {
        // The first member of a map: read it as if it stood on a line of its own.
        this.#lines[this.#at] = { ...line, indent: indent + 2, text }
        items.push(this.#map(indent + 2))
      } else {
        this.#at++
        items.push(scalar(text, line))
      }
    }
    return items
  }

  #map(indent: number): Record<string, Yaml> {
    const map: Record<string, Yaml> = {}
    for (let line = this.#peek(); line?.indent === indent; line = this.#peek()) {
      const [, name = '', text] = member.exec(line.text) ?? fail(line)
      if (Object.hasOwn(map, name)) fail(line)
      this.#at++
      if (text === '|') map[name] = this.#block(indent)
      else if (text !== undefined) map[name] = scalar(text, line)
      else {
        const next = this.#peek()
        if (!next || next.indent <= indent) fail(line)
        map[name] = this.value(next!.indent)
      }
    }
    const next = this.#peek()
    if (next && next.indent > indent) fail(next)
    return map
  }

  #block(indent: number): string {
    const lines: string[] = []
    while (
      this.#at < this.#raw.length &&
      (this.#raw[this.#at] === '' || this.#lines[this.#at]!.indent > indent)
    )
      lines.push(this.#raw[this.#at++]!)
    const first = lines.find(line => line !== '') ?? ''
    return lines.map(line => line.slice(first.length - first.trimStart().length)).join('\n')
  }
}

/** Reads the part of YAML that deploy/ uses: block maps and lists, JSON scalars, literal blocks. All else is an error. */
export const readYaml = (text: string): Yaml[] => text.split(/^---$/m).map(part => new Reader(part).value(0))
