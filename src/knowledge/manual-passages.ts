import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { failedModel } from '../models/model-failure.ts'
import type { ChunkStore, StoredChunk } from './chunk-store.ts'
import { type Correction, noSuchChunk, noSuchDocument } from './document-service.ts'
import type { DocumentStore } from './document-store.ts'
import type { Embedder } from './embedder.ts'
import type { KnowledgeBase } from './knowledge-base.ts'
import type { KnowledgeService } from './knowledge-service.ts'
import type { ManualPassage, ManualPassageStore } from './manual-passage-store.ts'
import type { TextIndexer } from './text-indexer.ts'

interface ManualPassageParts {
  passages: ManualPassageStore
  documents: DocumentStore
  chunks: ChunkStore
  bases: KnowledgeService
  embedder: Embedder
  indexer: TextIndexer
  clock: Clock
  wake(): void
}

/** Attempts of a change while others change the same document. Each attempt indexes all passages of the document again. */
const maxAttempts = 10

/** Chunk ids end with the position of the chunk; those of passages never do, so that they stay the same. */
const suffix = '_own'
const newPassageId = (): string => mintId('batch').replace('batch_', 'chunk_') + suffix

export const isManual = (chunkId: string): boolean => chunkId.endsWith(suffix)

/** Passages that users add to a document. They are searched and cited like its chunks, and survive re-processing. */
export class ManualPassages {
  readonly #parts: ManualPassageParts

  constructor(parts: ManualPassageParts) {
    this.#parts = parts
  }

  async add(workspaceId: string, knowledgeId: string, fileId: string, content: string): Promise<StoredChunk> {
    const { clock } = this.#parts
    const id = newPassageId()
    const base = await this.#change(workspaceId, knowledgeId, fileId, before => {
      if (before.length >= limits.manualPassages)
        throw new AppError(
          'quota_exceeded',
          `The document has ${limits.manualPassages} passages that were added by hand, which is the limit. Delete one, or add a document.`,
        )
      // The order is by time, also of two passages that are added within a millisecond.
      const createdAt = Math.max(clock.now(), (before.at(-1)?.createdAt ?? 0) + 1)
      return [...before, { id, content, enabled: true, revision: 0, createdAt }]
    })
    return this.#read(workspaceId, base, fileId, id)
  }

  async edit(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    id: string,
    correction: Correction,
  ): Promise<StoredChunk> {
    const base = await this.#change(workspaceId, knowledgeId, fileId, before => {
      if (!before.some(passage => passage.id === id)) throw noSuchChunk()
      return before.map(passage => {
        if (passage.id !== id) return passage
        const { content = passage.content, enabled = passage.enabled } = correction
        return { ...passage, content, enabled, revision: passage.revision + 1 }
      })
    })
    return this.#read(workspaceId, base, fileId, id)
  }

  async remove(workspaceId: string, knowledgeId: string, fileId: string, id: string): Promise<void> {
    const { bases, chunks } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    if (!isManual(id)) {
      if (!(await chunks.find(workspaceId, base, fileId, id))) throw noSuchChunk()
      throw new AppError(
        'in_use',
        'The chunk is part of the document. Exclude it from searches with `enabled`: false, or remove the document.',
      )
    }
    await this.#change(workspaceId, knowledgeId, fileId, before => {
      if (!before.some(passage => passage.id === id)) throw noSuchChunk()
      return before.filter(passage => passage.id !== id)
    })
  }

  /** Repeats an edit while others change the passages of the document: each attempt applies it to the current ones. */
  async #change(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    edit: (before: ManualPassage[]) => ManualPassage[],
  ): Promise<KnowledgeBase> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const base = await this.#tryChange(workspaceId, knowledgeId, fileId, edit)
      if (base) return base
    }
    throw new AppError('version_conflict', 'Another request is changing the document. Try again.')
  }

  async #tryChange(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    edit: (before: ManualPassage[]) => ManualPassage[],
  ): Promise<KnowledgeBase | undefined> {
    const { passages, documents, bases, embedder, indexer, clock, wake } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    const document = await documents.find(workspaceId, base, fileId)
    if (!document) throw noSuchDocument()
    if (document.indexedAt === undefined)
      throw new AppError('in_use', 'The document is not ready yet. Wait until its status is ready.')
    const key = { workspaceId, knowledgeId, fileId }
    const from = await passages.ownChunks(key, base.generation.id)
    // Its content is being replaced.
    if (from === undefined) return undefined
    const before = await passages.list(key)
    const after = edit(before)
    const { embeddingModel, dimension } = base.generation
    const texts = after.map(({ content }) => ({ content, heading: [] }))
    // Only a new text is not in the cache.
    const vectors =
      embeddingModel && texts.length > 0
        ? await embedder.embed(workspaceId, { embeddingModel, dimension }, texts).catch(failedModel)
        : []
    const batchId = mintId('batch')
    const contents = after.map(({ content }) => content)
    const segment =
      after.length > 0
        ? await indexer.indexTexts(workspaceId, { batchId, name: document.name, from, texts: contents })
        : undefined
    const indexed = { batchId, from, passages: after, segment, vectors }
    if (!(await passages.replace(workspaceId, base, fileId, before, indexed, clock.now()))) return undefined
    wake()
    return base
  }

  async #read(workspaceId: string, base: KnowledgeBase, fileId: string, id: string): Promise<StoredChunk> {
    const chunk = await this.#parts.chunks.find(workspaceId, base, fileId, id)
    if (!chunk) throw noSuchChunk()
    return chunk
  }
}
