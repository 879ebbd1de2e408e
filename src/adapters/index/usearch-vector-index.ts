import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../kernel/app-error.ts'
import type { Generation } from '../../knowledge/knowledge-base.ts'
import type { VectorHit, VectorIndex } from '../../knowledge/search/vector-index.ts'
import { sweepIndexFiles } from './index-files.ts'
import type { UsearchAnswer, UsearchCall, UsearchRequest, UsearchSettings } from './usearch-worker.ts'

const defaults = {
  memoryBytes: 512 << 20,
  /** About 20,000 vectors of 384 dimensions: 4 ms, less than a graph needs for data without clusters. */
  exactFloats: 8 << 20,
}

/** The client of the worker thread, which starts with the first call. */
export class UsearchVectorIndex implements VectorIndex {
  readonly #settings: UsearchSettings
  readonly #pending = new Map<number, PromiseWithResolvers<VectorHit[]>>()
  #worker: Worker | undefined
  #calls = 0
  #isClosed = false

  /** `folder` is the data folder; the index files are in its folder `vectors`. */
  constructor(options: Omit<UsearchSettings, keyof typeof defaults> & Partial<typeof defaults>) {
    this.#settings = { ...defaults, ...options, folder: join(options.folder, 'vectors') }
  }

  async search(
    workspaceId: string,
    { id }: Generation,
    vector: Float32Array,
    limit: number,
    batchIds: Set<string> | undefined,
  ): Promise<VectorHit[]> {
    // A copy: posting a view sends the whole buffer behind it.
    const own = Float32Array.from(vector)
    return this.#call({ kind: 'search', workspaceId, id, vector: own, limit, batchIds })
  }

  refresh(workspaceId: string, id: string): void {
    // A failure also shows in the next search.
    this.#call({ kind: 'refresh', workspaceId, id }).catch(() => {})
  }

  async tidy(signal: AbortSignal): Promise<void> {
    if (this.#isClosed) return
    await sweepIndexFiles(this.#settings, signal)
    if (this.#worker && !signal.aborted) await this.#call({ kind: 'tidy' })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const worker = this.#worker
    if (!worker) return
    await this.#send(worker, { kind: 'close' }).catch(() => {})
    await worker.terminate()
  }

  async #call(call: UsearchCall): Promise<VectorHit[]> {
    if (this.#isClosed) throw new AppError('unavailable', 'The vector index is closed')
    this.#worker ??= this.#start()
    return this.#send(this.#worker, call)
  }

  #send(worker: Worker, call: UsearchCall): Promise<VectorHit[]> {
    const callId = ++this.#calls
    const pending = Promise.withResolvers<VectorHit[]>()
    this.#pending.set(callId, pending)
    // A pending call keeps the process alive; an idle worker does not.
    worker.ref()
    worker.postMessage({ ...call, callId } satisfies UsearchRequest)
    return pending.promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./usearch-worker.ts', import.meta.url), {
      workerData: this.#settings,
      name: 'vector-index',
    })
    worker.on('message', (answer: UsearchAnswer) => this.#settle(worker, answer))
    worker.on('error', error => this.#handleExit(worker, error))
    worker.on('exit', code => this.#handleExit(worker, new Error(`The worker ended with code ${code}`)))
    return worker
  }

  #settle(worker: Worker, answer: UsearchAnswer): void {
    const pending = this.#pending.get(answer.callId)
    this.#pending.delete(answer.callId)
    if (this.#pending.size === 0) worker.unref()
    if ('hits' in answer) pending?.resolve(answer.hits)
    else pending?.reject(answer.error)
  }

  #handleExit(worker: Worker, cause: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    const message = 'The vector index stopped unexpectedly; it starts again with the next search'
    for (const { reject } of this.#pending.values()) reject(new AppError('unavailable', message, { cause }))
    this.#pending.clear()
  }
}
