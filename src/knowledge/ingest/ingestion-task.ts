import { LeaseLost } from '../../cluster/lease-name.ts'
import type { Leases } from '../../cluster/leases.ts'
import type { FileService } from '../../files/file-service.ts'
import { mintId } from '../../kernel/ids.ts'
import { dimensionChanged, type Embedder } from '../embedder.ts'
import type { DocumentStatus } from '../knowledge-base.ts'
import type { IndexedPassages, ManualPassageStore } from '../manual-passage-store.ts'
import type { TextIndexer } from '../text-indexer.ts'
import type { UnreadPages } from './block.ts'
import type { Chunk } from './chunking/chunk.ts'
import type { DocumentReader, ReadPart } from './document-reader.ts'
import { unreadPages } from './document-warning.ts'
import type { GroupStore } from './group-store.ts'
import type { IngestionJob, IngestionQueue, JobKey } from './ingestion-queue.ts'
import type { StagedChunk, StagedPart, StagingStore } from './staging-store.ts'

export interface TaskParts {
  queue: IngestionQueue
  staging: StagingStore
  groups: GroupStore
  passages: ManualPassageStore
  files: FileService
  reader: DocumentReader
  indexer: TextIndexer
  embedder: Embedder
  leases: Leases<JobKey>
}

export function withIds({ batchId }: IngestionJob, chunks: Chunk[]): StagedChunk[] {
  const prefix = batchId.replace('batch_', 'chunk_')
  return chunks.map(chunk => ({ ...chunk, id: `${prefix}_${chunk.position}` }))
}

/** One attempt to ingest one document. */
export class IngestionTask {
  readonly #job: IngestionJob
  readonly #parts: TaskParts
  readonly #cancel = new AbortController()
  #status: DocumentStatus = 'parsing'
  /** How much is done, from 0 to 1. It never decreases. */
  #done = 0
  chunkCount = 0
  recognisedPages = 0
  #pages: { done: number; total: number } | undefined
  /** The value of `#done` when the recognition of pages began. */
  #doneBefore = 0
  /** The share of the file that was read, as far as it is known. */
  #readShare: number | undefined
  #segmentCount = 0
  #dimension: number | null
  #reportedAt = 0
  #reported: Promise<unknown> = Promise.resolve()

  constructor(job: IngestionJob, parts: TaskParts) {
    this.#job = job
    this.#dimension = job.dimension
    this.#parts = parts
  }

  get workspaceId(): string {
    return this.#job.workspaceId
  }

  /** Called when the lease is lost. */
  cancel(): void {
    this.#cancel.abort(new LeaseLost())
  }

