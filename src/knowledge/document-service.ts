import type { Page, PageRequest } from '../contract/paging.ts'
import type { WrittenBlob } from '../files/blob-store.ts'
import type { FileService } from '../files/file-service.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { countTokens } from '../kernel/count-tokens.ts'
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts'
import { mintId } from '../kernel/ids.ts'
import { nextTurn } from '../kernel/pause.ts'
import { failedModel } from '../models/model-failure.ts'
import type { ChunkStore, FoundChunk, StoredChunk } from './chunk-store.ts'
import type { Chunking } from './chunking.ts'
import type { AddedDocuments, DocumentStore, KnowledgeDocument } from './document-store.ts'
import type { Embedder } from './embedder.ts'
import { SegmentBuilder } from './index/segment-builder.ts'
import type { DocumentStatus, KnowledgeBase, Metadata } from './knowledge-base.ts'
import { type KnowledgeService, noSuchBase } from './knowledge-service.ts'
import { isMenu } from './text/menu-mark.ts'
import { chunkTerms } from './text/text-terms.ts'

export interface NewDocuments {
  fileIds: string[]
  texts: { name: string; content: string }[]
  chunking?: Partial<Chunking>
  metadata?: Metadata
}

export interface Correction {
  content?: string
  enabled?: boolean
}

interface ViewRequest {
  chunkId: string | undefined
  page: number | undefined
  pageSize: number
}

/**
 * The part of the document's text that a chunk adds to the one before. Its content may start with a repeated table
 * header and with the end of the chunk before; the content of a correction or of a question is shown as it is.
 */
const ownText = ({ content, from, to, edited }: StoredChunk, before: StoredChunk | undefined): string => {
  // A passage that was added by hand has no place in the text.
  if (edited || to === 0 || content.length < to - from) return content
  const start = content.length - (to - from)
  // A header ends with a line break. Without one before the text, the content is not that of the document.
  if (start > 0 && content[start - 1] !== '\n') return content
  const overlap = Math.max(0, Math.min(before?.to ?? from, to) - from)
  return content.slice(start + overlap)
}

interface DocumentParts {
  store: DocumentStore
  chunks: ChunkStore
  bases: KnowledgeService
  files: FileService
  embedder: Embedder
  clock: Clock
  wake(): void
}

const textsAtOnce = 32
const chunkBytes = 512 << 10

/** Computing the checksum of a long text at once would block the event loop, so each turn gets one chunk. */
async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  yield bytes.subarray(0, chunkBytes)
  for (let at = chunkBytes; at < bytes.length; at += chunkBytes) {
    await nextTurn()
    yield bytes.subarray(at, at + chunkBytes)
  }
}

export class DocumentService {
  readonly #parts: DocumentParts

  constructor(parts: DocumentParts) {
    this.#parts = parts
  }

  async add(workspaceId: string, knowledgeId: string, documents: NewDocuments): Promise<AddedDocuments> {
    const { store, bases, files, clock, wake } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    const chunking = documents.chunking && { ...base.chunking, ...documents.chunking }
    const texts = await this.#receiveTexts(workspaceId, documents.texts)
    const textIds: string[] = []
    try {
      for (const { id } of await files.addAll(workspaceId, texts)) textIds.push(id)
      const added = await store.add(workspaceId, knowledgeId, [...documents.fileIds, ...textIds], {
        chunking,
        metadata: documents.metadata ?? {},
        now: clock.now(),
      })
      if (!added) throw noSuchBase()
      wake()
      return added
    } catch (error) {
      // These files would never be used.
      if (textIds.length > 0) await files.remove(workspaceId, textIds, false).catch(() => {})
      throw error
    }
  }

