import type { Arrangement } from './arrangement.ts'
import type { Chunk } from './chunk.ts'
import type { Packer } from './packer.ts'
import type { Unit } from './piece.ts'

/**
 * For the strategies that keep sections apart. A unit, too, begins a chunk of its own once the open one has
 * `enough` tokens. A heading without a text goes with the next one.
 */
export class SectionBySection implements Arrangement {
  readonly #packer: Packer
  readonly #enough: number

  constructor(packer: Packer, enough = Number.POSITIVE_INFINITY) {
    this.#packer = packer
    this.#enough = enough
  }

  *heading(unit: Unit): Generator<Chunk> {
    if (this.#packer.bodyTokens > 0) yield* this.#packer.flush()
    yield* this.#packer.place(unit)
  }

  *body(unit: Unit): Generator<Chunk> {
    if (this.#packer.bodyTokens >= this.#enough) yield* this.#packer.flush()
    yield* this.#packer.place(unit)
  }

  *end(): Generator<Chunk> {
    yield* this.#packer.flush()
  }
}
