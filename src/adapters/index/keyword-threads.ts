import { Worker } from 'node:worker_threads'
import { AppError } from '../../kernel/app-error.ts'
import {
  KeywordIndex,
  type KeywordPlace,
  type KeywordResult,
  type KeywordSearch,
} from '../../knowledge/index/keyword-index.ts'
import { SegmentCache } from '../../knowledge/index/segment-cache.ts'
import type { SegmentSource } from '../../knowledge/index/segment-store.ts'
import type { QueryTerms } from '../../knowledge/text/query-terms.ts'
import type {
  Answers,
  FromThread,
  KeywordCall,
  KeywordThreadSettings,
  MatchCall,
  ToThread,
} from './keyword-worker.ts'

interface KeywordThreadOptions {
  threads: number
  /** Size limit of all caches together. */
  cacheBytes: number
  /** Fewer chunks are scored on the main thread, in less time than a message to a thread and back takes. */
  minChunks?: number
}

const defaultMinChunks = 4096
/** The part of the memory for generations that are scored on the main thread. */
const mainShare = 0.25

const unavailable = (message: string, cause?: Error): AppError =>
  new AppError('unavailable', message, { ...(cause && { cause }) })

/** Scores searches of large generations in threads, which start with the first one. */
export class KeywordThreads implements KeywordSearch {
  readonly #source: SegmentSource
  readonly #main: KeywordIndex
  readonly #settings: KeywordThreadSettings
  readonly #minChunks: number
  readonly #maxThreads: number
  readonly #threads: KeywordThread[] = []
  #isClosed = false

  constructor(source: SegmentSource, { threads, cacheBytes, minChunks }: KeywordThreadOptions) {
    this.#source = source
    this.#main = new KeywordIndex(source, new SegmentCache(source, cacheBytes * mainShare))
    this.#settings = { cacheBytes: (cacheBytes * (1 - mainShare)) / threads }
    this.#minChunks = minChunks ?? defaultMinChunks
    this.#maxThreads = threads
  }

  async search(
    workspaceId: string,
    generationId: string,
    terms: QueryTerms,
    limit: number,
    batchIds?: ReadonlySet<string>,
  ): Promise<KeywordResult> {
    const { segments, isLarge } = await this.#segments(workspaceId, generationId)
    if (!isLarge) return this.#main.search(workspaceId, generationId, terms, limit, batchIds, segments)
    const call = { workspaceId, generationId, terms, limit, batchIds, segments }
    return this.#thread().call({ kind: 'search', ...call })
  }

  async match(
    workspaceId: string,
    generationId: string,
    hits: KeywordPlace[],
    weights: ReadonlyMap<string, number>,
  ): Promise<number[] | undefined> {
    const { segments, isLarge } = await this.#segments(workspaceId, generationId)
    if (!isLarge) return this.#main.match(workspaceId, generationId, hits, weights, segments)
    const places = {
      segmentIds: hits.map(({ segmentId }) => segmentId),
      chunks: Uint32Array.from(hits, ({ chunk }) => chunk),
    }
    const call = { workspaceId, generationId, ...places, weights, segments }
    return this.#thread().call({ kind: 'match', ...call })
  }

  async #segments(workspaceId: string, generationId: string) {
    const segments = await this.#source.segments(workspaceId, generationId)
    const chunks = segments.reduce((sum, segment) => sum + segment.chunkCount, 0)
    return { segments, isLarge: chunks >= this.#minChunks }
  }

  /** The first one with the fewest searches, so that few searches at a time use few caches. */
  #thread(): KeywordThread {
    if (this.#isClosed) throw unavailable('The keyword index is closed')
    let chosen: KeywordThread | undefined
    for (const thread of this.#threads) if (!chosen || thread.pending < chosen.pending) chosen = thread
    if (chosen && (chosen.pending === 0 || this.#threads.length === this.#maxThreads)) return chosen
    const started = new KeywordThread(this.#source, this.#settings, () => {
      this.#threads.splice(this.#threads.indexOf(started), 1)
    })
    this.#threads.push(started)
    return started
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#threads.map(thread => thread.stop()))
  }
}

/** The client of one thread. */
class KeywordThread {
  readonly #source: SegmentSource
  readonly #worker: Worker
  readonly #calls = new Map<number, PromiseWithResolvers<Answers[keyof Answers]>>()
  #callCount = 0

  constructor(source: SegmentSource, settings: KeywordThreadSettings, onExit: () => void) {
    this.#source = source
    this.#worker = new Worker(new URL('./keyword-worker.ts', import.meta.url), {
      workerData: settings,
      name: 'keyword-index',
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('error', error => this.#failAll(error))
    this.#worker.on('exit', code => {
      onExit()
      this.#failAll(new Error(`The thread ended with code ${code}`))
    })
  }

  get pending(): number {
    return this.#calls.size
  }

  call<Call extends KeywordCall | MatchCall>(call: Call): Promise<Answers[Call['kind']]> {
    const id = ++this.#callCount
    const pending = Promise.withResolvers<Answers[keyof Answers]>()
    this.#calls.set(id, pending)
    // A pending call keeps the process alive; an idle thread does not.
    this.#worker.ref()
    this.#send({ id, ...call })
    return pending.promise as Promise<Answers[Call['kind']]>
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(message: ToThread, transferred: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transferred)
  }

  #receive(message: FromThread): void {
    if (message.kind === 'read') return void this.#read(message)
    const call = this.#calls.get(message.id)
    this.#calls.delete(message.id)
    if (this.#calls.size === 0) this.#worker.unref()
    if (message.kind === 'found') call?.resolve(message.result)
    else call?.reject(unavailable(message.message))
  }

  async #read({ id, method, args }: Extract<FromThread, { kind: 'read' }>): Promise<void> {
    try {
      const value = await (this.#source[method] as (...args: unknown[]) => Promise<unknown>)(...args)
      const copies: ArrayBuffer[] = []
      this.#send({ kind: 'read', id, value: copied(value, copies) }, copies)
    } catch (error) {
      this.#send({ kind: 'refused', id, message: error instanceof Error ? error.message : String(error) })
    }
  }

  #failAll(cause: Error): void {
    const message = 'The keyword index stopped unexpectedly; it starts again with the next search'
    for (const { reject } of this.#calls.values()) reject(unavailable(message, cause))
    this.#calls.clear()
  }
}

/** The value with copies of all bytes, which can be transferred: a driver may return parts of a larger buffer. */
function copied(value: unknown, copies: ArrayBuffer[]): unknown {
  const copy = (bytes: unknown): unknown => {
    if (!(bytes instanceof Uint8Array)) return bytes
    const own = Uint8Array.from(bytes)
    copies.push(own.buffer)
    return own
  }
  if (value instanceof Map) return new Map([...value].map(([key, bytes]) => [key, copy(bytes)]))
  return Array.isArray(value) ? value.map(copy) : value
}
