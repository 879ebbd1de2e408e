import type { FileSort } from '../contract/file-operations.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { countRows, type Database, type Reader, type Transaction } from '../database/database.ts'
import { inWorkspace, keywordFilter, searchText } from '../database/keyword.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { list, type RawSql, sql } from '../database/sql.ts'
import { insertRows, Store } from '../database/store.ts'
import { as, integer, optional, type RowOf, table, text } from '../database/table.ts'
import { groupsOf } from '../kernel/groups-of.ts'

export const files = table('files', {
  workspaceId: text(),
  id: text(),
  name: text(),
  search: text(),
  size: integer(),
  mimeType: text(),
  sha256: text(),
  createdAt: integer(),
  /** The user whose token uploaded it; empty for a token that is not bound to a user. */
  userId: text(),
  /** The conversation that it was uploaded in and is deleted with; undefined for a file of the workspace. */
  conversationId: optional(text()),
})

/** Identical content is stored once per workspace. */
export const blobs = table('blobs', {
  workspaceId: text(),
  sha256: text(),
  key: text(),
  size: integer(),
  /** When the content was last found missing or damaged. */
  damagedAt: optional(integer()),
})

const keys = [
  ...(['id', 'name', 'size', 'mimeType', 'sha256', 'createdAt', 'userId', 'conversationId'] as const),
] as const
const columns = files.columns(...keys)
const joinedColumns = files.columnsOf('f', ...keys)
const joinedKey = blobs.columnsOf('b', 'key')
const blobKey = blobs.columns('key')
const storedBlob = blobs.columns('sha256', 'key')
const rowsPerInsert = 64

export type FileRecord = Pick<RowOf<typeof files>, (typeof keys)[number]>

/** A file with the key of its blob. */
export interface LocatedFile extends FileRecord {
  blobKey: string
}

type ReplacedKeys = 'name' | 'size' | 'mimeType' | 'sha256' | 'blobKey'

export interface FileFilter {
  /** Part of the name; empty for all. */
  keyword: string
  sort: FileSort
  order: 'asc' | 'desc'
}

interface FileUse {
  fileId: string
  knowledgeId: string
}

/** The documents made from files, which the knowledge feature owns. */
export interface FileUses {
  find(reader: Reader, workspaceId: string, fileIds: string[]): Promise<FileUse[]>
  /** Finds the documents and locks their bases. */
  lock(
    transaction: Transaction,
    workspaceId: string,
    fileIds: string[],
    forUpdate: RawSql,
  ): Promise<FileUse[]>
  remove(transaction: Transaction, workspaceId: string, uses: FileUse[], forUpdate: RawSql): Promise<unknown>
}

export interface RemovedFiles {
  deleted: string[]
  missing: string[]
  inUse: { fileId: string; knowledgeIds: string[] }[]
  /** Blobs without files, whose content can be deleted. */
  releasedKeys: string[]
}

/** Each is the order of an index or its reverse, with the id as tie-breaker. */
const orders = {
  created_at: { desc: new Order('created_at DESC', 'id'), asc: new Order('created_at', 'id DESC') },
  name: { asc: new Order('search', 'id'), desc: new Order('search DESC', 'id DESC') },
  size: { asc: new Order('size', 'id'), desc: new Order('size DESC', 'id DESC') },
}

export class FileStore extends Store {
  readonly #uses: FileUses

  constructor(database: Database, uses: FileUses) {
    super(database)
    this.#uses = uses
  }

