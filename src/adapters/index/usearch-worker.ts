import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { nextTurn } from '../../kernel/pause.ts'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'
import type { VectorHit } from '../../knowledge/search/vector-index.ts'
import { GenerationIndex, type IndexBounds, type VectorQuery } from './generation-index.ts'
import { loadVectorIndex, saveVectorIndex } from './index-files.ts'
import { VectorGraph } from './vector-graph.ts'
import { type GenerationName, VectorRows } from './vector-rows.ts'

// The program of the worker thread, and the messages that it exchanges with the main thread.

export interface UsearchSettings {
  databasePath: string
  folder: string
  memoryBytes: number
  /** Generations with fewer floats have no graph and are searched exactly. */
  exactFloats: number
}

type GenerationKey = Pick<GenerationName, 'workspaceId' | 'id'>
export type UsearchCall =
  | ({ kind: 'search' } & GenerationKey & VectorQuery)
  | ({ kind: 'refresh' } & GenerationKey)
  | { kind: 'tidy' }
  | { kind: 'close' }
export type UsearchRequest = UsearchCall & { callId: number }
export type UsearchAnswer = { callId: number; hits: VectorHit[] } | { callId: number; error: unknown }

/** The build yields to searches this often. */
const buildMilliseconds = 4
/** A growing graph is saved when it doubles and has this many new vectors; a complete one when this share is new. */
const saveVectors = 20_000
const saveShare = 0.2
/** Read-ahead of an index that is not searched yet. */
const rebuildBytes = 8 << 20

const keyOf = ({ workspaceId, id }: GenerationKey): string => `${workspaceId}\n${id}`

/** The indexes in memory, and their background work: building, saving, eviction. */
class GenerationIndexes {
  readonly #settings: UsearchSettings
  readonly #bounds: IndexBounds
  readonly #connection: DatabaseSync
  readonly #generation: StatementSync
  readonly #open = new Map<string, GenerationIndex>()
  readonly #opening = new Map<string, Promise<GenerationIndex>>()
  readonly #queued = new Map<string, GenerationKey>()
  #working: Promise<void> | undefined
  #searches = 0
  #isClosing = false

