import type { FileService } from '../../files/file-service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { DocumentStatus } from '../document.ts'
import type { Embedder } from '../embedder.ts'
import { DocumentFailure } from './document-failure.ts'
import type { DocumentReader, ReadPart } from './document-reader.ts'
import type { Reading, ReadingStore } from './reading-store.ts'

interface Parts {
  readings: ReadingStore
  files: FileService
  reader: DocumentReader
  embedder: Embedder
  clock: Clock
}

/** Somebody else has the document now, or it is gone: whatever was done is void, and nobody needs to be told. */
class LeaseLost extends Error {}

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
  #shownAt = 0

  constructor(reading: Reading, parts: Parts, leaseMilliseconds: number) {
    this.#reading = reading
    this.#parts = parts
    this.#leaseMilliseconds = leaseMilliseconds
  }

  /** False when the lease was lost. Fails with whatever is wrong with the document. */
  async run(stopping: AbortSignal): Promise<boolean> {
    const { readings, clock } = this.#parts
    const heartbeat = setInterval(() => void this.#renew(), this.#leaseMilliseconds / 3)
    heartbeat.unref()
    const signal = AbortSignal.any([stopping, this.#cancel.signal])
    try {
      await this.#read(signal)
      return await readings.finish(this.#reading, this.#chunkCount, clock.now())
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
    const file = await files.find(workspaceId, fileId)
    const bytes = new Uint8Array(file.size)
    let at = 0
    for await (const piece of await files.read(file)) {
      bytes.set(piece as Uint8Array, at)
      at += (piece as Uint8Array).length
    }
    await reader.read({ name, mimeType, bytes, chunking, batchId }, part => this.#take(part, signal), signal)
  }

  async #take(part: ReadPart, signal: AbortSignal): Promise<void> {
    const { readings, embedder, clock } = this.#parts
    const { batchId, embeddingModel, workspaceId, generationId } = this.#reading
    const from = this.#chunkCount
    this.#chunkCount += part.chunks.length
    const idPrefix = batchId.replace('batch_', 'chunk_')
    const chunks = part.chunks.map(chunk => ({ ...chunk, id: `${idPrefix}_${chunk.position}` }))
    await this.#show('chunking')
    this.#hold(await readings.stageChunks(this.#reading, chunks))
    if (part.segment)
      this.#hold(await readings.stageSegment(this.#reading, part.segment, this.#segmentCount++, clock.now()))
    if (!embeddingModel || chunks.length === 0) return
    await this.#show('embedding')
    const vectors = await embedder.embed(workspaceId, embeddingModel, chunks, signal)
    const dimension = vectors[0]!.length
    if (!(await readings.agreeOnDimension(workspaceId, generationId, dimension)))
      throw new DocumentFailure(
        'embedding_changed',
        `The embedding model gave vectors of ${dimension} numbers, and others before. Choose the model again to build a new index.`,
      )
    this.#hold(await readings.stageVectors(this.#reading, from, vectors))
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
    if (!isNew || now - this.#shownAt < 500) return
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