  /** False when the lease is lost. Fails with the error of the document. */
  async run(stopping: AbortSignal): Promise<boolean> {
    const { leases } = this.#parts
    leases.keep(this.#job, { lost: () => this.cancel() })
    const signal = AbortSignal.any([stopping, this.#cancel.signal])
    try {
      await this.#read(signal)
      return true
    } catch (error) {
      if (this.#cancel.signal.aborted || error instanceof LeaseLost) return false
      throw error
    } finally {
      leases.drop(this.#job.lease)
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { files, reader } = this.#parts
    const { workspaceId, fileId, name, mimeType, size, chunking, batchId } = this.#job
    const load = async (): Promise<Uint8Array<ArrayBuffer>> =>
      files.load(await files.find(workspaceId, fileId))
    const onPages = async (done: number, total: number): Promise<void> => {
      this.recognisedPages = done
      if (!this.#pages) this.#doneBefore = this.#done
      this.#pages = { done, total }
      if (this.#status === 'parsing') await this.#reportProgress('parsing')
    }
    const onProgress = async (done: number, total: number): Promise<void> => {
      this.#readShare = done / total
      await this.#reportProgress(this.#status)
    }
    const file = { workspaceId, name, mimeType, size, load, chunking, batchId, onPages, onProgress }
    await reader.read(file, part => this.#take(part, signal), signal)
  }

  async #take(read: ReadPart, signal: AbortSignal): Promise<void> {
    const { staging, leases } = this.#parts
    this.chunkCount += read.chunks.length
    const chunks = withIds(this.#job, read.chunks)
    // A small document is one part, stored before a client could see its progress.
    if (!read.isLast && this.#status !== 'embedding') await this.#reportProgress('chunking')
    const part: StagedPart = {
      chunks,
      segment: read.segment,
      segmentOrdinal: read.segment ? this.#segmentCount++ : 0,
      vectors: await this.#embed(chunks, signal),
    }
    const isHeld = read.isLast
      ? await this.#finish(part, read.unreadPages, signal)
      : await staging.stage(this.#job, part, leases.time.now())
    if (!isHeld) throw new LeaseLost()
  }

  async #finish(last: StagedPart, unread: UnreadPages[], signal: AbortSignal): Promise<boolean> {
    const more = { manual: await this.#manual(signal), warnings: unreadPages(unread) }
    const { staging, leases } = this.#parts
    return staging.finish(this.#job, last, this.chunkCount, leases.time.now(), more)
  }

  /** The passages that users added, which are not in the file. */
  async #manual(signal: AbortSignal): Promise<IndexedPassages> {
    const { workspaceId, name } = this.#job
    const passages = await this.#parts.passages.list(this.#job)
    const [batchId, from] = [mintId('batch'), this.chunkCount]
    if (passages.length === 0) return { batchId, from, passages, segment: undefined, vectors: [] }
    const texts = passages.map(({ content }) => content)
    const segment = await this.#parts.indexer.indexTexts(workspaceId, { batchId, name, from, texts })
    const vectors = await this.#embed(
      texts.map(content => ({ content, heading: [] })),
      signal,
    )
    return { batchId, from, passages, segment, vectors }
  }

  async #embed(
    chunks: Pick<StagedChunk, 'content' | 'heading'>[],
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const { staging, embedder } = this.#parts
    const { embeddingModel, workspaceId, generationId } = this.#job
    if (!embeddingModel) return []
    await this.#reportProgress('embedding')
    const generation = { embeddingModel, dimension: this.#dimension }
    const vectors = await embedder.embed(workspaceId, generation, chunks, signal)
    if (this.#dimension === null) {
      const { length } = vectors[0]!
      if (!(await staging.agreeOnDimension(workspaceId, generationId, length))) throw dimensionChanged(length)
      this.#dimension = length
    }
    return vectors
  }

  /**
   * The length of most documents is unknown before their end, so the progress grows ever more slowly. The number of
   * pages is known, and those to recognise take nearly all of the remaining time. Each attachment of a mail counts its
   * own pages, so what a reader reports may decrease.
   */
  async #reportProgress(status: DocumentStatus): Promise<void> {
    const share = this.#pages
      ? this.#doneBefore + ((1 - this.#doneBefore) * this.#pages.done) / Math.max(1, this.#pages.total)
      : (this.#readShare ?? 1 - 1 / (1 + this.chunkCount / 500))
    this.#done = Math.max(this.#done, share)
    const progress = Math.round(this.#done * 90 + 5) / 100
    const isNew = status !== this.#status
    this.#status = status
    const { queue, leases } = this.#parts
    const now = leases.time.now()
    const isLastPage = this.#pages !== undefined && this.#pages.done === this.#pages.total
    if (!isNew && !isLastPage && now - this.#reportedAt < 500) return
    this.#reportedAt = now
    const pages = this.#pages
    // Reports run one after the other: pages are recognised in parallel, and an older report must not replace a newer
    // one.
    const renewed = this.#reported.then(() =>
      queue.renew(this.#job, status, progress, now, leases.until(), pages),
    )
    this.#reported = renewed
    if (!(await renewed)) throw new LeaseLost()
  }
}