  constructor(settings: UsearchSettings) {
    this.#settings = settings
    this.#bounds = { exactFloats: settings.exactFloats, tailBytes: settings.memoryBytes / 2 }
    this.#connection = new DatabaseSync(settings.databasePath, { readOnly: true, timeout: 1000 })
    this.#generation = this.#connection.prepare(
      'SELECT revision, dimension FROM generations WHERE workspace_id = ? AND id = ? AND gone = 0',
    )
  }

  async search(generation: GenerationKey, query: VectorQuery): Promise<VectorHit[]> {
    this.#searches++
    try {
      const hits = await this.#use(generation, async index => {
        const { dimension } = index.rows.name
        if (query.vector.length !== dimension)
          throw new Error(
            `The query vector has ${query.vector.length} dimensions and the index ${dimension}. Embed the query with the model of the index.`,
          )
        return index.search(query)
      })
      return hits ?? []
    } finally {
      this.#searches--
    }
  }

  refresh(generation: GenerationKey): void {
    this.#queued.set(keyOf(generation), generation)
    this.#startWork()
  }

  /** Registers deletions in the loaded generations, and unloads deleted ones. */
  tidy(): void {
    for (const [key, index] of [...this.#open])
      if (!this.#find(index.rows.name)) this.#unload(key, index)
      else {
        index.reconcile()
        this.refresh(index.rows.name)
      }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#working
    for (const index of this.#open.values()) await this.#save(index)
    this.#connection.close()
  }

  #find({ workspaceId, id }: GenerationKey): { revision: number; dimension: number | null } | undefined {
    return this.#generation.get(workspaceId, id) as { revision: number; dimension: number | null } | undefined
  }

  async #use<Result>({ workspaceId, id }: GenerationKey, work: (index: GenerationIndex) => Promise<Result>) {
    const generation = this.#find({ workspaceId, id })
    if (!generation?.dimension) return undefined
    const { revision, dimension } = generation
    const index = await this.#indexOf({ workspaceId, id, dimension }, revision)
    index.catchUp(revision)
    index.users++
    index.lastUse = performance.now()
    try {
      return await work(index)
    } finally {
      index.users--
      if (this.#bytes() > this.#settings.memoryBytes && this.#open.size > 1) this.#startWork()
    }
  }

  async #indexOf(name: GenerationName, revision: number): Promise<GenerationIndex> {
    const key = keyOf(name)
    const known = this.#open.get(key)
    // A smaller revision: the database was restored to an earlier state, and the index is void.
    if (known && revision >= known.revision && known.rows.name.dimension === name.dimension) return known
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
    const batches = await loadVectorIndex(this.#settings.folder, name, graph)
    const rows = new VectorRows(this.#connection, name)
    const index = new GenerationIndex(rows, this.#bounds, batches && { graph, batches })
    // The file may be older or newer than the rows, for example after a restore.
    if (batches) index.reconcile()
    this.#open.set(keyOf(name), index)
    this.refresh(name)
    return index
  }

  #startWork(): void {
    if (this.#isClosing) return
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  async #work(): Promise<void> {
    for (const [key, generation] of this.#queued) {
      this.#queued.delete(key)
      try {
        await this.#use(generation, index => this.#improve(key, index))
      } catch {
        // Only speed is lost: the next refresh tries again, and searches report their own errors.
      }
      if (this.#isClosing) return
    }
    await this.#evict()
  }

  async #improve(key: string, index: GenerationIndex): Promise<void> {
    await this.#build(index)
    if (!index.needsRebuild || this.#isClosing) return
    // The old index serves searches until the new one is complete.
    const next = new GenerationIndex(index.rows, this.#bounds)
    next.catchUp(index.revision)
    await this.#build(next, rebuildBytes)
    if (this.#isClosing || this.#open.get(key) !== index) return next.graph?.release()
    next.lastUse = index.lastUse
    this.#open.set(key, next)
    // This background work counts as one user.
    if (index.users <= 1) index.graph?.release()
  }

  /** Moves new vectors into the graph, and saves it. `readBytes` limits the read-ahead. */
  async #build(index: GenerationIndex, readBytes?: number): Promise<void> {
    await index.read(readBytes)
    let yieldAt = performance.now() + buildMilliseconds
    while (!this.#isClosing && (await index.grow(readBytes))) {
      // Adds one vector between searches, so that the build also finishes under constant load.
      if (this.#searches === 0 && performance.now() < yieldAt) continue
      await nextTurn()
      yieldAt = performance.now() + buildMilliseconds
      if (index.unsavedSize >= Math.max(saveVectors, index.savedSize)) await this.#save(index)
    }
    if (!this.#isClosing && index.unsavedSize > saveShare * index.savedSize) await this.#save(index)
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
    if (index.unsavedSize > 0) await saveVectorIndex(this.#settings.folder, index).catch(() => {})
  }

  #unload(key: string, index: GenerationIndex): void {
    this.#open.delete(key)
    if (index.users === 0) index.graph?.release()
  }
}

lowerThreadPriority(3)
const port = parentPort!
const indexes = new GenerationIndexes(workerData as UsearchSettings)

async function handle(call: UsearchCall): Promise<VectorHit[]> {
  if (call.kind === 'search') return indexes.search(call, call)
  if (call.kind === 'refresh') indexes.refresh(call)
  else if (call.kind === 'tidy') indexes.tidy()
  else await indexes.close()
  return []
}

port.on('message', async (request: UsearchRequest) => {
  const { callId } = request
  const answer = await handle(request).then(
    (hits): UsearchAnswer => ({ callId, hits }),
    (error: unknown): UsearchAnswer => ({ callId, error }),
  )
  port.postMessage(answer)
  if (request.kind === 'close') port.close()
})
