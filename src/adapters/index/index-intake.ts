import type { GenerationIndex } from './generation-index.ts'
import { measureExpansion } from './measure-recall.ts'
import { TimeSlice } from './time-slice.ts'
import { saveVectorIndex } from './vector-index-file.ts'

const sliceMilliseconds = 4
/** A growing graph is saved when it has doubled and so many vectors are new; a grown one when this part is. */
const saveVectors = 20_000
const savePart = 0.2

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** What the background work asks about the world. */
export interface IntakeSigns {
  isSearching(): boolean
  isClosing(): boolean
}

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
      if (this.#signs.isSearching()) await turn()
      else index.takeIn(slice)
      await slice.pause()
      if (!index.tail.next()) await index.advance(readBytes)
      if (grown(index) >= saveVectors && grown(index) >= index.savedSize) await this.save(index)
    }
    await this.#settle(index)
  }

  async #settle(index: GenerationIndex): Promise<void> {
    if (this.#signs.isClosing() || !index.graph) return
    const isMeasured = index.wantsMeasure
    if (isMeasured) {
      const { size } = index.graph
      index.expansion = (await measureExpansion(index, this.#signs)) ?? index.expansion
      index.measuredSize = size
      index.isSaved = false
    }
    if (isMeasured || grown(index) > savePart * index.savedSize) await this.save(index)
  }

  async save(index: GenerationIndex): Promise<void> {
    if (grown(index) > 0 || !index.isSaved) await saveVectorIndex(this.#folder, index)
  }
}

const grown = (index: GenerationIndex): number => (index.graph?.size ?? 0) - index.savedSize
