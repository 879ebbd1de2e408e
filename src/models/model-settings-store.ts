import type { ModelType } from '../contract/model-records.ts'
import type { Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { flag, integer, json, optional, type RowOf, real, table, text } from '../database/table.ts'
import type { ModelFeatures, ModelParameters } from './language-model.ts'

/** The settings of a model besides the columns below. */
export interface ModelOptions extends Omit<ModelParameters, 'maxTokens' | 'temperature'> {
  contextLength?: number | undefined
  maxOutput?: number | undefined
  supports?: ModelFeatures | undefined
  /** The price of a million tokens. */
  inputPrice?: number | undefined
  outputPrice?: number | undefined
  extraBody?: Readonly<Record<string, unknown>> | undefined
  /** Names of models. */
  fallbacks?: readonly string[] | undefined
}

export const models = table('models', {
  workspaceId: text(),
  id: text(),
  type: text<ModelType>(),
  /** What nodes and agents refer to; unique in a workspace. */
  name: text(),
  baseUrl: text(),
  /** The provider's name of the model. */
  model: text(),
  /** Undefined where the provider needs none. */
  sealedKey: optional(text()),
  /** JSON of names and values. Undefined where there are none. */
  sealedHeaders: optional(text()),
  options: json<ModelOptions>(),
  /** At most one model of a type in a workspace is the default. */
  isDefault: flag(),
  maxTokens: optional(integer()),
  temperature: optional(real()),
  /** Grows with every change, which invalidates cached connections. */
  version: integer(),
  createdAt: integer(),
  updatedAt: integer(),
})

export type ModelSettings = Omit<RowOf<typeof models>, 'workspaceId'>
export type ModelChange = Partial<Omit<ModelSettings, 'id' | 'type' | 'version' | 'createdAt' | 'updatedAt'>>

const settings = models.columns(...models.keysExcept('workspaceId'))

export class ModelSettingsStore extends Store {
  /** A new default replaces the old one; with `if_none` the model becomes the default only if there is none. */
  create(
    workspaceId: string,
    added: Omit<ModelSettings, 'isDefault'> & { isDefault: boolean | 'if_none' },
    { maxModels }: { maxModels: number },
  ): Promise<ModelSettings | 'name_taken' | 'too_many'> {
    return this.database.transaction(async transaction => {
      const others = await this.#lock(transaction, workspaceId)
      if (others.some(({ name }) => name === added.name)) return 'name_taken'
      if (others.length >= maxModels) return 'too_many'
      const isDefault =
        added.isDefault === 'if_none'
          ? others.every(other => !other.isDefault || other.type !== added.type)
          : added.isDefault
      const created: ModelSettings = { ...added, isDefault }
      if (isDefault) await this.#clearDefault(transaction, workspaceId, added.type)
      await transaction.run(models.insert({ workspaceId, ...created }))
      return created
    })
  }

  /** Locks all models of the workspace, because a new name or default concerns every one of them. */
  #lock(transaction: Transaction, workspaceId: string): Promise<ModelSettings[]> {
    return transaction.all(
      sql`SELECT ${settings} FROM models WHERE workspace_id = ${workspaceId} ORDER BY id ${this.database.forUpdate}`,
    )
  }

  async #clearDefault(transaction: Transaction, workspaceId: string, type: ModelType): Promise<void> {
    await transaction.run(
      sql`UPDATE models SET is_default = 0 WHERE ${models.where({ workspaceId, type })} AND is_default = 1`,
    )
  }

  find(
    workspaceId: string,
    by: { id: string } | { type: ModelType; name: string } | { type: ModelType; isDefault: true },
  ) {
    return this.database.get(models.select(settings, { workspaceId, ...by }))
  }

  /** By name. */
  list(workspaceId: string): Promise<ModelSettings[]> {
    return this.database.all(
      sql`SELECT ${settings} FROM models WHERE workspace_id = ${workspaceId} ORDER BY name`,
    )
  }

  /** `change` gets the current settings, and may be called again after a conflict. */
  update(
    workspaceId: string,
    id: string,
    change: (settings: ModelSettings) => ModelChange,
    now: number,
  ): Promise<ModelSettings | 'name_taken' | undefined> {
    return this.database.transaction(async transaction => {
      const all = await this.#lock(transaction, workspaceId)
      const current = all.find(model => model.id === id)
      if (!current) return undefined
      const changed = { ...change(current), version: current.version + 1, updatedAt: now }
      const next = { ...current, ...changed }
      if (all.some(other => other.id !== id && other.name === next.name)) return 'name_taken'
      if (next.isDefault && !current.isDefault)
        await this.#clearDefault(transaction, workspaceId, current.type)
      await transaction.run(models.update({ workspaceId, id }, changed))
      return next
    })
  }

  async remove(workspaceId: string, id: string): Promise<boolean> {
    return (await this.runDeletion(models.delete({ workspaceId, id }))) > 0
  }
}
