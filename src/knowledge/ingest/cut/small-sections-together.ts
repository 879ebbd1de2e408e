import type { Arrangement } from './arrangement.ts'
import type { Chunk } from './chunk.ts'
import type { Packer } from './packer.ts'
import type { Section, Unit } from './piece.ts'

const isBelow = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.length > outer.length && outer.every((heading, index) => heading === inner[index])

/** The heading is in the path of that section as it stands, and so in its chunks. */
const isInPathOf = ({ section, whole }: Unit, next: Section): boolean =>
  section.path.every((heading, index) => heading === next.path[index]) &&
  section.path.at(-1) === whole?.text.trim()

/**
 * A section begins a chunk of its own, unless it and what the open chunk holds are small together: many tiny
 * sections must not become as many chunks, two of a fair size must not be mixed. To know, the beginning of a section
 * is held back until it is clear that it is not small. A line or two before the first subsection goes with that.
 */
export class SmallSectionsTogether implements Arrangement {
  readonly #packer: Packer
  readonly #size: number
  #held: Unit[] = []
  #heldTokens = 0
  #holding = false

  constructor(packer: Packer, size: number) {
    this.#packer = packer
    this.#size = size
  }

  *heading(unit: Unit): Generator<Chunk> {
    if (this.#heldBody) yield* this.#settle()
    this.#holding = true
    yield* this.#hold(unit)
  }

  *body(unit: Unit): Generator<Chunk> {
    if (this.#holding) {
      yield* this.#hold(unit)
      return
    }
    // A chunk is cited by the page it begins on, so a fair-sized one does not run over to the next page.
    if (this.#packer.bodyTokens * 4 >= this.#size && this.#isOnAnotherPage(unit))
      yield* this.#packer.flush(unit.whole)
    yield* this.#packer.place(unit)
  }

  #isOnAnotherPage(unit: Unit | undefined): boolean {
    const open = this.#packer.pieces.at(-1)?.place.page
    const next = unit?.whole?.place.page
    return open !== undefined && next !== undefined && open !== next
  }

  *end(next?: Section): Generator<Chunk> {
    if (next && !this.#heldBody) this.#held = this.#held.filter(unit => !isInPathOf(unit, next))
    const trailing = !this.#heldBody && this.#packer.tokens + this.#heldTokens <= this.#size
    yield* this.#settle(trailing || this.#belongTogether())
    yield* this.#packer.flush()
  }

  get #heldBody(): boolean {
    const last = this.#held.at(-1)
    return last !== undefined && last.kind !== 'heading'
  }

  *#hold(unit: Unit): Generator<Chunk> {
    this.#held.push(unit)
    this.#heldTokens += unit.tokens
    // Headings by themselves decide nothing, yet may not be held without end.
    const decides = this.#heldBody ? this.#heldTokens + this.#packer.tokens : this.#heldTokens
    if (decides * 2 > this.#size) yield* this.#settle()
  }

  *#settle(join = this.#belongTogether()): Generator<Chunk> {
    const units = this.#held
    this.#held = []
    this.#heldTokens = 0
    this.#holding = false
    if (!join) yield* this.#packer.flush()
    for (const unit of units) yield* this.#packer.place(unit)
  }

  #belongTogether(): boolean {
    const { tokens, bodyTokens, lastSection } = this.#packer
    if (bodyTokens > 0 && this.#isOnAnotherPage(this.#held[0])) return false
    if (bodyTokens === 0 || (tokens + this.#heldTokens) * 2 <= this.#size) return true
    const first = this.#held[0]
    return (
      tokens * 8 <= this.#size && !!first && !!lastSection && isBelow(first.section.path, lastSection.path)
    )
  }
}
