import { LeaseLost } from '../../cluster/lease-name.ts'
import { noFile } from '../../files/file-service.ts'
import { forEachConcurrently } from '../../kernel/for-each-concurrently.ts'
import { mintId } from '../../kernel/ids.ts'
import { dimensionChanged } from '../embedder.ts'
import { DocumentFailure } from './document-failure.ts'
import type { FileToRead } from './document-reader.ts'
import type { ReadDocument } from './group-store.ts'
import type { IngestionJob } from './ingestion-queue.ts'
import { type TaskParts, withIds } from './ingestion-task.ts'

/** The outcome of the documents of a group; a document in no list lost its lease. */
interface GroupOutcome {
  ready: ReadDocument[]
  failed: { job: IngestionJob; error: unknown }[]
  alone: IngestionJob[]
}

const loadsAtOnce = 8

/** One attempt to ingest small texts together. */
export class GroupTask {
  readonly #jobs: readonly IngestionJob[]
  readonly #parts: TaskParts
  readonly #cancel = new AbortController()

  constructor(jobs: readonly IngestionJob[], parts: TaskParts) {
    this.#jobs = jobs
    this.#parts = parts
  }

  get workspaceId(): string {
    return this.#jobs[0]!.workspaceId
  }

  /** Called when all leases are lost. */
  cancel(): void {
    this.#cancel.abort(new LeaseLost())
  }

  /** Fails if the documents could not be read together; each of them is then tried alone. */
  async run(stopping: AbortSignal): Promise<GroupOutcome> {
    const { leases } = this.#parts
    // A document whose lease is lost is left out at the end; the others continue.
    for (const job of this.#jobs) leases.keep(job, { lost: () => leases.drop(job.lease) })
    try {
      return await this.#ingest(AbortSignal.any([stopping, this.#cancel.signal]))
    } finally {
      for (const { lease } of this.#jobs) leases.drop(lease)
    }
  }

  async #ingest(signal: AbortSignal): Promise<GroupOutcome> {
    const { reader, groups, leases } = this.#parts
    const failed: GroupOutcome['failed'] = []
    const loaded = await this.#load(failed)
    if (loaded.length === 0) return { ready: [], failed, alone: [] }
    const { files, segment } = await reader.readGroup(
      this.workspaceId,
      loaded.map(({ file }) => file),
      signal,
    )
    const read: ReadDocument[] = []
    const alone: IngestionJob[] = []
    for (const [at, { job }] of loaded.entries()) {
      const result = files[at]
      if (!result) alone.push(job)
      else if (Array.isArray(result)) read.push({ job, chunks: withIds(job, result), vectors: [] })
      else failed.push({ job, error: new DocumentFailure(result.code, result.message, result) })
    }
    await this.#embed(read, signal)
    signal.throwIfAborted()
    const ready = segment ? await groups.finish(read, segment, mintId('seg'), leases.time.now()) : []
    return { ready, failed, alone }
  }

  /** A failure of the model is handled for each document, when it is tried alone. */
  async #embed(read: ReadDocument[], signal: AbortSignal): Promise<void> {
    const { groups, staging, embedder, leases } = this.#parts
    const { generationId, embeddingModel, dimension } = this.#jobs[0]!
    if (!embeddingModel || read.length === 0) return
    const jobs = read.map(({ job }) => job)
    await groups.reportEmbedding(jobs, leases.time.now())
    const chunks = read.flatMap(document => document.chunks)
    const vectors = await embedder.embed(this.workspaceId, { embeddingModel, dimension }, chunks, signal)
    const { length } = vectors[0]!
    if (dimension === null && !(await staging.agreeOnDimension(this.workspaceId, generationId, length)))
      throw dimensionChanged(length)
    for (const document of read) document.vectors = vectors.splice(0, document.chunks.length)
  }

  async #load(failed: GroupOutcome['failed']) {
    const { files } = this.#parts
    const found = await files.store.locate(
      this.workspaceId,
      this.#jobs.map(job => job.fileId),
    )
    const byId = new Map(found.map(file => [file.id, file]))
    const loaded: { job: IngestionJob; file: FileToRead }[] = []
    await forEachConcurrently(loadsAtOnce, this.#jobs, async job => {
      const { name, mimeType, chunking, batchId } = job
      try {
        const file = byId.get(job.fileId)
        if (!file) throw noFile()
        loaded.push({ job, file: { name, mimeType, chunking, batchId, bytes: await files.load(file) } })
      } catch (error) {
        failed.push({ job, error })
      }
    })
    return loaded
  }
}
