import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import type { ChunkStore, FoundChunk, StoredChunk } from './chunk-store.ts'
import { noSuchDocument } from './document-service.ts'
import type { DocumentStore } from './document-store.ts'
import { type Embedder, failedModel } from './embedder.ts'
import { SegmentBuilder } from './index/segment-builder.ts'
import { countTokens } from './ingest/chunking/count-tokens.ts'
import type { KnowledgeBase } from './knowledge-base.ts'
import type { KnowledgeService } from './knowledge-service.ts'
import { chunkTerms } from './text/text-terms.ts'

export interface Correction {
  content?: string
  enabled?: boolean
}

export interface ChunkParts {
  store: ChunkStore
  documents: DocumentStore
  bases: KnowledgeService
  embedder: Embedder
  clock: Clock
}

/** Lists the chunks of a document, and corrects them. */
export class ChunkService {
  readonly #parts: ChunkParts

  constructor(parts: ChunkParts) {
    this.#parts = parts
  }

  async list(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    page: PageRequest,
  ): Promise<Page<StoredChunk>> {
    const { store, documents, bases } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    if (!(await documents.find(workspaceId, base, fileId))) throw noSuchDocument()
    return store.list(workspaceId, base, fileId, page)
  }

  /** A correction lasts until the document is processed again. */
  async correct(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    chunkId: string,
    correction: Correction,
  ): Promise<StoredChunk> {
    const { store, bases } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    const chunk = await store.find(workspaceId, base, fileId, chunkId)
    if (!chunk) throw noSuchChunk()
    const enabled = correction.enabled ?? chunk.enabled
    const { content } = correction
    const done =
      content === undefined || content === chunk.content
        ? await store.setEnabled(workspaceId, chunk, enabled)
        : await this.#replace(workspaceId, base, chunk, content, enabled)
    if (!done)
      throw new AppError(
        'version_conflict',
        'The chunk was changed or processed again in the meantime. Load it again.',
      )
    const corrected = await store.find(workspaceId, base, fileId, chunkId)
    if (!corrected) throw noSuchChunk()
    return corrected
  }

  async #replace(
    workspaceId: string,
    base: KnowledgeBase,
    chunk: FoundChunk,
    content: string,
    enabled: boolean,
  ): Promise<boolean> {
    const { store, embedder, clock } = this.#parts
    const { embeddingModel, dimension } = base.generation
    const corrected = { ...chunk, content }
    const [vector] = embeddingModel
      ? await embedder.embed(workspaceId, { embeddingModel, dimension }, [corrected]).catch(failedModel)
      : []
    const batchId = mintId('batch')
    const builder = new SegmentBuilder()
    builder.add(chunkTerms(corrected, chunk.fileName))
    return store.correct(workspaceId, base, chunk, {
      batchId,
      content,
      tokens: countTokens(content),
      enabled,
      segment: builder.finish({ batchId, from: chunk.position }),
      vector,
      now: clock.now(),
    })
  }
}

const noSuchChunk = (): AppError => new AppError('not_found', 'The chunk does not exist in this document')
