/** What the strictest clients accept. */
const maxLength = 64
const idLength = 6

/** Names of tools: of the name of an object where that is possible, and the same for the same objects. */
export class ToolNames {
  readonly #taken = new Set<string>()

  of(verb: string, name: string, id: string): string {
    const words = name
      .normalize('NFKD')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .toLowerCase()
    const suffix = id.replace(/[^A-Za-z0-9]/g, '').slice(-idLength)
    const base = `${verb}_${words || suffix}`.slice(0, maxLength)
    const free = this.#taken.has(base) ? `${base.slice(0, maxLength - idLength - 1)}_${suffix}` : base
    this.#taken.add(free)
    return free
  }
}