  /**
   * A text becomes a file like any other, so that it can be processed again, downloaded and deleted. All texts are in
   * the file store before the first row is written, because the transaction of an idempotent request must not wait for
   * a disk.
   */
  async #receiveTexts(workspaceId: string, given: NewDocuments['texts']) {
    const { files } = this.#parts
    const texts: { name: string; blob: WrittenBlob }[] = []
    // Several at a time, because each waits for the disk or the network.
    await forEachConcurrently(textsAtOnce, given.entries(), async ([at, { name, content }]) => {
      const blob = await files.receive(chunksOf(content))
      await files.repair(workspaceId, blob)
      texts[at] = { name, blob }
    })
    return texts
  }

  async list(
    workspaceId: string,
    knowledgeId: string,
    filter: { status: DocumentStatus | undefined; keyword: string },
    page: PageRequest,
  ): Promise<Page<KnowledgeDocument>> {
    const { store, bases } = this.#parts
    return store.list(workspaceId, await bases.find(workspaceId, knowledgeId), filter, page)
  }

  async requeue(workspaceId: string, knowledgeId: string, fileIds: string[] | undefined) {
    const { store, bases, clock, wake } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    const result = await store.requeue(workspaceId, base, fileIds, clock.now())
    wake()
    return result
  }

  async remove(workspaceId: string, knowledgeId: string, fileId: string): Promise<void> {
    const { store, bases, wake } = this.#parts
    await bases.find(workspaceId, knowledgeId)
    if (!(await store.remove(workspaceId, knowledgeId, fileId))) throw noSuchDocument()
    wake()
  }

  async listChunks(workspaceId: string, knowledgeId: string, fileId: string, page: PageRequest) {
    const { store, chunks, bases } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    if (!(await store.find(workspaceId, base, fileId))) throw noSuchDocument()
    return chunks.list(workspaceId, base, fileId, page)
  }

  /** A page of the text, by default the page with the passage, and the range of the passage. */
  async view(workspaceId: string, knowledgeId: string, fileId: string, request: ViewRequest) {
    const { store, chunks, bases } = this.#parts
    const { chunkId, pageSize } = request
    const base = await bases.find(workspaceId, knowledgeId)
    const document = await store.find(workspaceId, base, fileId)
    if (!document) throw noSuchDocument()
    const chunk = chunkId === undefined ? undefined : await chunks.find(workspaceId, base, fileId, chunkId)
    if (chunkId !== undefined && !chunk) throw noSuchChunk()
    const page = request.page ?? Math.floor((chunk?.position ?? 0) / pageSize) + 1
    const { total, items } = await chunks.list(workspaceId, base, fileId, { page, pageSize })
    const passage = chunk && { ...chunk, pages: await chunks.boxes(workspaceId, chunk) }
    const parts = items.map((item, index) => ({ ...item, text: ownText(item, items[index - 1]) }))
    return { document, passage, total, page, pageSize, parts }
  }

  /** A correction lasts until the document is processed again. */
  async correctChunk(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    chunkId: string,
    correction: Correction,
  ): Promise<StoredChunk> {
    const { chunks, bases } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    const chunk = await chunks.find(workspaceId, base, fileId, chunkId)
    if (!chunk) throw noSuchChunk()
    const enabled = correction.enabled ?? chunk.enabled
    const { content } = correction
    const done =
      content === undefined || content === chunk.content
        ? await chunks.setEnabled(workspaceId, chunk, enabled)
        : await this.#replaceChunk(workspaceId, base, chunk, content, enabled)
    if (!done)
      throw new AppError(
        'version_conflict',
        'The chunk was changed or processed again in the meantime. Load it again.',
      )
    const corrected = await chunks.find(workspaceId, base, fileId, chunkId)
    if (!corrected) throw noSuchChunk()
    return corrected
  }

  async #replaceChunk(
    workspaceId: string,
    base: KnowledgeBase,
    chunk: FoundChunk,
    content: string,
    enabled: boolean,
  ): Promise<boolean> {
    const { chunks, embedder, clock } = this.#parts
    const { embeddingModel, dimension } = base.generation
    const corrected = { ...chunk, content }
    const [vector] = embeddingModel
      ? await embedder.embed(workspaceId, { embeddingModel, dimension }, [corrected]).catch(failedModel)
      : []
    const batchId = mintId('batch')
    const builder = new SegmentBuilder()
    builder.add(chunkTerms(corrected, chunk.fileName), isMenu(corrected.heading))
    return chunks.correct(workspaceId, base, chunk, {
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

export const noSuchDocument = (): AppError =>
  new AppError('not_found', 'The document does not exist in this knowledge base')

export const noSuchChunk = (): AppError =>
  new AppError('not_found', 'The chunk does not exist in this document')