  add(workspaceId: string, file: LocatedFile): Promise<LocatedFile> {
    return this.database.transaction(
      async transaction => (await this.#insert(transaction, workspaceId, [file]))[0]!,
    )
  }

  addAll(workspaceId: string, added: readonly LocatedFile[]): Promise<LocatedFile[]> {
    return this.database.transaction(transaction => this.#insert(transaction, workspaceId, added))
  }

  /** Returns the files with the keys of their blobs; content that the workspace has keeps its blob. */
  async #insert(
    transaction: Transaction,
    workspaceId: string,
    added: readonly LocatedFile[],
  ): Promise<LocatedFile[]> {
    const contents = new Map(added.map(({ sha256, blobKey: key, size }) => [sha256, { key, size }]))
    // Always in the same order, so that two uploads cannot deadlock.
    const blobRows = [...contents].sort().map(([sha256, blob]) => ({ workspaceId, sha256, ...blob }))
    const fileRows = added.map(({ blobKey: _, ...file }) => ({
      ...{ workspaceId, ...file, search: searchText(file.name) },
    }))
    const keys = new Map<string, string>()
    for (const some of groupsOf(blobRows, rowsPerInsert)) {
      // Locks the rows of the blobs against a delete of their last file, whether they are new or not.
      const stored = await transaction.all(sql`
        ${blobs.insertAll(some)} ON CONFLICT (workspace_id, sha256)
        DO UPDATE SET size = excluded.size, damaged_at = NULL RETURNING ${storedBlob}`)
      for (const { sha256, key } of stored) keys.set(sha256, key)
    }
    await insertRows(transaction, files, fileRows)
    return added.map(file => ({ ...file, blobKey: keys.get(file.sha256)! }))
  }

  /** Gives a file another content and name. Undefined when there is no such file, or its content is the same. */
  replace(
    workspaceId: string,
    id: string,
    { name, size, mimeType, sha256, blobKey: key }: Pick<LocatedFile, ReplacedKeys>,
  ): Promise<{ blobKey: string; releasedKeys: string[] } | undefined> {
    return this.database.transaction(async transaction => {
      const file = files.where({ workspaceId, id })
      const before = await transaction.get(
        sql`SELECT ${files.columns('sha256')} FROM files WHERE ${file} ${this.database.forUpdate}`,
      )
      if (!before || before.sha256 === sha256) return undefined
      const stored = await transaction.get(sql`
        ${blobs.insert({ workspaceId, sha256, key, size })} ON CONFLICT (workspace_id, sha256)
        DO UPDATE SET size = excluded.size, damaged_at = NULL RETURNING ${storedBlob}`)
      await transaction.run(files.update(file, { name, search: searchText(name), size, mimeType, sha256 }))
      const releasedKeys = await this.#release(transaction, workspaceId, before.sha256)
      return { blobKey: stored!.key, releasedKeys }
    })
  }

  /** The key of the blob with this content, if the workspace has it. */
  async findBlobKey(workspaceId: string, sha256: string): Promise<string | undefined> {
    const blob = await this.database.get(blobs.select(blobKey, { workspaceId, sha256 }))
    return blob?.key
  }

  /** A file of the user with the same name and content that belongs to no conversation. */
  findSame(
    workspaceId: string,
    { sha256, name, userId }: Pick<FileRecord, 'sha256' | 'name' | 'userId'>,
  ): Promise<FileRecord | undefined> {
    const same = files.where({ workspaceId, sha256, name, userId })
    return this.database.get(
      sql`SELECT ${columns} FROM files WHERE ${same} AND conversation_id IS NULL LIMIT 1`,
    )
  }

  async documentsAmong(workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
    const uses = await this.#uses.find(this.database, workspaceId, [...ids])
    return new Set(uses.map(({ fileId }) => fileId))
  }

  async find(workspaceId: string, id: string): Promise<LocatedFile | undefined> {
    return (await this.locate(workspaceId, [id]))[0]
  }

  /** The existing files among these ids, in any order. */
  async locate(workspaceId: string, ids: readonly string[]): Promise<LocatedFile[]> {
    if (ids.length === 0) return []
    const rows = await this.database.all(sql`
      SELECT ${joinedColumns}, ${joinedKey} FROM files f
      JOIN blobs b ON b.workspace_id = f.workspace_id AND b.sha256 = f.sha256
      WHERE f.workspace_id = ${workspaceId} AND f.id IN ${list(ids)}`)
    return rows.map(({ key, ...file }) => ({ ...file, blobKey: key }))
  }

  async findMany(workspaceId: string, ids: string[]): Promise<FileRecord[]> {
    if (ids.length === 0) return []
    return this.database.all(
      sql`SELECT ${columns} FROM files WHERE workspace_id = ${workspaceId} AND id IN ${list(ids)}`,
    )
  }

  list(
    workspaceId: string,
    { keyword, sort, order }: FileFilter,
    page: PageRequest,
  ): Promise<Page<FileRecord>> {
    return readPage(this.database, {
      workspaceId,
      columns,
      source: files,
      where: files.where({ workspaceId }),
      order: orders[sort][order],
      page,
      indexedFilter: keywordFilter(this.database, inWorkspace('files', workspaceId), keyword),
    })
  }

  countOfConversation(workspaceId: string, conversationId: string): Promise<number> {
    return countRows(this.database, sql`files WHERE ${files.where({ workspaceId, conversationId })}`)
  }

  /** How many bytes were uploaded in all conversations of the workspace. */
  async bytesOfConversations(workspaceId: string): Promise<number> {
    const sum = await this.database.get(sql`
      SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) ${as('bytes', integer())} FROM files
      WHERE workspace_id = ${workspaceId} AND conversation_id IS NOT NULL`)
    return sum?.bytes ?? 0
  }

  /** Makes the files belong to the workspace instead of a conversation. */
  async leaveConversation(workspaceId: string, ids: readonly string[]): Promise<void> {
    await this.run(sql`
      UPDATE files SET ${files.set({ conversationId: undefined })}
      WHERE workspace_id = ${workspaceId} AND id IN ${list(ids)}`)
  }

  /** Files in use are kept unless `force` is true, which deletes their documents too. */
  remove(workspaceId: string, ids: string[], force: boolean): Promise<RemovedFiles> {
    return this.database.deletion(async transaction => {
      const unique = [...new Set(ids)]
      // Before the files, as when documents are added, so that the two cannot deadlock.
      if (force) await this.#uses.lock(transaction, workspaceId, unique, this.database.forUpdate)
      const found = await transaction.all(
        sql`SELECT ${files.columns('id', 'sha256')} FROM files WHERE workspace_id = ${workspaceId} AND id IN ${list(unique)} ORDER BY id ${this.database.forUpdate}`,
      )
      const present = new Set(found.map(file => file.id))
      const uses = await this.#uses.find(transaction, workspaceId, [...present])
      if (force) await this.#uses.remove(transaction, workspaceId, uses, this.database.forUpdate)
      const kept = new Set(force ? [] : uses.map(use => use.fileId))
      const going = found.filter(file => !kept.has(file.id))
      if (going.length > 0)
        await transaction.run(
          sql`DELETE FROM files WHERE workspace_id = ${workspaceId} AND id IN ${list(going.map(file => file.id))}`,
        )
      const releasedKeys: string[] = []
      // Always in the same order, so that two deletes cannot deadlock.
      for (const sha256 of [...new Set(going.map(file => file.sha256))].sort())
        releasedKeys.push(...(await this.#release(transaction, workspaceId, sha256)))
      return {
        deleted: unique.filter(id => present.has(id) && !kept.has(id)),
        missing: unique.filter(id => !present.has(id)),
        inUse: [...kept].map(fileId => ({
          fileId,
          knowledgeIds: uses.filter(use => use.fileId === fileId).map(use => use.knowledgeId),
        })),
        releasedKeys,
      }
    })
  }

  /** Locks the row of the blob before its files are counted; an upload of the same content takes the same lock. */
  async #release(transaction: Transaction, workspaceId: string, sha256: string): Promise<string[]> {
    const key = blobs.where({ workspaceId, sha256 })
    const blob = await transaction.get(
      sql`SELECT ${blobKey} FROM blobs WHERE ${key} ${this.database.forUpdate}`,
    )
    const user = await transaction.get(
      sql`SELECT id FROM files WHERE ${files.where({ workspaceId, sha256 })} LIMIT 1`,
    )
    if (!blob || user) return []
    await transaction.run(blobs.delete(key))
    return [blob.key]
  }

  /** A batch of blobs of deleted workspaces. */
  keysOfDeletedWorkspaces(): Promise<{ key: string }[]> {
    return this.database.all(
      sql`SELECT ${joinedKey} FROM blobs b JOIN workspaces w ON w.id = b.workspace_id WHERE w.deleted_at IS NOT NULL LIMIT 500`,
    )
  }

  /** Removes the rows of blobs whose content is deleted. */
  async forget(keys: string[]): Promise<void> {
    await this.runDeletion(sql`DELETE FROM blobs WHERE key IN ${list(keys)}`)
  }

  /** The given blob keys that have a row. */
  async knownKeys(keys: string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set()
    const rows = await this.database.all(sql`SELECT ${blobKey} FROM blobs WHERE key IN ${list(keys)}`)
    return new Set(rows.map(row => row.key))
  }

  async hasBlobs(): Promise<boolean> {
    return (await this.database.get(sql`SELECT ${blobKey} FROM blobs LIMIT 1`)) !== undefined
  }
}
