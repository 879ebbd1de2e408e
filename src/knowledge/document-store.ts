import type { Page, PageRequest } from '../contract/paging.ts'
import type { Chunking } from './chunking.ts'
import type { DocumentStatus, KnowledgeDocument } from './document.ts'
import type { KnowledgeBase, Metadata } from './knowledge-base.ts'

export interface Skipped {
  fileId: string
  reason: 'not_found' | 'already_added' | 'in_progress'
}

export interface AddedDocuments {
  added: KnowledgeDocument[]
  skipped: Skipped[]
}

/** The documents of a base. Each waits for its readings: one per generation. */
export interface DocumentStore {
  /** Undefined when the base is gone. */
  add(
    workspaceId: string,
    knowledgeId: string,
    fileIds: string[],
    options: { chunking: Chunking | undefined; metadata: Metadata; now: number },
  ): Promise<AddedDocuments | undefined>
  find(workspaceId: string, base: KnowledgeBase, fileId: string): Promise<KnowledgeDocument | undefined>
  list(
    workspaceId: string,
    base: KnowledgeBase,
    filter: { status: DocumentStatus | undefined; keyword: string },
    page: PageRequest,
  ): Promise<Page<KnowledgeDocument>>
  /** Puts failed documents, or those named, into the queue again; one that waits for its next try need not wait. */
  requeue(
    workspaceId: string,
    base: KnowledgeBase,
    fileIds: string[] | undefined,
    now: number,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }>
  /** False when there is none. It is gone from every search when this resolves. */
  remove(workspaceId: string, knowledgeId: string, fileId: string): Promise<boolean>
}
