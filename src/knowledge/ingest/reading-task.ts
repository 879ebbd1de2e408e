import type { FileService } from '../../files/file-service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { LeaseLost } from '../../kernel/lease.ts'
import type { DocumentStatus } from '../document.ts'
import { DimensionChanged, type Embedder } from '../embedder.ts'
import type { DocumentReader, ReadPart } from './document-reader.ts'
import type { Reading, ReadingStore, StagedChunk, StagedPart } from './reading-store.ts'

interface Parts {
  readings: ReadingStore
  files: FileService
  reader: DocumentReader
  embedder: Embedder
  clock: Clock
}

/** One attempt to read one document. */
export class ReadingTask {
  readonly #reading: Reading
  readonly #parts: Parts
  readonly #leaseMilliseconds: number
  readonly #cancel = new AbortController()
  #status: DocumentStatus = 'parsing'
  #progress = 0
  #chunkCount = 0
  #segmentCount = 0
  #dimension: number | null
  #shownAt = 0

  constructor(reading: Reading, parts: Parts, leaseMilliseconds: number) {
    this.#reading = reading
    this.#dimension = reading.dimension
    this.#parts = parts
    this.#leaseMilliseconds = leaseMilliseconds
  }

  /** False when the lease was lost. Fails with whatever is wrong with the document. */
  async run(stopping: AbortSignal): Promise<boolean> {
    const heartbeat = setInterval(() => void this.#renew(), this.#leaseMilliseconds / 3)
    heartbeat.unref()
    const signal = AbortSignal.any([stopping, this.#cancel.signal])
    try {
      await this.#read(signal)
      return true
    } catch (error) {
      if (this.#cancel.signal.aborted || error instanceof LeaseLost) return false
      throw error
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { files, reader } = this.#parts
    const { workspaceId, fileId, name, mimeType, chunking, batchId } = this.#reading
    const load = async (): Promise<Uint8Array<ArrayBuffer>> => {
      const file = await files.find(workspaceId, fileId)
      const bytes = new Uint8Array(file.size)
      let at = 0
      for await (const piece of await files.read(file)) {
        bytes.set(piece as Uint8Array, at)
        at += (piece as Uint8Array).length
      }
      return bytes
    }
    await reader.read({ name, mimeType, load, chunking, batchId }, part => this.#take(part, signal), signal)
  }

  async #take(read: ReadPart, signal: AbortSignal): Promise<void> {
    const { readings, clock } = this.#parts
    this.#chunkCount += read.chunks.length
    const idPrefix = this.#reading.batchId.replace('batch_', 'chunk_')
    const chunks = read.chunks.map(chunk => ({ ...chunk, id: `${idPrefix}_${chunk.position}` }))
    // A small document comes in one part, and is stored before anybody could look at its progress.
    if (!read.isLast && this.#status !== 'embedding') await this.#show('chunking')
    const part: StagedPart = {
      chunks,
      segment: read.segment,
      segmentOrdinal: read.segment ? this.#segmentCount++ : 0,
      vectors: await this.#embed(chunks, signal),
    }
    this.#hold(
      read.isLast
        ? await readings.finish(this.#reading, part, this.#chunkCount, clock.now())
        : await readings.stage(this.#reading, part, clock.now()),
    )
  }

  async #embed(chunks: StagedChunk[], signal: AbortSignal): Promise<Float32Array[]> {
    const { readings, embedder } = this.#parts
    const { embeddingModel, workspaceId, generationId } = this.#reading
    if (!embeddingModel) return []
    await this.#show('embedding')
    const generation = { embeddingModel, dimension: this.#dimension }
    const vectors = await embedder.embed(workspaceId, generation, chunks, signal)
    const { length } = vectors[0]!
    if (!(await readings.agreeOnDimension(workspaceId, generationId, length)))
      throw new DimensionChanged(length)
    this.#dimension = length
    return vectors
  }

  #hold(isHeld: boolean): void {
    if (!isHeld) throw new LeaseLost()
  }

  /** How much of a document is left nobody knows before its end, so the share rises ever more slowly. */
  async #show(status: DocumentStatus): Promise<void> {
    this.#progress = Math.round((1 - 1 / (1 + this.#chunkCount / 500)) * 90 + 5) / 100
    const isNew = status !== this.#status
    this.#status = status
    const now = this.#parts.clock.now()
    if (!isNew && now - this.#shownAt < 500) return
    this.#shownAt = now
    this.#hold(await this.#renewed(now))
  }

  #renewed(now: number): Promise<boolean> {
    return this.#parts.readings.renew(
      this.#reading,
      this.#status,
      this.#progress,
      now,
      now + this.#leaseMilliseconds,
    )
  }

  async #renew(): Promise<void> {
    try {
      if (!(await this.#renewed(this.#parts.clock.now()))) this.#cancel.abort(new LeaseLost())
    } catch {
      // The database may be back before the lease ends; if not, the next write says so.
    }
  }
}
