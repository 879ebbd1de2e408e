import type { GenerationIndex } from './generation-index.ts'
import type { IntakeSigns } from './intake-signs.ts'
import { measureExpansion } from './measure-recall.ts'
import { TimeSlice } from './time-slice.ts'
import { saveVectorIndex } from './vector-index-file.ts'

const sliceMilliseconds = 4
/** A growing graph is saved when it has doubled and so many vectors are new; a grown one when this part is. */
const saveVectors = 20_000
const savePart = 0.2

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Brings what became live into the graph, measures it and saves it. Searches go first. */
export class IndexIntake {
  readonly #folder: string
  readonly #signs: IntakeSigns

  constructor(folder: string, signs: IntakeSigns) {
    this.#folder = folder
    this.#signs = signs
  }

  /** `readBytes`: how far to read ahead; all of the tail when searches rely on it. */
  async takeIn(index: GenerationIndex, readBytes?: number): Promise<void> {
    await index.advance(readBytes)
    const slice = new TimeSlice(sliceMilliseconds)
    while (!this.#signs.isClosing() && index.wantsGraph && !index.tail.isEmpty) {
      // Beside searches it goes on with one vector at a time: under steady load it would never end otherwise.
      const isSearching = this.#signs.isSearching()
      index.takeIn(isSearching ? new TimeSlice(0) : slice)
      if (isSearching) await turn()
      else await slice.pause()
      if (!index.tail.next()) await index.advance(readBytes)
      if (grown(index) >= saveVectors && grown(index) >= index.savedSize) await this.#settle(index)
    }
    await this.#settle(index)
  }

  /** While it grows, too: until it is measured, it is searched wider than most data needs. */
  async #settle(index: GenerationIndex): Promise<void> {
    if (this.#signs.isClosing() || !index.graph) return
    if (index.wantsMeasure) {
      const { size } = index.graph
      const expansion = await measureExpansion(index, this.#signs)
      if (this.#signs.isClosing()) return
      if (expansion !== undefined) {
        index.expansion = expansion
        index.measuredSize = size
        index.isSaved = false
      }
    }
    if (!index.isSaved || grown(index) > savePart * index.savedSize) await this.save(index)
  }

  async save(index: GenerationIndex): Promise<void> {
    if (grown(index) > 0 || !index.isSaved) await saveVectorIndex(this.#folder, index)
  }
}

const grown = (index: GenerationIndex): number => (index.graph?.size ?? 0) - index.savedSize
