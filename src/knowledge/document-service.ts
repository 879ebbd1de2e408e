import { Readable } from 'node:stream'
import type { Page, PageRequest } from '../contract/paging.ts'
import type { FileService } from '../files/file-service.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Chunking, changedChunking } from './chunking.ts'
import type { AddedDocuments, DocumentStore, KnowledgeDocument, Skipped } from './document-store.ts'
import type { DocumentStatus, Metadata } from './knowledge-base.ts'
import { type KnowledgeService, noSuchBase } from './knowledge-service.ts'

export interface NewDocuments {
  fileIds: string[]
  texts: { name: string; content: string }[]
  chunking?: Partial<Chunking>
  metadata?: Metadata
}

export interface DocumentParts {
  store: DocumentStore
  bases: KnowledgeService
  files: FileService
  clock: Clock
  /** Wakes the ingestion: there is a new job. */
  wake(): void
}

export class DocumentService {
  readonly #parts: DocumentParts

  constructor(parts: DocumentParts) {
    this.#parts = parts
  }

  async add(workspaceId: string, knowledgeId: string, documents: NewDocuments): Promise<AddedDocuments> {
    const { store, bases, files, clock, wake } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    const chunking = documents.chunking && changedChunking(base.chunking, documents.chunking)
    const textIds: string[] = []
    try {
      // A text becomes a file like any other, so that it can be processed again, downloaded and deleted.
      for (const { name, content } of documents.texts) {
        const blob = await files.receive(Readable.from([Buffer.from(content)]))
        textIds.push((await files.add(workspaceId, name, blob)).id)
      }
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

  async list(
    workspaceId: string,
    knowledgeId: string,
    filter: { status: DocumentStatus | undefined; keyword: string },
    page: PageRequest,
  ): Promise<Page<KnowledgeDocument>> {
    const { store, bases } = this.#parts
    return store.list(workspaceId, await bases.find(workspaceId, knowledgeId), filter, page)
  }

  async requeue(
    workspaceId: string,
    knowledgeId: string,
    fileIds: string[] | undefined,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
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
}

export const noSuchDocument = (): AppError =>
  new AppError('not_found', 'The document does not exist in this knowledge base')
