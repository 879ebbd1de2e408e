import type { Chunk } from './chunk.ts'
import type { Section, Unit } from './piece.ts'

/** Which sections and units share a chunk. */
export interface Arrangement {
  heading(unit: Unit): Iterable<Chunk>
  body(unit: Unit): Iterable<Chunk>
  /**
   * Nothing that comes later joins what there is. If `next` is told, chunks of that section follow which hold nothing
   * but their own text: the headings above them need no chunk.
   */
  end(next?: Section): Iterable<Chunk>
}
