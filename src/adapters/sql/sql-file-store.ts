import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { marks, searchPattern, searchText } from '../../database/sql.ts'
import type { FileFilter, FileRecord, FileStore, LocatedFile, RemovedFiles } from '../../files/file-store.ts'
import { removeDocument, usesOf } from './document-rows.ts'

interface Row {
  id: string
  name: string
  size: number
  mime_type: string
  sha256: string
  created_at: number
}

const columns = 'id, name, size, mime_type, sha256, created_at'

/** Each is the order of an index or its reverse; files that are equal in it keep theirs by id. */
const orders: Readonly<Record<FileFilter['sort'], Record<FileFilter['order'], string>>> = {
  created_at: { desc: 'created_at DESC, id', asc: 'created_at, id DESC' },
  name: { asc: 'search, id', desc: 'search DESC, id DESC' },
  size: { asc: 'size, id', desc: 'size DESC, id DESC' },
}

const record = (row: Row): FileRecord => ({
  id: row.id,
  name: row.name,
  size: row.size,
  mimeType: row.mime_type,
  sha256: row.sha256,
  createdAt: row.created_at,
})

export class SqlFileStore implements FileStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  add(workspaceId: string, file: LocatedFile): Promise<{ blobKey: string }> {
    return this.#database.transaction(async transaction => {
      // Locks the blob's row against a delete of its last file, whichever way the insert ends.
      await transaction.run(
        `INSERT INTO blobs (workspace_id, sha256, key, size) VALUES (?, ?, ?, ?)
         ON CONFLICT (workspace_id, sha256) DO UPDATE SET size = excluded.size`,
        workspaceId,
        file.sha256,
        file.blobKey,
        file.size,
      )
      await transaction.run(
        `INSERT INTO files (workspace_id, ${columns}, search) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        workspaceId,
        file.id,
        file.name,
        file.size,
        file.mimeType,
        file.sha256,
        file.createdAt,
        searchText(file.name),
      )
      const blob = await transaction.get<{ key: string }>(
        'SELECT key FROM blobs WHERE workspace_id = ? AND sha256 = ?',
        workspaceId,
        file.sha256,
      )
      return { blobKey: blob!.key }
    })
  }

  async find(workspaceId: string, id: string): Promise<LocatedFile | undefined> {
    const row = await this.#database.get<Row & { key: string }>(
      `SELECT f.id, f.name, f.size, f.mime_type, f.sha256, f.created_at, b.key FROM files f
       JOIN blobs b ON b.workspace_id = f.workspace_id AND b.sha256 = f.sha256
       WHERE f.workspace_id = ? AND f.id = ?`,
      workspaceId,
      id,
    )
    return row && { ...record(row), blobKey: row.key }
  }

  async findMany(workspaceId: string, ids: string[]): Promise<FileRecord[]> {
    if (ids.length === 0) return []
    const rows = await this.#database.all<Row>(
      `SELECT ${columns} FROM files WHERE workspace_id = ? AND id IN (${marks(ids.length)})`,
      workspaceId,
      ...ids,
    )
    return rows.map(record)
  }

  async list(
    workspaceId: string,
    { keyword, sort, order }: FileFilter,
    page: PageRequest,
  ): Promise<Page<FileRecord>> {
    const matches = keyword === '' ? '' : `AND search LIKE ? ESCAPE '\\'`
    const parameters = keyword === '' ? [] : [searchPattern(keyword)]
    const count = await this.#database.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM files WHERE workspace_id = ? ${matches}`,
      workspaceId,
      ...parameters,
    )
    const rows = await this.#database.all<Row>(
      `SELECT ${columns} FROM files WHERE workspace_id = ? ${matches}
       ORDER BY ${orders[sort][order]} LIMIT ? OFFSET ?`,
      workspaceId,
      ...parameters,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(record) }
  }

  remove(workspaceId: string, ids: string[], force: boolean): Promise<RemovedFiles> {
    return this.#database.transaction(async transaction => {
      const unique = [...new Set(ids)]
      const found = await transaction.all<{ id: string; sha256: string }>(
        `SELECT id, sha256 FROM files WHERE workspace_id = ? AND id IN (${marks(unique.length)}) ORDER BY id ${this.#database.forUpdate}`,
        workspaceId,
        ...unique,
      )
      const present = new Set(found.map(file => file.id))
      const uses = await usesOf(transaction, workspaceId, [...present])
      if (force)
        for (const use of uses) await removeDocument(transaction, workspaceId, use.knowledgeId, use.fileId)
      const kept = new Set(force ? [] : uses.map(use => use.fileId))
      const going = found.filter(file => !kept.has(file.id))
      if (going.length > 0)
        await transaction.run(
          `DELETE FROM files WHERE workspace_id = ? AND id IN (${marks(going.length)})`,
          workspaceId,
          ...going.map(file => file.id),
        )
      const releasedKeys: string[] = []
      // In one order everywhere, so that two deletes cannot wait for each other.
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

  /** The blob's row is locked before its files are counted: an upload of equal content takes the same lock. */
  async #release(transaction: Transaction, workspaceId: string, sha256: string): Promise<string[]> {
    const blob = await transaction.get<{ key: string }>(
      `SELECT key FROM blobs WHERE workspace_id = ? AND sha256 = ? ${this.#database.forUpdate}`,
      workspaceId,
      sha256,
    )
    const user = await transaction.get(
      'SELECT 1 AS one FROM files WHERE workspace_id = ? AND sha256 = ? LIMIT 1',
      workspaceId,
      sha256,
    )
    if (!blob || user) return []
    await transaction.run('DELETE FROM blobs WHERE workspace_id = ? AND sha256 = ?', workspaceId, sha256)
    return [blob.key]
  }

  async knownKeys(keys: string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set()
    const rows = await this.#database.all<{ key: string }>(
      `SELECT key FROM blobs WHERE key IN (${marks(keys.length)})`,
      ...keys,
    )
    return new Set(rows.map(row => row.key))
  }
}
