import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { ModelFailure } from '../models/model-failure.ts'
import type { ChunkStore, FoundChunk, StoredChunk } from './chunk-store.ts'
import type { DocumentStore } from './document-store.ts'
import type { Embedder } from './embedder.ts'
import { SegmentBuilder } from './index/segment-builder.ts'
import { countTokens } from './ingest/chunking/count-tokens.ts'
import type { Generation, KnowledgeBase } from './knowledge-base.ts'
import type { KnowledgeService } from './knowledge-service.ts'
import { chunkTerms } from './text/text-terms.ts'

export interface Correction {
  content?: string
  enabled?: boolean
}

/** Lists the chunks of a document, and corrects them. */
export class ChunkService {
  readonly #store: ChunkStore
  readonly #documents: DocumentStore
  readonly #bases: KnowledgeService
  readonly #embedder: Embedder
  readonly #clock: Clock

  constructor(
    store: ChunkStore,
    documents: DocumentStore,
    bases: KnowledgeService,
    embedder: Embedder,
    clock: Clock,
  ) {
    this.#store = store
    this.#documents = documents
    this.#bases = bases
    this.#embedder = embedder
    this.#clock = clock
  }

  async list(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    page: PageRequest,
  ): Promise<Page<StoredChunk>> {
    const base = await this.#bases.find(workspaceId, knowledgeId)
    if (!(await this.#documents.find(workspaceId, base, fileId)))
      throw new AppError('not_found', 'The document does not exist in this knowledge base')
    return this.#store.list(workspaceId, base, fileId, page)
  }

  /** A correction lasts until the document is processed again. */
  async correct(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    chunkId: string,
    correction: Correction,
  ): Promise<StoredChunk> {
    const base = await this.#bases.find(workspaceId, knowledgeId)
    const chunk = await this.#store.find(workspaceId, base, fileId, chunkId)
    if (!chunk) throw noSuchChunk()
    const enabled = correction.enabled ?? chunk.enabled
    const { content } = correction
    const done =
      content === undefined || content === chunk.content
        ? await this.#store.setEnabled(workspaceId, chunk, enabled)
        : await this.#replace(workspaceId, base, chunk, content, enabled)
    if (!done)
      throw new AppError(
        'version_conflict',
        'The chunk was changed or processed again in the meantime. Load it again.',
      )
    const corrected = await this.#store.find(workspaceId, base, fileId, chunkId)
    if (!corrected) throw noSuchChunk()
    return corrected
  }

  async #embed(
    workspaceId: string,
    { embeddingModel, dimension }: Generation,
    chunk: FoundChunk,
  ): Promise<Float32Array | undefined> {
    if (!embeddingModel) return undefined
    try {
      return (await this.#embedder.embed(workspaceId, { embeddingModel, dimension }, [chunk]))[0]
    } catch (error) {
      if (error instanceof ModelFailure) throw new AppError('model_failed', error.message, { cause: error })
      throw error
    }
  }

  async #replace(
    workspaceId: string,
    base: KnowledgeBase,
    chunk: FoundChunk,
    content: string,
    enabled: boolean,
  ): Promise<boolean> {
    const { generation } = base
    const vector = await this.#embed(workspaceId, generation, { ...chunk, content })
    const batchId = mintId('batch')
    const builder = new SegmentBuilder()
    builder.add(chunkTerms({ ...chunk, content }, chunk.fileName))
    return this.#store.correct(workspaceId, base, chunk, {
      batchId,
      content,
      tokens: countTokens(content),
      enabled,
      segment: builder.finish({ batchId, from: chunk.position }),
      vector,
      now: this.#clock.now(),
    })
  }
}

const noSuchChunk = (): AppError => new AppError('not_found', 'The chunk does not exist in this document')
