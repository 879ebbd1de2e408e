import type { VectorHit } from '../../knowledge/search/vector-index.ts'
import { GenerationIndex, type IndexBounds } from './generation-index.ts'
import { IndexIntake } from './index-intake.ts'
import type { SearchCall, UsearchSettings } from './usearch-protocol.ts'
import { loadVectorIndex } from './vector-index-file.ts'
import type { GenerationName } from './vector-question.ts'
import { VectorRows } from './vector-rows.ts'

/** Read ahead by an index that nobody searches yet. */
const rebuildBytes = 8 << 20

const keyOf = (workspaceId: string, generationId: string): string => `${workspaceId}\n${generationId}`

/** The indexes in memory, and the work behind the searches: taking in, making room. */
export class GenerationIndexes {
  readonly #settings: UsearchSettings
  readonly #bounds: IndexBounds
  readonly #rows: VectorRows
  readonly #intake: IndexIntake
  readonly #open = new Map<string, GenerationIndex>()
  readonly #opening = new Map<string, Promise<GenerationIndex>>()
  readonly #waiting = new Set<string>()
  #working: Promise<void> | undefined
  #searches = 0
  #isClosing = false

  constructor(settings: UsearchSettings) {
    this.#settings = settings
    this.#rows = new VectorRows(settings.databasePath)
    this.#bounds = { exactFloats: settings.exactFloats, tailBytes: settings.memoryBytes / 2 }
    this.#intake = new IndexIntake(settings.folder, {
      isSearching: () => this.#searches > 0,
      isClosing: () => this.#isClosing,
    })
  }

  async search(call: SearchCall): Promise<VectorHit[]> {
    this.#searches++
    try {
      const hits = await this.#use(call.workspaceId, call.generationId, async index => {
        const { dimension } = index.name
        if (call.vector.length !== dimension)
          throw new Error(
            `The question has ${call.vector.length} numbers and the index ${dimension}: ask with the index's own embedding model`,
          )
        const found = await index.search(call)
        if (index.wantsIntake) this.refresh(call.workspaceId, call.generationId)
        return found
      })
      return hits ?? []
    } finally {
      this.#searches--
    }
  }

  refresh(workspaceId: string, generationId: string): void {
    this.#waiting.add(keyOf(workspaceId, generationId))
    this.#wake()
  }

  /** Notices what was deleted in the generations at hand, and forgets those that are gone themselves. */
  tidy(): void {
    for (const [key, index] of [...this.#open]) {
      const { workspaceId, id } = index.name
      if (!this.#rows.generation(workspaceId, id)) this.#forget(key, index)
      else {
        index.reconcile()
        this.refresh(workspaceId, id)
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#working
    for (const index of this.#open.values()) await this.#save(index)
    this.#rows.close()
  }

  async #use<Result>(
    workspaceId: string,
    generationId: string,
    work: (index: GenerationIndex) => Promise<Result>,
  ): Promise<Result | undefined> {
    const generation = this.#rows.generation(workspaceId, generationId)
    if (!generation?.dimension) return undefined
    const name = { workspaceId, id: generationId, dimension: generation.dimension }
    const index = await this.#find(name, generation.revision)
    index.users++
    index.lastUse = performance.now()
    try {
      return await work(index)
    } finally {
      index.users--
      if (this.#bytes() > this.#settings.memoryBytes && this.#open.size > 1) this.#wake()
    }
  }

  async #find(name: GenerationName, revision: number): Promise<GenerationIndex> {
    const key = keyOf(name.workspaceId, name.id)
    const known = this.#open.get(key)
    if (known && !known.isBehind(revision) && known.name.dimension === name.dimension) return known
    if (known) this.#forget(key, known)
    let opening = this.#opening.get(key)
    if (!opening) {
      opening = this.#load(name).finally(() => this.#opening.delete(key))
      this.#opening.set(key, opening)
    }
    return opening
  }

  async #load(name: GenerationName): Promise<GenerationIndex> {
    const loaded = await loadVectorIndex(this.#settings.folder, name)
    const index = new GenerationIndex(name, this.#rows, this.#bounds, loaded?.table)
    if (loaded) {
      index.graph = loaded.graph
      index.expansion = loaded.expansion
      index.measuredSize = loaded.measuredSize
      index.savedSize = loaded.graph.size
      // The file may be older or newer than the rows, which a backup may have put back: all batches are compared.
      index.reconcile()
    }
    this.#open.set(keyOf(name.workspaceId, name.id), index)
    return index
  }

  #wake(): void {
    if (this.#isClosing) return
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  async #work(): Promise<void> {
    for (const key of this.#waiting) {
      this.#waiting.delete(key)
      const [workspaceId, generationId] = key.split('\n') as [string, string]
      try {
        await this.#use(workspaceId, generationId, index => this.#improve(key, index))
      } catch {
        // Only speed is lost: the next search or refresh tries again, and a search says what it could not do.
      }
      if (this.#isClosing) return
    }
    await this.#makeRoom()
  }

  async #improve(key: string, index: GenerationIndex): Promise<void> {
    await this.#intake.takeIn(index)
    if (!index.wantsRebuild || this.#isClosing) return
    // The old one answers until the new one is whole.
    const next = new GenerationIndex(index.name, this.#rows, this.#bounds)
    await this.#intake.takeIn(next, rebuildBytes)
    if (this.#isClosing || this.#open.get(key) !== index) return next.graph?.release()
    next.lastUse = index.lastUse
    this.#open.set(key, next)
    // One user is this very work.
    if (index.users <= 1) index.graph?.release()
  }

  #bytes(): number {
    return [...this.#open.values()].reduce((sum, index) => sum + index.bytes, 0)
  }

  /** The one that was used last stays, however large it is. */
  async #makeRoom(): Promise<void> {
    const byUse = [...this.#open].sort(([, one], [, other]) => one.lastUse - other.lastUse)
    for (const [key, index] of byUse.slice(0, -1)) {
      if (this.#bytes() <= this.#settings.memoryBytes) return
      await this.#save(index)
      if (index.users === 0 && this.#open.get(key) === index) this.#forget(key, index)
    }
  }

  /** What cannot be saved is built again when it is needed: no reason to fail. */
  async #save(index: GenerationIndex): Promise<void> {
    await this.#intake.save(index).catch(() => {})
  }

  #forget(key: string, index: GenerationIndex): void {
    this.#open.delete(key)
    if (index.users === 0) index.graph?.release()
  }
}
