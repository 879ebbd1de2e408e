import type { XmlAttributes } from './xml-parser.ts'

const parts = new Set(['checkBox', 'ddList', 'default', 'checked', 'result', 'listEntry'])

/** A check box or list of a form. What it shows is drawn from its settings: no text of the document says it. */
export class DocxFormField {
  /** The length of the text before it. */
  readonly at: number
  readonly #values = new Map<string, string>()
  readonly #entries: string[] = []

  constructor(at: number) {
    this.at = at
  }

  /** False for elements of anything else. */
  take(name: string, { val = '1' }: XmlAttributes): boolean {
    if (name === 'listEntry') this.#entries.push(val)
    else if (parts.has(name)) this.#values.set(name, val)
    return parts.has(name)
  }

  get shown(): string {
    const chosen = (own: string): string => this.#values.get(own) ?? this.#values.get('default') ?? '0'
    if (this.#values.has('checkBox')) return /^(?:1|true|on)$/.test(chosen('checked')) ? '☒' : '☐'
    return this.#values.has('ddList') ? (this.#entries[Number(chosen('result'))] ?? '') : ''
  }
}
