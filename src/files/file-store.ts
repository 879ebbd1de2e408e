import type { FileSort } from '../contract/file-operations.ts'
import type { Page, PageRequest } from '../contract/paging.ts'

export interface FileRecord {
  id: string
  name: string
  size: number
  mimeType: string
  sha256: string
  createdAt: number
}

/** A file with the place of its content. */
export interface LocatedFile extends FileRecord {
  blobKey: string
}

/** Which files to list, and in which order. */
export interface FileFilter {
  /** Part of the name; empty for all. */
  keyword: string
  sort: FileSort
  order: 'asc' | 'desc'
}

export interface FileUse {
  fileId: string
  knowledgeIds: string[]
}

export interface RemovedFiles {
  deleted: string[]
  missing: string[]
  inUse: FileUse[]
  /** Blobs that no file names any more; their bytes may go. */
  releasedKeys: string[]
}

export interface FileStore {
  /**
   * Adds the file's row. Where the workspace holds equal content already, that blob serves this file too and
   * the answer names it: the blob that was just written under `blobKey` is then not needed.
   */
  add(workspaceId: string, file: LocatedFile): Promise<{ blobKey: string }>
  find(workspaceId: string, id: string): Promise<LocatedFile | undefined>
  findMany(workspaceId: string, ids: string[]): Promise<FileRecord[]>
  list(workspaceId: string, filter: FileFilter, page: PageRequest): Promise<Page<FileRecord>>
  remove(workspaceId: string, ids: string[], force: boolean): Promise<RemovedFiles>
  /** Those of the given blob keys that a row still names. */
  knownKeys(keys: string[]): Promise<Set<string>>
}
