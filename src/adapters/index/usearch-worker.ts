import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { VectorHit } from '../../knowledge/search/vector-index.ts'
import { GenerationIndex, type IndexBounds } from './generation-index.ts'
import { IndexBuilder } from './index-builder.ts'
import { loadVectorIndex } from './index-files.ts'
import { VectorGraph } from './vector-graph.ts'
import { VectorRows } from './vector-rows.ts'
import type { GenerationName } from './vector-search.ts'

// The program of the worker thread, and the messages that it exchanges with the main thread.

/** The `workerData` that the worker is started with. */
export interface UsearchSettings {
  databasePath: string
  /** The folder of the index files. */
  folder: string
  memoryBytes: number
  exactFloats: number
}

interface SearchCall {
  kind: 'search'
  workspaceId: string
  generationId: string
  vector: Float32Array
  limit: number
  batchIds: Set<string> | undefined
}

interface RefreshCall {
  kind: 'refresh'
  workspaceId: string
  generationId: string
}

export type UsearchCall = SearchCall | RefreshCall | { kind: 'tidy' } | { kind: 'close' }
export type UsearchRequest = UsearchCall & { callId: number }
export type UsearchAnswer =
  | { callId: number; hits: VectorHit[] }
  | { callId: number; failure: { message: string; stack: string | undefined } }

/** Read-ahead of an index that is not searched yet. */
const rebuildBytes = 8 << 20

const keyOf = (workspaceId: string, generationId: string): string => `${workspaceId}\n${generationId}`

/** The indexes in memory, and their background work: building, saving, eviction. */
class GenerationIndexes {
  readonly #settings: UsearchSettings
  readonly #bounds: IndexBounds
  readonly #rows: VectorRows
  readonly #builder: IndexBuilder
  readonly #open = new Map<string, GenerationIndex>()
  readonly #opening = new Map<string, Promise<GenerationIndex>>()
  readonly #queued = new Set<string>()
  #working: Promise<void> | undefined
  #searches = 0
  #isClosing = false

  constructor(settings: UsearchSettings) {
    this.#settings = settings
    this.#rows = new VectorRows(settings.databasePath)
    this.#bounds = { exactFloats: settings.exactFloats, tailBytes: settings.memoryBytes / 2 }
    this.#builder = new IndexBuilder(settings.folder, {
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
            `The query vector has ${call.vector.length} dimensions and the index ${dimension}. Embed the query with the model of the index.`,
          )
        const found = await index.search(call)
        if (index.needsWork) this.refresh(call.workspaceId, call.generationId)
        return found
      })
      return hits ?? []
    } finally {
      this.#searches--
    }
  }

  refresh(workspaceId: string, generationId: string): void {
    this.#queued.add(keyOf(workspaceId, generationId))
    this.#startWork()
  }

  /** Registers deletions in the loaded generations, and unloads deleted ones. */
  tidy(): void {
    for (const [key, index] of [...this.#open]) {
      const { workspaceId, id } = index.name
      if (!this.#rows.generation(workspaceId, id)) this.#unload(key, index)
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
      if (this.#bytes() > this.#settings.memoryBytes && this.#open.size > 1) this.#startWork()
    }
  }

  async #find(name: GenerationName, revision: number): Promise<GenerationIndex> {
    const key = keyOf(name.workspaceId, name.id)
    const known = this.#open.get(key)
    if (known && !known.isBehind(revision) && known.name.dimension === name.dimension) return known
    if (known) this.#unload(key, known)
    let opening = this.#opening.get(key)
    if (!opening) {
      opening = this.#load(name).finally(() => this.#opening.delete(key))
      this.#opening.set(key, opening)
    }
    return opening
  }

  async #load(name: GenerationName): Promise<GenerationIndex> {
    const graph = new VectorGraph(name.dimension)
    const loaded = await loadVectorIndex(this.#settings.folder, name, graph)
    const index = new GenerationIndex(name, this.#rows, this.#bounds, loaded?.table)
    if (loaded) {
      index.graph = graph
      index.expansion = loaded.expansion
      index.measuredSize = loaded.measuredSize
      index.savedSize = graph.size
      // The file may be older or newer than the rows, for example after a restore.
      index.reconcile()
    }
    this.#open.set(keyOf(name.workspaceId, name.id), index)
    return index
  }

  #startWork(): void {
    if (this.#isClosing) return
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  async #work(): Promise<void> {
    for (const key of this.#queued) {
      this.#queued.delete(key)
      const [workspaceId, generationId] = key.split('\n') as [string, string]
      try {
        await this.#use(workspaceId, generationId, index => this.#improve(key, index))
      } catch {
        // Only speed is lost: the next search or refresh tries again, and searches report their own errors.
      }
      if (this.#isClosing) return
    }
    await this.#evict()
  }

  async #improve(key: string, index: GenerationIndex): Promise<void> {
    await this.#builder.build(index)
    if (!index.needsRebuild || this.#isClosing) return
    // The old index serves searches until the new one is complete.
    const next = new GenerationIndex(index.name, this.#rows, this.#bounds)
    await this.#builder.build(next, rebuildBytes)
    if (this.#isClosing || this.#open.get(key) !== index) return next.graph?.release()
    next.lastUse = index.lastUse
    this.#open.set(key, next)
    // This background work counts as one user.
    if (index.users <= 1) index.graph?.release()
  }

  #bytes(): number {
    return [...this.#open.values()].reduce((sum, index) => sum + index.bytes, 0)
  }

  /** Unloads the least recently used indexes. The latest stays, however large it is. */
  async #evict(): Promise<void> {
    const byUse = [...this.#open].sort(([, one], [, other]) => one.lastUse - other.lastUse)
    for (const [key, index] of byUse.slice(0, -1)) {
      if (this.#bytes() <= this.#settings.memoryBytes) return
      await this.#save(index)
      if (index.users === 0 && this.#open.get(key) === index) this.#unload(key, index)
    }
  }

  /** An index that cannot be saved is rebuilt when it is needed, so this never fails. */
  async #save(index: GenerationIndex): Promise<void> {
    await this.#builder.save(index).catch(() => {})
  }

  #unload(key: string, index: GenerationIndex): void {
    this.#open.delete(key)
    if (index.users === 0) index.graph?.release()
  }
}

/** The main thread serves requests and goes first. Only Linux has thread priorities. */
function yieldToMainThread(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread)) setPriority(thread, 3)
  } catch {
    // Both threads then have the same priority.
  }
}

async function handle(indexes: GenerationIndexes, request: UsearchRequest): Promise<UsearchAnswer> {
  const { callId } = request
  try {
    if (request.kind === 'search') return { callId, hits: await indexes.search(request) }
    if (request.kind === 'refresh') indexes.refresh(request.workspaceId, request.generationId)
    else if (request.kind === 'tidy') indexes.tidy()
    else await indexes.close()
    return { callId, hits: [] }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { callId, failure: { message, stack } }
  }
}

yieldToMainThread()
const port = parentPort!
const indexes = new GenerationIndexes(workerData as UsearchSettings)
port.on('message', async (request: UsearchRequest) => {
  port.postMessage(await handle(indexes, request))
  if (request.kind === 'close') port.close()
})
