import type { Database, Reader, Transaction } from '../../database/database.ts'
import type { ModelChange, ModelSettings, ModelSettingsStore } from '../../models/model-settings-store.ts'

interface Row {
  id: string
  name: string
  base_url: string
  model: string
  sealed_key: string | null
  is_default: number
  max_tokens: number | null
  temperature: number | null
  version: number
  created_at: number
  updated_at: number
}

const columns =
  'id, name, base_url, model, sealed_key, is_default, max_tokens, temperature, version, created_at, updated_at'

const settingsOf = (row: Row): ModelSettings => ({
  id: row.id,
  name: row.name,
  baseUrl: row.base_url,
  model: row.model,
  sealedKey: row.sealed_key ?? undefined,
  isDefault: row.is_default === 1,
  maxTokens: row.max_tokens ?? undefined,
  temperature: row.temperature ?? undefined,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export class SqlModelSettingsStore implements ModelSettingsStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  create(
    workspaceId: string,
    wanted: Parameters<ModelSettingsStore['create']>[1],
    { most }: { most: number },
  ): Promise<ModelSettings | 'name_taken' | 'too_many'> {
    return this.#database.transaction(async transaction => {
      const others = await this.#lock(transaction, workspaceId)
      if (others.some(({ name }) => name === wanted.name)) return 'name_taken'
      if (others.length >= most) return 'too_many'
      const isDefault =
        wanted.isDefault === 'if_none' ? others.every(other => !other.isDefault) : wanted.isDefault
      const settings: ModelSettings = { ...wanted, isDefault }
      if (isDefault) await this.#clearDefault(transaction, workspaceId)
      await transaction.run(
        `INSERT INTO models (workspace_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        workspaceId,
        settings.id,
        settings.name,
        settings.baseUrl,
        settings.model,
        settings.sealedKey ?? null,
        settings.isDefault ? 1 : 0,
        settings.maxTokens ?? null,
        settings.temperature ?? null,
        settings.version,
        settings.createdAt,
        settings.updatedAt,
      )
      return settings
    })
  }

  /** All models of the workspace: a name and the default concern every one of them. */
  async #lock(transaction: Transaction, workspaceId: string): Promise<ModelSettings[]> {
    const rows = await transaction.all<Row>(
      `SELECT ${columns} FROM models WHERE workspace_id = ? ORDER BY id ${this.#database.forUpdate}`,
      workspaceId,
    )
    return rows.map(settingsOf)
  }

  async #clearDefault(transaction: Transaction, workspaceId: string): Promise<void> {
    await transaction.run(
      'UPDATE models SET is_default = 0 WHERE workspace_id = ? AND is_default = 1',
      workspaceId,
    )
  }

  async #one(reader: Reader, condition: string, ...parameters: string[]): Promise<ModelSettings | undefined> {
    const row = await reader.get<Row>(
      `SELECT ${columns} FROM models WHERE workspace_id = ? AND ${condition}`,
      ...parameters,
    )
    return row && settingsOf(row)
  }

  find(workspaceId: string, id: string): Promise<ModelSettings | undefined> {
    return this.#one(this.#database, 'id = ?', workspaceId, id)
  }

  findByName(workspaceId: string, name: string): Promise<ModelSettings | undefined> {
    return this.#one(this.#database, 'name = ?', workspaceId, name)
  }

  findDefault(workspaceId: string): Promise<ModelSettings | undefined> {
    return this.#one(this.#database, 'is_default = 1', workspaceId)
  }

  async list(workspaceId: string): Promise<ModelSettings[]> {
    const rows = await this.#database.all<Row>(
      `SELECT ${columns} FROM models WHERE workspace_id = ? ORDER BY name`,
      workspaceId,
    )
    return rows.map(settingsOf)
  }

  update(
    workspaceId: string,
    id: string,
    change: (settings: ModelSettings) => ModelChange,
    now: number,
  ): Promise<ModelSettings | 'name_taken' | undefined> {
    return this.#database.transaction(async transaction => {
      const all = await this.#lock(transaction, workspaceId)
      const current = all.find(settings => settings.id === id)
      if (!current) return undefined
      const next = { ...current, ...change(current), version: current.version + 1, updatedAt: now }
      if (all.some(other => other.id !== id && other.name === next.name)) return 'name_taken'
      if (next.isDefault && !current.isDefault) await this.#clearDefault(transaction, workspaceId)
      await transaction.run(
        `UPDATE models SET name = ?, base_url = ?, model = ?, sealed_key = ?, is_default = ?, max_tokens = ?,
           temperature = ?, version = ?, updated_at = ? WHERE workspace_id = ? AND id = ?`,
        next.name,
        next.baseUrl,
        next.model,
        next.sealedKey ?? null,
        next.isDefault ? 1 : 0,
        next.maxTokens ?? null,
        next.temperature ?? null,
        next.version,
        next.updatedAt,
        workspaceId,
        id,
      )
      return next
    })
  }

  remove(workspaceId: string, id: string): Promise<boolean> {
    return this.#database.transaction(
      async transaction =>
        (await transaction.run('DELETE FROM models WHERE workspace_id = ? AND id = ?', workspaceId, id)) > 0,
    )
  }
}
