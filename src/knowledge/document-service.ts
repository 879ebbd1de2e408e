import type { Page, PageRequest } from '../contract/paging.ts'
import type { FileService } from '../files/file-service.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Chunking, defaultChunking } from './chunking.ts'
import type { AddedDocuments, DocumentStore, Skipped } from './document-store.ts'
import type { DocumentStatus, KnowledgeDocument, Metadata } from './knowledge-base.ts'
import type { KnowledgeService } from './knowledge-service.ts'

export interface NewDocuments {
  fileIds: string[]
  texts: { name: string; content: string }[]
  chunking?: Partial<Chunking>
  metadata?: Metadata
}

export class DocumentService {
  readonly #store: DocumentStore
  readonly #bases: KnowledgeService
  readonly #files: FileService
  readonly #clock: Clock
  /** Wakes the ingestion: there is a new job. */
  readonly #wake: () => void

  constructor(
    store: DocumentStore,
    bases: KnowledgeService,
    files: FileService,
    clock: Clock,
    wake: () => void,
  ) {
    this.#store = store
    this.#bases = bases
    this.#files = files
    this.#clock = clock
    this.#wake = wake
  }

  async add(workspaceId: string, knowledgeId: string, documents: NewDocuments): Promise<AddedDocuments> {
    const base = await this.#bases.find(workspaceId, knowledgeId)
    const chunking = documents.chunking && { ...defaultChunking, ...base.chunking, ...documents.chunking }
    if (chunking && chunking.overlap * 2 > chunking.size)
      throw invalidField('/chunking/overlap', `must be at most half of the size (${chunking.size})`)
    const textIds: string[] = []
    try {
      for (const text of documents.texts) textIds.push(await this.#storeText(workspaceId, text))
      const added = await this.#store.add(workspaceId, knowledgeId, [...documents.fileIds, ...textIds], {
        chunking,
        metadata: documents.metadata ?? {},
        now: this.#clock.now(),
      })
      if (!added) throw new AppError('not_found', 'The knowledge base does not exist')
      this.#wake()
      return added
    } catch (error) {
      // These files would never be used.
      if (textIds.length > 0) await this.#files.remove(workspaceId, textIds, false).catch(() => {})
      throw error
    }
  }

  /** A text becomes a file like any other, so that it can be processed again, downloaded and deleted. */
  async #storeText(
    workspaceId: string,
    { name, content }: { name: string; content: string },
  ): Promise<string> {
    const blob = await this.#files.receive(bytesOf(content))
    return (await this.#files.add(workspaceId, name, blob)).id
  }

  async list(
    workspaceId: string,
    knowledgeId: string,
    filter: { status: DocumentStatus | undefined; keyword: string },
    page: PageRequest,
  ): Promise<Page<KnowledgeDocument>> {
    return this.#store.list(workspaceId, await this.#bases.find(workspaceId, knowledgeId), filter, page)
  }

  async requeue(
    workspaceId: string,
    knowledgeId: string,
    fileIds: string[] | undefined,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
    const base = await this.#bases.find(workspaceId, knowledgeId)
    const result = await this.#store.requeue(workspaceId, base, fileIds, this.#clock.now())
    this.#wake()
    return result
  }

  async remove(workspaceId: string, knowledgeId: string, fileId: string): Promise<void> {
    await this.#bases.find(workspaceId, knowledgeId)
    if (!(await this.#store.remove(workspaceId, knowledgeId, fileId)))
      throw new AppError('not_found', 'The document does not exist in this knowledge base')
    this.#wake()
  }
}

async function* bytesOf(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content)
}
